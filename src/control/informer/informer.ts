import type { Log } from '../../ports/index.ts'
import type { Kind, Resource } from '../../kinds/index.ts'
import { compareRevisions } from '../../store/index.ts'
import { IndexTaken, IndexUnknown, InformerStopped, NotSynced } from '../errors.ts'
import { keyOf, kindId } from '../object-key.ts'
import { Handlers, type InformerHandler, type ObjectChange } from './handlers.ts'
import { type ChangeEvent, type ChangeSource, ChangeStream } from './change-stream.ts'
import { changesOf, differences, overlooked, revisionOf } from './differences.ts'
import { ObjectCache } from './object-cache.ts'
import type { IndexFunction } from './object-index.ts'
import { periodically } from '../periodically.ts'
import { readAll } from './read-all.ts'
import { Waiters } from '../waiters.ts'

/**
 * What an informer knows. Unknown: not everything has been read yet, so nothing can be said. Syncing: everything was read, but
 * the stream of changes is broken, so that it may be out of date. Live: changes arrive as they happen.
 */
export type InformerState = 'unknown' | 'syncing' | 'live'

/** The reading side of an informer. All objects are frozen. Every call throws `NotSynced` until the first read is complete. */
export interface Reader<R extends Resource> {
  /** By `namespace/name`, or `name`; see `keyOf`. */
  get(key: string): R | undefined
  /** All, or those of one namespace. */
  list(namespace?: string): readonly R[]
  /** Those to which the index gives the value. Throws `IndexUnknown`. */
  byIndex(index: string, value: string): readonly R[]
}

/** What an informer needs. */
export interface InformerOptions<R extends Resource> extends ChangeSource<R> {
  readonly indexes?: Readonly<Record<string, IndexFunction<R>>>
  /** Milliseconds between comparisons with a list from the store, which mend what a faulty server left out. Default: never. */
  readonly compareEvery?: number
}

/** Milliseconds that a comparison with the store may take. */
const comparisonLimit = 120_000

/**
 * All objects of one kind in memory, kept up to date by a watch. Whatever happens to the watch, a reader never sees an empty or
 * shrunken collection in between: a broken stream goes on from the last revision; if that is too old, everything is read anew
 * beside the old and the difference is told, deletions that were missed included.
 */
export class Informer<R extends Resource> implements Reader<R> {
  readonly kind: Kind<R>
  /** Resolves when everything has been read once; rejects with `InformerStopped` if that did not come to pass. */
  readonly synced: Promise<void>
  readonly #options: InformerOptions<R>
  readonly #log: Log
  readonly #cache: ObjectCache<R>
  readonly #handlers: Handlers<R>
  readonly #waiters = new Waiters()
  readonly #stop = new AbortController()
  readonly #stream: ChangeStream<R>
  #running: Promise<void> | undefined
  #state: InformerState = 'unknown'

