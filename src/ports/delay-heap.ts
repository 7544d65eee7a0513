import type { Timer } from './clock.ts'

/** What an item must carry to stand in a `DelayHeap`. */
export interface Delayed {
  /** When it is due, on the monotonic clock. Changed only while the item is outside the heap. */
  due: number
  /** Among items due at one moment the one with the smaller number leaves first. */
  order: number
  /** Where the heap keeps it. Belongs to the heap. */
  place: number
}

/** Items by due time, the next one first. An item leaves from anywhere in logarithmic time, so that nothing stale stays behind. */
export class DelayHeap<T extends Delayed> {
  readonly #items: T[] = []

  get size(): number {
    return this.#items.length
  }

  first(): T | undefined {
    return this.#items[0]
  }

  add(item: T): void {
    this.#items.push(item)
    this.#rise(item, this.#items.length - 1)
  }

  remove(item: T): void {
    const last = this.#items.pop()
    if (last === undefined || last === item) return
    const place = item.place
    const parent = this.#items[(place - 1) >> 1]
    if (place > 0 && parent !== undefined && isBefore(last, parent)) this.#rise(last, place)
    else this.#sink(last, place)
  }

  clear(): void {
    this.#items.length = 0
  }

  #rise(item: T, from: number): void {
    let place = from
    while (place > 0) {
      const above = (place - 1) >> 1
      const parent = this.#items[above]
      if (parent === undefined || !isBefore(item, parent)) break
      this.#put(parent, place)
      place = above
    }
    this.#put(item, place)
  }

  #sink(item: T, from: number): void {
    let place = from
    for (;;) {
      let below = 2 * place + 1
      let child = this.#items[below]
      const other = this.#items[below + 1]
      if (child !== undefined && other !== undefined && isBefore(other, child)) {
        child = other
        below++
      }
      if (child === undefined || !isBefore(child, item)) break
      this.#put(child, place)
      place = below
    }
    this.#put(item, place)
  }

  #put(item: T, place: number): void {
    item.place = place
    this.#items[place] = item
  }
}

function isBefore(a: Delayed, b: Delayed): boolean {
  return a.due < b.due || (a.due === b.due && a.order < b.order)
}

/** A timer of the virtual clock: when it is due, and the order in which it was asked for. */
export interface HeapTimer extends Timer {
  readonly due: number
  readonly order: number
  readonly callback: () => void
}

interface Entry extends Delayed, Timer {
  readonly callback: () => void
  isPending: boolean
}

/** Pending timers, the next one first. What is called off leaves at once. */
export class TimerHeap {
  readonly #heap = new DelayHeap<Entry>()
  #order = 0

  get size(): number {
    return this.#heap.size
  }

  /** Larger than the order of every timer so far. */
  get nextOrder(): number {
    return this.#order
  }

  /** The next timer, left where it is. */
  first(): HeapTimer | undefined {
    return this.#heap.first()
  }

  add(due: number, callback: () => void): HeapTimer {
    const entry: Entry = { due, order: this.#order++, place: -1, callback, isPending: true, cancel: () => this.#remove(entry) }
    this.#heap.add(entry)
    return entry
  }

  /** Takes out the next timer. */
  take(): HeapTimer | undefined {
    const entry = this.#heap.first()
    if (entry !== undefined) this.#remove(entry)
    return entry
  }

  #remove(entry: Entry): void {
    if (!entry.isPending) return
    entry.isPending = false
    this.#heap.remove(entry)
  }
}
