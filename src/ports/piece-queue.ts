/** What comes over a connection, between the side that brings it and the one reader who takes it. */
export abstract class PieceQueue<T> implements AsyncIterable<T> {
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
