/** Lets those who ask for the same key go one after another, in the order in which they asked. */
export class OneAtATime {
  readonly #last = new Map<string, Promise<unknown>>()

  /** Does the work when everybody who asked for `key` before is done. */
  async run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const before = this.#last.get(key) ?? Promise.resolve()
    const mine = before.then(work, work)
    this.#last.set(key, mine)
    try {
      return await mine
    } finally {
      if (this.#last.get(key) === mine) this.#last.delete(key)
    }
  }
}
