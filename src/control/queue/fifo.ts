/** What an item must carry to stand in a `Fifo`: its neighbours, so that it can leave from the middle without a search. */
export interface Linked<T> {
  before: T | undefined
  behind: T | undefined
}

/** A line of items, first come, first served. An item may leave from anywhere; it stands in one line at a time. */
export class Fifo<T extends Linked<T>> {
  #first: T | undefined
  #last: T | undefined
  #size = 0

  get size(): number {
    return this.#size
  }

  push(item: T): void {
    item.before = this.#last
    item.behind = undefined
    if (this.#last === undefined) this.#first = item
    else this.#last.behind = item
    this.#last = item
    this.#size++
  }

  shift(): T | undefined {
    const item = this.#first
    if (item !== undefined) this.remove(item)
    return item
  }

  remove(item: T): void {
    if (item.before === undefined) this.#first = item.behind
    else item.before.behind = item.behind
    if (item.behind === undefined) this.#last = item.before
    else item.behind.before = item.before
    item.before = undefined
    item.behind = undefined
    this.#size--
  }
}
