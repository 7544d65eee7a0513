import type { Clock, Timer } from '../../ports/index.ts'
import type { Kind, Resource } from '../../kinds/index.ts'
import { closed, StoreError } from '../errors.ts'
import { parseRevision } from '../revision.ts'
import { type CompiledSelection, compileSelection } from '../selectors/selection.ts'
import type { Selection, WatchEvent, WatchOptions } from '../store.ts'
import type { Change } from './change.ts'
import type { Collection } from './collection.ts'
import { listPage, tooLarge } from './list-page.ts'
import type { State } from './state.ts'
import { type Place, placeOf, WatchFiles } from './watch-files.ts'
import { Watcher } from './watcher.ts'

type Batch = readonly WatchEvent<Resource>[]

const bookmarkEvery = 60_000
const initialBatch = 1000

/** All watches of a store. A change is shown to those filed under what it has: the cost follows who is interested. */
export class WatchHub {
  readonly #state: State
  readonly #clock: Clock
  readonly #filed = new Map<Collection, WatchFiles>()
  readonly #all = new Set<Watcher>()
  readonly #bookmarked = new Set<Watcher>()
  #bookmarks: Timer | undefined
  #closed = false

  constructor(state: State, clock: Clock) {
    this.#state = state
    this.#clock = clock
  }

  /** How many watches are open. */
  get size(): number {
    return this.#all.size
  }

  /** Starts a watch. What is wrong with it is told when the first events are asked for. */
  watch(kind: Kind, options: WatchOptions): AsyncIterable<Batch> {
    try {
      return this.#start(kind, options)
    } catch (error) {
      return failed(error)
    }
  }

  /** Tells everybody who is interested, in one batch each. */
  publish(changes: readonly Change[]): void {
    const deliveries = new Map<Watcher, Delivery>()
    for (const change of changes) {
      this.#filed.get(change.collection)?.forEach(change, watcher => deliver(watcher, change, deliveries))
    }
    for (const [watcher, { events, bytes }] of deliveries) watcher.offer(events, bytes)
  }

  /** Ends all watches, without an error. */
  close(): void {
    this.#closed = true
    for (const watcher of this.#all) watcher.end()
  }

  #start(kind: Kind, options: WatchOptions): Watcher {
    if (this.#closed) throw closed()
    const collection = this.#state.collectionOf(kind)
    const selection = compileSelection(kind, options)
    const asked = parseRevision(options.resourceVersion ?? '')
    const after = options.initialEvents === true ? this.#state.revision : asked || this.#state.revision
    const initial = options.initialEvents === true ? this.#everything(kind, options, asked) : this.#replay(collection, selection, after)
    const place = placeOf(collection, selection)
    const onAbort = () => void watcher.return()
    const onEnd = () => {
      this.#remove(watcher, collection, place)
      options.signal.removeEventListener('abort', onAbort)
    }
    const watcher = new Watcher({ selection, after, bookmarks: options.bookmarks === true, initial, onEnd })
    this.#add(watcher, collection, place)
    if (options.signal.aborted) void watcher.return()
    else options.signal.addEventListener('abort', onAbort, { once: true })
    return watcher
  }

  /** What there is, as ADDED, and the bookmark that says that this was all. */
  #everything(kind: Kind, options: WatchOptions, atLeast: number): readonly Batch[] {
    if (atLeast > this.#state.revision) throw tooLarge(atLeast, this.#state.revision)
    const { namespace, labelSelector, fieldSelector } = options
    const selection: Selection = {
      ...(namespace === undefined ? {} : { namespace }),
      ...(labelSelector === undefined ? {} : { labelSelector }),
      ...(fieldSelector === undefined ? {} : { fieldSelector }),
    }
    const { items, resourceVersion } = listPage(this.#state, kind, selection)
    const batches: Batch[] = []
    for (let at = 0; at < items.length; at += initialBatch) {
      batches.push(items.slice(at, at + initialBatch).map(item => ({ type: 'ADDED', item })))
    }
    batches.push([{ type: 'BOOKMARK', resourceVersion, initialEventsEnd: true }])
    return batches
  }

  /** What has happened since a revision. One that is yet to come is waited for, as Kubernetes does. */
  #replay(collection: Collection, selection: CompiledSelection, after: number): readonly Batch[] {
    if (after < this.#state.compacted) {
      throw new StoreError('Expired', `too old resource version: ${after} (${this.#state.compacted})`, {
        fix: 'list again and watch from the revision of the list',
      })
    }
    const events: WatchEvent<Resource>[] = []
    for (const change of collection.changes.from(({ revision }) => revision > after)) {
      const event = change.eventFor(selection)
      if (event !== undefined) events.push(event)
    }
    return events.length === 0 ? [] : [events]
  }

  #add(watcher: Watcher, collection: Collection, place: Place): void {
    let files = this.#filed.get(collection)
    if (files === undefined) this.#filed.set(collection, (files = new WatchFiles()))
    files.add(watcher, place)
    this.#all.add(watcher)
    if (!watcher.wantsBookmarks) return
    this.#bookmarked.add(watcher)
    this.#bookmarks ??= this.#clock.after(bookmarkEvery, () => this.#sendBookmarks())
  }

  #remove(watcher: Watcher, collection: Collection, place: Place): void {
    const files = this.#filed.get(collection)!
    files.remove(watcher, place)
    if (files.isEmpty) this.#filed.delete(collection)
    this.#all.delete(watcher)
    this.#bookmarked.delete(watcher)
    if (this.#bookmarked.size > 0) return
    this.#bookmarks?.cancel()
    this.#bookmarks = undefined
  }

  #sendBookmarks(): void {
    this.#bookmarks = this.#clock.after(bookmarkEvery, () => this.#sendBookmarks())
    const resourceVersion = String(this.#state.revision)
    const batch: Batch = [{ type: 'BOOKMARK', resourceVersion, initialEventsEnd: false }]
    for (const watcher of this.#bookmarked) if (watcher.after <= this.#state.revision) watcher.offer(batch, 0)
  }
}

/** What one watcher is told of one flush, and the length of its objects as text. */
interface Delivery {
  readonly events: WatchEvent<Resource>[]
  bytes: number
}

function deliver(watcher: Watcher, change: Change, deliveries: Map<Watcher, Delivery>): void {
  if (change.revision <= watcher.after) return
  const event = change.eventFor(watcher.selection)
  if (event === undefined) return
  const bytes = (change.current ?? change.previous)!.size
  const delivery = deliveries.get(watcher)
  if (delivery === undefined) deliveries.set(watcher, { events: [event], bytes })
  // A watcher filed under two values of a label meets a change from the one to the other twice.
  else if (delivery.events.at(-1) !== event) {
    delivery.events.push(event)
    delivery.bytes += bytes
  }
}

/** A watch that never was: asking for its events rejects. */
function failed(error: unknown): AsyncIterable<Batch> {
  return {
    [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(error) }),
  }
}
