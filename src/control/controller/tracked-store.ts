import type { Draft, Kind, Resource } from '../../kinds/index.ts'
import type {
  DeleteOptions,
  Deletion,
  Key,
  ListOptions,
  Page,
  Store,
  UpdateOptions,
  WatchEvent,
  WatchOptions,
  WriteOptions,
} from '../../store/index.ts'
import type { Informer } from '../informer/informer.ts'
import { keyOf } from '../object-key.ts'

/** A write that informers will show sooner or later. */
export interface Write {
  readonly kind: Kind
  /** Whether the informer shows it. */
  readonly shownBy: (informer: Informer<Resource>) => boolean
}

/** What a tracked store needs. */
export interface TrackedStoreOptions {
  readonly store: Store
  /** Ends with the pass: a pass that was given up writes nothing any more. */
  readonly signal: AbortSignal
  /** Throws if this process must not act. */
  readonly fence: () => void
  readonly onWrite: (write: Write) => void
}

/**
 * The store as a pass sees it: reads go through; writes are refused once the pass is over or the leadership is lost, and are
 * told of, so that the next pass on the same key waits until it can see them.
 */
export class TrackedStore implements Store {
  readonly #options: TrackedStoreOptions

  constructor(options: TrackedStoreOptions) {
    this.#options = options
  }

  get<R extends Resource>(kind: Kind<R>, key: Key): Promise<R> {
    return this.#options.store.get(kind, key)
  }

  list<R extends Resource>(kind: Kind<R>, options?: ListOptions): Promise<Page<R>> {
    return this.#options.store.list(kind, options)
  }

  watch<R extends Resource>(kind: Kind<R>, options: WatchOptions): AsyncIterable<readonly WatchEvent<R>[]> {
    return this.#options.store.watch(kind, options)
  }

  async create<R extends Resource>(kind: Kind<R>, draft: Draft<R>, options?: WriteOptions): Promise<R> {
    const { store, signal } = this.#allowed()
    return this.#wrote(kind, await store.create(kind, draft, { signal, ...options }))
  }

  async update<R extends Resource>(kind: Kind<R>, object: Draft<R>, options?: UpdateOptions): Promise<R> {
    const { store, signal } = this.#allowed()
    return this.#wrote(kind, await store.update(kind, object, { signal, ...options }))
  }

  async delete<R extends Resource>(kind: Kind<R>, key: Key, options?: DeleteOptions): Promise<Deletion<R>> {
    const { store, signal, onWrite } = this.#allowed()
    const deletion = await store.delete(kind, key, { signal, ...options })
    onWrite(deletion.gone ? removalOf(kind, deletion.object) : writeOf(kind, deletion.object))
    return deletion
  }

  /** Does nothing: the store is not the pass's to close. */
  close(): Promise<void> {
    return Promise.resolve()
  }

  #allowed(): TrackedStoreOptions {
    this.#options.signal.throwIfAborted()
    this.#options.fence()
    return this.#options
  }

  #wrote<R extends Resource>(kind: Kind<R>, object: R): R {
    this.#options.onWrite(writeOf(kind, object))
    return object
  }
}

/** An object that was written: shown when its revision is. */
export function writeOf(kind: Kind, { metadata: { resourceVersion = '' } }: Resource): Write {
  return { kind, shownBy: informer => informer.hasSeen(resourceVersion) }
}

/** An object that was removed: its last revision says nothing about the removal, so the informer must no longer have it. */
function removalOf(kind: Kind, object: Resource): Write {
  const key = keyOf(object)
  const { uid } = object.metadata
  return { kind, shownBy: informer => informer.state !== 'unknown' && informer.get(key)?.metadata.uid !== uid }
}
