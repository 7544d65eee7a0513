/** First in, first out, with binary search: an array whose front can be dropped without moving the rest each time. */
export class Fifo<T> {
  #items: (T | undefined)[] = []
  #head = 0

  get length(): number {
    return this.#items.length - this.#head
  }

  push(item: T): void {
    this.#items.push(item)
  }

  first(): T | undefined {
    return this.#items[this.#head]
  }

  shift(): T | undefined {
    if (this.length === 0) return undefined
    const item = this.#items[this.#head]
    this.#items[this.#head++] = undefined
    if (this.#head > 1024 && this.#head * 2 > this.#items.length) {
      this.#items = this.#items.slice(this.#head)
      this.#head = 0
    }
    return item
  }

  /** The first items, at most so many, which stay where they are. */
  peek(count: number): readonly T[] {
    return this.#items.slice(this.#head, this.#head + count) as T[]
  }

  clear(): void {
    this.#items = []
    this.#head = 0
  }

  /** The items from the first one on that `reached` accepts; `reached` must stay true once it is. */
  *from(reached: (item: T) => boolean): Generator<T, void, undefined> {
    let low = this.#head
    let high = this.#items.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if (reached(this.#items[middle]!)) high = middle
      else low = middle + 1
    }
    for (let at = low; at < this.#items.length; at++) yield this.#items[at]!
  }
}
