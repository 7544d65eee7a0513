/** The end of an output of any length: what came last, at most so many bytes. */
export class OutputTail {
  readonly #maxBytes: number
  #chunks: Buffer[] = []
  #bytes = 0
  #isCut = false

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  add(chunk: Buffer): void {
    this.#chunks.push(chunk)
    this.#bytes += chunk.length
    // Now and then, not for each piece: twice the limit is still a limit.
    if (this.#bytes > 2 * this.#maxBytes) this.#cut()
  }

  toString(): string {
    if (this.#bytes > this.#maxBytes) this.#cut()
    const tail = Buffer.concat(this.#chunks)
    let start = 0
    // The cut may have gone through the middle of a character.
    while (this.#isCut && start < tail.length && ((tail[start] as number) & 0xc0) === 0x80) start++
    return tail.toString('utf8', start)
  }

  #cut(): void {
    this.#chunks = [Buffer.concat(this.#chunks).subarray(-this.#maxBytes)]
    this.#bytes = this.#maxBytes
    this.#isCut = true
  }
}
