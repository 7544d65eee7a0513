import { ResponseTooLarge } from './errors.ts'

/** What comes over a connection, between the side that brings it and the one reader who takes it. */
abstract class AsyncQueue<T> implements AsyncIterable<T> {
  #pieces: T[] = []
  #size = 0
  #end: { readonly error?: unknown } | undefined
  #waiting: PromiseWithResolvers<void> | undefined

  /** How much a piece counts. */
  protected abstract sizeOf(piece: T): number

  /** The reader went away before the end. */
  protected abstract left(): void

  /** The reader took something. */
  protected taken(): void {}

  /** How much lies here unread. */
  protected get size(): number {
    return this.#size
  }

  protected get isOver(): boolean {
    return this.#end !== undefined
  }

  protected add(piece: T): void {
    this.#pieces.push(piece)
    this.#size += this.sizeOf(piece)
    this.#wake()
  }

  /** After the pieces that are here comes nothing more. */
  finish(): void {
    this.#end ??= {}
    this.#wake()
  }

  /** After the pieces that are here comes this error. */
  fail(error: unknown): void {
    this.#end ??= { error }
    this.#wake()
  }

  /** Nothing more is given out but this error. */
  abort(error: unknown): void {
    this.#clear()
    this.fail(error)
  }

  [Symbol.asyncIterator](): AsyncIterator<T, undefined> {
    return {
      next: () => this.#next(),
      return: async () => {
        if (this.#end === undefined) {
          this.finish()
          this.left()
        }
        this.#clear()
        return { done: true, value: undefined }
      },
    }
  }

  async #next(): Promise<IteratorResult<T, undefined>> {
    for (;;) {
      const piece = this.#pieces.shift()
      if (piece !== undefined) {
        this.#size -= this.sizeOf(piece)
        this.taken()
        return { done: false, value: piece }
      }
      if (this.#end !== undefined) {
        if ('error' in this.#end) throw this.#end.error
        return { done: true, value: undefined }
      }
      this.#waiting ??= Promise.withResolvers()
      await this.#waiting.promise
    }
  }

  #clear(): void {
    this.#pieces = []
    this.#size = 0
  }

  #wake(): void {
    this.#waiting?.resolve()
    this.#waiting = undefined
  }
}

/** Bytes that may lie here unread before the sender is asked to pause. */
const enough = 256 * 1024

/** How the queue speaks to whoever fills it. */
export interface ChunkSource {
  pause(): void
  resume(): void
  /** The reader went away before the end. */
  cancel(): void
}

/** Pieces of a body on their way to their reader. */
export class ChunkQueue extends AsyncQueue<Uint8Array> {
  readonly #source: ChunkSource
  #paused = false

  constructor(source: ChunkSource) {
    super()
    this.#source = source
  }

  push(chunk: Uint8Array): void {
    this.add(chunk)
    if (this.size <= enough || this.#paused) return
    this.#paused = true
    this.#source.pause()
  }

  protected override sizeOf(chunk: Uint8Array): number {
    return chunk.byteLength
  }

  protected override left(): void {
    this.#source.cancel()
  }

  protected override taken(): void {
    if (!this.#paused || this.size > enough / 2) return
    this.#paused = false
    this.#source.resume()
  }
}

/** Characters that may lie here unread; who is that far behind has stopped reading. */
const mostUnread = 16 * 1024 * 1024

/** Messages of a web socket on their way to their reader. */
export class MessageQueue extends AsyncQueue<string> {
  readonly #target: string
  readonly #onLeave: () => void

  /** `onLeave` is called when the reader goes away before the end. */
  constructor(target: string, onLeave: () => void) {
    super()
    this.#target = target
    this.#onLeave = onLeave
  }

  push(message: string): void {
    if (this.isOver) return
    if (this.size + message.length <= mostUnread) return this.add(message)
    this.abort(ResponseTooLarge({ target: this.#target, maxBytes: mostUnread }))
    this.#onLeave()
  }

  protected override sizeOf(message: string): number {
    return message.length
  }

  protected override left(): void {
    this.#onLeave()
  }
}
