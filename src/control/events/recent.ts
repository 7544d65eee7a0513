/** The values that were used last, at most so many: the one that was left alone longest goes first. */
export class Recent<V> {
  readonly #values = new Map<string, V>()
  readonly #most: number

  constructor(most: number) {
    this.#most = most
  }

  get(key: string): V | undefined {
    const value = this.#values.get(key)
    if (value === undefined) return undefined
    this.#values.delete(key)
    this.#values.set(key, value)
    return value
  }

  set(key: string, value: V): void {
    this.#values.delete(key)
    this.#values.set(key, value)
    if (this.#values.size <= this.#most) return
    const oldest = this.#values.keys().next()
    if (!oldest.done) this.#values.delete(oldest.value)
  }

  delete(key: string): void {
    this.#values.delete(key)
  }
}
