import { backoff, type Chance, type Clock, type Log } from '../../ports/index.ts'
import type { Kind, Resource } from '../../kinds/index.ts'
import { compareRevisions, type Selection, type Store, StoreError, type WatchEvent } from '../../store/index.ts'
import { keyOf } from '../object-key.ts'
import { periodically } from '../periodically.ts'

/** A change of one object. */
export type ChangeEvent<R extends Resource> = Exclude<WatchEvent<R>, { readonly type: 'BOOKMARK' }>

/** Where changes come from. */
export interface ChangeSource<R extends Resource> {
  readonly store: Store
  readonly kind: Kind<R>
  readonly clock: Clock
  readonly chance: Chance
  readonly log: Log
  /** Default: all objects of the kind. */
  readonly selection?: Selection
  /** Milliseconds without even a bookmark after which the stream is taken for dead and everything is read anew. Default 300,000. */
  readonly silence?: number
}

/** What a stream of changes needs, and whom it tells. */
export interface ChangeStreamOptions<R extends Resource> extends ChangeSource<R> {
  /** Ends it. */
  readonly signal: AbortSignal
  /** Everything was read anew. With `newHistory` the store was restored and counts its revisions anew. */
  readonly onList: (objects: ReadonlyMap<string, R>, newHistory: boolean) => void
  readonly onEvent: (event: ChangeEvent<R>) => void
  /** All that was heard so far has been handed over. */
  readonly onCaughtUp: () => void
  readonly onBroken: () => void
}

/** Longest wait before the first and before any attempt to open the stream again. */
const reconnect = { base: 250, cap: 30_000 }

/**
 * The changes of one kind, for as long as it takes: a stream that ends or breaks is opened again after the last revision that was
 * heard of; if that is no longer possible, everything is read anew. Nothing is handed over twice or in the wrong order.
 */
export class ChangeStream<R extends Resource> {
  readonly #options: ChangeStreamOptions<R>
  #revision = ''
  /** False if the stream cannot go on from `#revision`: then everything is read anew. */
  #isResumable = false
  /** The store has fallen behind `#revision`, which therefore is no bound any more. */
  #isRestored = false
  #attempt = 0
  #lastHeard = 0

  constructor(options: ChangeStreamOptions<R>) {
    this.#options = options
  }

  /** The newest revision that was heard of; empty before the first. */
  get revision(): string {
    return this.#revision
  }

  /** Opens the stream again and again until the signal is aborted. */
  async run(): Promise<void> {
    const { clock, chance, signal } = this.#options
    while (!signal.aborted) {
      try {
        await this.#follow()
      } catch (error) {
        if (!signal.aborted) this.#broken(error)
      }
      this.#attempt++
      // Also after an orderly end: whoever ended all streams at one moment shall not get them back at one moment.
      if (!signal.aborted) await clock.sleep(backoff({ ...reconnect, chance }, this.#attempt), signal).catch(() => {})
    }
  }

  #broken(error: unknown): void {
    const { log, onBroken } = this.#options
    onBroken()
    if (StoreError.is(error, 'Expired')) {
      this.#isResumable = false
      log.info('the last revision is no longer kept; everything is read anew', { revision: this.#revision })
      return
    }
    // A store that has not come as far as our revision was restored from a backup: asking for it again would go on for ever.
    if (StoreError.is(error, 'Timeout') && !this.#isResumable) this.#isRestored = true
    log.warn('the stream of changes broke', { error, attempt: this.#attempt + 1 })
  }

  /** Reads one stream to its end. */
  async #follow(): Promise<void> {
    const { store, kind, clock, selection, signal } = this.#options
    const stream = new AbortController()
    const end = () => stream.abort()
    signal.addEventListener('abort', end, { once: true })
    this.#endAfterSilence(stream)
    try {
      const isAnew = !this.#isResumable
      const from = this.#revision === '' || (isAnew && this.#isRestored) ? {} : { resourceVersion: this.#revision }
      const anew = isAnew ? { initialEvents: true } : {}
      let list = isAnew ? new Map<string, R>() : undefined
      for await (const batch of store.watch(kind, { ...selection, ...from, ...anew, bookmarks: true, signal: stream.signal })) {
        this.#lastHeard = clock.monotonic()
        for (const event of batch) list = list === undefined ? this.#pass(event) : this.#collect(list, event)
        if (list !== undefined) continue
        this.#attempt = 0
        this.#options.onCaughtUp()
      }
    } finally {
      signal.removeEventListener('abort', end)
      end()
    }
  }

  #endAfterSilence(stream: AbortController): void {
    const { clock, log, silence = 300_000 } = this.#options
    this.#lastHeard = clock.monotonic()
    periodically(clock, silence / 4, stream.signal, () => {
      if (clock.monotonic() - this.#lastHeard < silence) return
      // Either the connection is dead, or the store was restored and is not yet where this stream begins: a list tells.
      this.#isResumable = false
      log.warn('nothing was heard for too long; everything is read anew', { milliseconds: silence })
      stream.abort()
    })
  }

  /** Adds an event to a list that is being read anew. Returns the list until it is complete. */
  #collect(list: Map<string, R>, event: WatchEvent<R>): Map<string, R> | undefined {
    if (event.type === 'BOOKMARK') {
      if (!event.initialEventsEnd) return list
      const newHistory = this.#isRestored
      this.#revision = event.resourceVersion
      this.#isResumable = true
      this.#isRestored = false
      this.#options.onList(list, newHistory)
      return undefined
    }
    const key = keyOf(event.item.object)
    if (event.type === 'DELETED') list.delete(key)
    else list.set(key, event.item.object)
    return list
  }

  #pass(event: WatchEvent<R>): undefined {
    const revision = event.type === 'BOOKMARK' ? event.resourceVersion : event.item.resourceVersion
    const isBehind = compareRevisions(revision, this.#revision) < 0
    if (event.type === 'BOOKMARK' && isBehind) {
      this.#isRestored = true
      throw new StoreError('Expired', `the store is at revision ${revision} and was at ${this.#revision} before`)
    }
    if (!isBehind) this.#revision = revision
    if (event.type !== 'BOOKMARK') this.#options.onEvent(event)
  }
}
