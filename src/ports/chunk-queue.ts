/** Bytes that may lie here unread before the sender is asked to pause. */
const enough = 256 * 1024

/** How the queue speaks to whoever fills it. */
export interface ChunkSource {
  pause(): void
  resume(): void
  /** The reader went away before the end. */
  cancel(): void
}

/** Pieces of a body between the connection that brings them and the one reader who takes them. */
export class ChunkQueue implements AsyncIterable<Uint8Array> {
  readonly #source: ChunkSource
  #chunks: Uint8Array[] = []
  #bytes = 0
  #paused = false
  #end: { readonly error?: unknown } | undefined
  #waiting: PromiseWithResolvers<void> | undefined

  constructor(source: ChunkSource) {
    this.#source = source
  }

  push(chunk: Uint8Array): void {
    this.#chunks.push(chunk)
    this.#bytes += chunk.byteLength
    if (this.#bytes > enough && !this.#paused) {
      this.#paused = true
      this.#source.pause()
    }
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
    this.#chunks = []
    this.fail(error)
  }

  [Symbol.asyncIterator](): AsyncIterator<Uint8Array, undefined> {
    return {
      next: () => this.#next(),
      return: async () => {
        if (this.#end === undefined) {
          this.finish()
          this.#source.cancel()
        }
        this.#chunks = []
        return { done: true, value: undefined }
      },
    }
  }

  async #next(): Promise<IteratorResult<Uint8Array, undefined>> {
    for (;;) {
      const chunk = this.#chunks.shift()
      if (chunk !== undefined) {
        this.#bytes -= chunk.byteLength
        this.#resumeIfLow()
        return { done: false, value: chunk }
      }
      if (this.#end !== undefined) {
        if ('error' in this.#end) throw this.#end.error
        return { done: true, value: undefined }
      }
      this.#waiting ??= Promise.withResolvers()
      await this.#waiting.promise
    }
  }

  #resumeIfLow(): void {
    if (!this.#paused || this.#bytes > enough / 2) return
    this.#paused = false
    this.#source.resume()
  }

  #wake(): void {
    this.#waiting?.resolve()
    this.#waiting = undefined
  }
}
