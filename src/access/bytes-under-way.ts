/**
 * How much each caller sends at once: what one of them sends takes no memory from the others. A caller that sends nothing else may
 * send anything, so that a limit below the size of one body stops nobody for good.
 */
export class BytesUnderWay {
  readonly #most: number
  readonly #held = new Map<string, number>()

  constructor(most: number) {
    this.#most = most
  }

  /** Room for so many bytes until it is disposed of; undefined if the caller has too much on its way already. */
  hold(caller: string, bytes: number): Disposable | undefined {
    const held = this.#held.get(caller) ?? 0
    if (held > 0 && held + bytes > this.#most) return undefined
    this.#held.set(caller, held + bytes)
    return { [Symbol.dispose]: () => this.#release(caller, bytes) }
  }

  #release(caller: string, bytes: number): void {
    const left = (this.#held.get(caller) ?? 0) - bytes
    if (left > 0) this.#held.set(caller, left)
    else this.#held.delete(caller)
  }
}
