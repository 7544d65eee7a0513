import { backoff } from '../ports/index.ts'
import type { Chance, Clock, Log } from '../ports/index.ts'
import type { Kind, Resource } from '../kinds/index.ts'
import { StoreError } from '../store/index.ts'
import type { Store, WatchEvent } from '../store/index.ts'

/** What to follow, and whom to tell. */
export interface LiveObjectsOptions<R extends Resource> {
  readonly store: Store
  /** A kind without namespaces. */
  readonly kind: Kind<R>
  readonly clock: Clock
  readonly chance: Chance
  readonly log: Log
  readonly signal: AbortSignal
  /** Called after the objects changed. */
  readonly onChange: (objects: ReadonlyMap<string, R>) => void
}

/**
 * All objects of a kind by name, kept in memory by a watch. Resolves when they are all there, rejects if they cannot be had; then goes
 * on until the signal.
 * When the watch breaks the last known objects stay in force: not to know is not the same as to know that there are none.
 */
export async function liveObjects<R extends Resource>(options: LiveObjectsOptions<R>): Promise<void> {
  const { promise: complete, resolve, reject } = Promise.withResolvers<void>()
  void followForEver(options, { resolve, reject })
  await complete
}

interface Completion {
  resolve(): void
  reject(error: unknown): void
}

async function followForEver<R extends Resource>(options: LiveObjectsOptions<R>, complete: Completion): Promise<void> {
  const { clock, chance, log, signal, kind } = options
  let isComplete = false
  const following = new Following<R>(objects => {
    options.onChange(objects)
    isComplete = true
    complete.resolve()
  })
  for (let attempt = 0; !signal.aborted; attempt++) {
    try {
      const events = options.store.watch(kind, { ...following.next(), bookmarks: true, signal })
      for await (const batch of events) {
        following.take(batch)
        attempt = 0
      }
    } catch (error) {
      if (signal.aborted) break
      if (!isComplete) return complete.reject(error)
      if (StoreError.is(error, 'Expired')) following.startOver()
      else log.warn('watch broke, trying again', { kind: kind.name, error })
    }
    await clock.sleep(backoff({ base: 200, cap: 10_000, chance }, attempt + 1), signal).catch(() => undefined)
  }
  complete.resolve()
}

/** What a watch has told so far, and where the next one goes on. */
class Following<R extends Resource> {
  readonly #onChange: (objects: ReadonlyMap<string, R>) => void
  #objects = new Map<string, R>()
  /** While the first events of a new watch come in: the objects they tell of, which will replace the old ones at once. */
  #arriving: Map<string, R> | undefined = new Map()
  #revision: string | undefined

  constructor(onChange: (objects: ReadonlyMap<string, R>) => void) {
    this.#onChange = onChange
  }

  next(): { readonly initialEvents: true } | { readonly resourceVersion: string } {
    if (this.#arriving === undefined && this.#revision !== undefined) return { resourceVersion: this.#revision }
    this.startOver()
    return { initialEvents: true }
  }

  startOver(): void {
    this.#arriving = new Map()
  }

  take(batch: readonly WatchEvent<R>[]): void {
    let changed = false
    for (const event of batch) changed = this.#takeOne(event) || changed
    if (changed && this.#arriving === undefined) this.#onChange(this.#objects)
  }

  #takeOne(event: WatchEvent<R>): boolean {
    if (event.type === 'BOOKMARK') {
      this.#revision = event.resourceVersion
      if (!event.initialEventsEnd || this.#arriving === undefined) return false
      this.#objects = this.#arriving
      this.#arriving = undefined
      return true
    }
    const { object, resourceVersion } = event.item
    const objects = this.#arriving ?? this.#objects
    if (event.type === 'DELETED') objects.delete(object.metadata.name)
    else objects.set(object.metadata.name, object)
    // Revisions of first events come in the order of names: only from a change, or the bookmark after them, can a watch go on.
    if (this.#arriving === undefined) this.#revision = resourceVersion
    return true
  }
}