  constructor(options: InformerOptions<R>) {
    this.#options = options
    this.kind = options.kind
    this.#log = options.log.with({ informer: kindId(options.kind) })
    this.#cache = new ObjectCache<R>((error, index, key) => this.#log.error('an index function failed', { error, index, key }))
    this.#handlers = new Handlers<R>(this.#log)
    for (const [name, valuesOf] of Object.entries(options.indexes ?? {})) this.addIndex(name, valuesOf)
    this.#stream = new ChangeStream<R>({
      ...options,
      log: this.#log,
      signal: this.#stop.signal,
      onList: (objects, newHistory) => this.#adopt(objects, newHistory),
      onEvent: event => this.#apply(event),
      onCaughtUp: () => {
        this.#state = 'live'
        this.#waiters.check()
      },
      onBroken: () => {
        if (this.#state === 'live') this.#state = 'syncing'
      },
    })
    this.synced = this.#waiters.until(() => this.#state !== 'unknown')
    this.synced.catch(() => {})
  }

  /** Begins to read; a second call does nothing. */
  start(): void {
    if (this.#running !== undefined || this.#stop.signal.aborted) return
    this.#running = this.#stream.run()
    const { compareEvery } = this.#options
    if (compareEvery !== undefined) periodically(this.#options.clock, compareEvery, this.#stop.signal, () => this.#compare())
  }

  /** Ends the stream and every wait. What was read stays readable. */
  async stop(): Promise<void> {
    this.#stop.abort(InformerStopped({ kind: this.kind.name }))
    this.#waiters.rejectAll(this.#stop.signal.reason)
    this.#handlers.clear()
    await this.#running
  }

  get state(): InformerState {
    return this.#state
  }

  /** The newest revision that was seen; empty before the first. */
  get revision(): string {
    return this.#stream.revision
  }

  get size(): number {
    return this.#known().size
  }

  get(key: string): R | undefined {
    return this.#known().get(key)
  }

  list(namespace?: string): readonly R[] {
    return this.#known().list(namespace)
  }

  byIndex(index: string, value: string): readonly R[] {
    const objects = this.#known().byIndex(index, value)
    if (objects === undefined) throw IndexUnknown({ kind: this.kind.name, index, known: this.#cache.indexNames() })
    return objects
  }

  /** Adds a named index, at any time. Adding the same function again does nothing. */
  addIndex(name: string, valuesOf: IndexFunction<R>): void {
    const present = this.#cache.indexFunction(name)
    if (present === valuesOf) return
    if (present !== undefined) throw IndexTaken({ kind: this.kind.name, index: name })
    this.#cache.addIndex(name, valuesOf)
  }

  /** Tells a handler of everything there is and of every change after it. Returns how to take it away again. */
  on(handler: InformerHandler<R>): () => void {
    if (this.#state !== 'unknown') {
      for (const object of this.#cache.list()) this.#handlers.tellOne(handler, { type: 'added', object, initial: true })
    }
    return this.#handlers.add(handler)
  }

  /**
   * Resolves when the informer has seen `resourceVersion` or something later, so that whoever wrote it reads what was written.
   * Rejects with the signal's reason, or `InformerStopped`.
   */
  waitFor(resourceVersion: string, signal?: AbortSignal): Promise<void> {
    return this.until(() => this.hasSeen(resourceVersion), signal)
  }

  /** Whether the cache shows `resourceVersion` or something later. */
  hasSeen(resourceVersion: string): boolean {
    return this.#state !== 'unknown' && compareRevisions(this.#stream.revision, resourceVersion) >= 0
  }

  /** Resolves when `holds` does, which is asked again after every batch of changes. Rejects as `waitFor` does. */
  until(holds: () => boolean, signal?: AbortSignal): Promise<void> {
    if (this.#stop.signal.aborted) return Promise.reject(this.#stop.signal.reason as Error)
    return this.#waiters.until(holds, signal)
  }

  #known(): ObjectCache<R> {
    if (this.#state === 'unknown') throw NotSynced({ kind: this.kind.name })
    return this.#cache
  }

  /** Takes over a list that was read anew, all of it at once, and tells the difference. */
  #adopt(objects: ReadonlyMap<string, R>, newHistory: boolean): void {
    const changes = differences(this.#cache, objects, { initial: this.#state === 'unknown', newHistory })
    this.#state = 'live'
    if (newHistory) this.#handlers.tell({ type: 'restored' })
    this.#change(changes)
  }

  #apply({ type, item: { object, resourceVersion } }: ChangeEvent<R>): void {
    const old = this.#cache.get(keyOf(object))
    // What is not newer than what is here was told before: a stream that goes on may repeat itself.
    if (old !== undefined && compareRevisions(resourceVersion, revisionOf(old)) <= 0) return
    this.#change(changesOf(old, type === 'DELETED' ? undefined : object, false))
  }

  /** Reads everything from the store and mends what the stream left out. */
  async #compare(): Promise<void> {
    const { store, clock, selection = {} } = this.#options
    if (this.#state !== 'live') return
    using deadline = clock.deadline(comparisonLimit, this.#stop.signal)
    const removed = new Set<string>()
    const forget = this.#handlers.add({ removed: object => void removed.add(keyOf(object)) })
    try {
      const { objects, revision } = await readAll(store, this.kind, selection, deadline.signal)
      await this.waitFor(revision, deadline.signal)
      const changes = overlooked(this.#cache, objects, revision, removed)
      if (changes.length === 0) return
      this.#log.error('the stream of changes left something out', { changes: changes.length, first: keyOf(changes[0]!.object) })
      this.#change(changes)
      this.#waiters.check()
    } catch (error) {
      if (!this.#stop.signal.aborted) this.#log.warn('the comparison with the store was not completed', { error })
    } finally {
      forget()
    }
  }

  /** Brings the cache up to date, then tells. */
  #change(changes: readonly ObjectChange<R>[]): void {
    for (const change of changes) this.#put(change)
    for (const change of changes) this.#handlers.tell(change)
  }

  #put(change: ObjectChange<R>): void {
    if (change.type === 'removed') this.#cache.delete(keyOf(change.object))
    else this.#cache.set(keyOf(change.object), change.object)
  }
}
