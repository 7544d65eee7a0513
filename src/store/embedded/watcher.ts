import type { Resource } from '../../kinds/index.ts'
import { StoreError } from '../errors.ts'
import type { CompiledSelection } from '../selectors/selection.ts'
import type { WatchEvent } from '../store.ts'
import { Fifo } from './fifo.ts'

type Batch = readonly WatchEvent<Resource>[]
type Result = IteratorResult<Batch, undefined>

/** Events that a reader may be behind before it is told to list again, so that a slow one costs a bounded amount of memory, */
export const mostBehind = 10_000
/** and length of their objects as text: as much as is kept for those who come back. Objects may be large. */
export const mostBytesBehind = 128 * 1024 * 1024

interface Offered {
  readonly batch: Batch
  readonly bytes: number
}

/** One watch: events wait here, batch by batch, until its reader takes them. */
export class Watcher implements AsyncIterableIterator<Batch, undefined> {
  readonly selection: CompiledSelection
  /** Only changes after this revision are wanted. */
  readonly after: number
  readonly wantsBookmarks: boolean
  /** What the reader gets first. It does not count as being behind. */
  readonly #initial = new Fifo<Batch>()
  readonly #batches = new Fifo<Offered>()
  readonly #onEnd: () => void
  #behind = 0
  #bytesBehind = 0
  #waiting: { resolve(result: Result): void; reject(error: unknown): void } | undefined
  #ended = false
  #error: StoreError | undefined

  constructor(options: {
    readonly selection: CompiledSelection
    readonly after: number
    readonly bookmarks: boolean
    readonly initial: Iterable<Batch>
    readonly onEnd: () => void
  }) {
    this.selection = options.selection
    this.after = options.after
    this.wantsBookmarks = options.bookmarks
    this.#onEnd = options.onEnd
    for (const batch of options.initial) this.#initial.push(batch)
  }

  /** Hands over one batch, whose objects have that length as text. Never waits: a reader that is too far behind loses its watch instead. */
  offer(batch: Batch, bytes: number): void {
    if (this.#ended) return
    if (this.#waiting !== undefined) {
      const { resolve } = this.#waiting
      this.#waiting = undefined
      resolve({ value: batch, done: false })
      return
    }
    this.#batches.push({ batch, bytes })
    this.#behind += batch.length
    this.#bytesBehind += bytes
    if (this.#behind > mostBehind) this.end(tooSlow(`${mostBehind} events`))
    else if (this.#bytesBehind > mostBytesBehind) this.end(tooSlow(`${mostBytesBehind} bytes`))
  }

  /** Ends the watch: at once with an error, else after the reader has taken what is waiting. */
  end(error?: StoreError): void {
    if (this.#ended) return
    this.#ended = true
    this.#error = error
    if (error !== undefined) this.#forget()
    this.#onEnd()
    const waiting = this.#waiting
    this.#waiting = undefined
    if (waiting === undefined) return
    if (error === undefined) waiting.resolve({ value: undefined, done: true })
    else this.#fail(waiting.reject)
  }

  /** The next batch, as soon as there is one. */
  next(): Promise<Result> {
    const initial = this.#initial.shift()
    if (initial !== undefined) return Promise.resolve({ value: initial, done: false })
    const offered = this.#batches.shift()
    if (offered !== undefined) {
      this.#behind -= offered.batch.length
      this.#bytesBehind -= offered.bytes
      return Promise.resolve({ value: offered.batch, done: false })
    }
    return new Promise((resolve, reject) => {
      if (this.#error !== undefined) this.#fail(reject)
      else if (this.#ended) resolve({ value: undefined, done: true })
      else if (this.#waiting !== undefined) reject(new TypeError('a watch has one reader, who asks for one batch at a time'))
      else this.#waiting = { resolve, reject }
    })
  }

  /** Ends the watch at once; what is waiting is dropped. */
  return(): Promise<Result> {
    this.#forget()
    this.end()
    return Promise.resolve({ value: undefined, done: true })
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  #forget(): void {
    this.#initial.clear()
    this.#batches.clear()
  }

  /** The error is told once; whoever asks again finds the watch ended. */
  #fail(reject: (error: unknown) => void): void {
    const error = this.#error
    this.#error = undefined
    reject(error)
  }
}

function tooSlow(limit: string): StoreError {
  return new StoreError('Expired', `too old resource version: this watch was more than ${limit} behind`, {
    fix: 'list again and watch from the revision of the list; read events faster than they happen, or select fewer objects',
  })
}
