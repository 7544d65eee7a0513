import type { Timer } from './clock.ts'

/** A timer of the virtual clock: when it is due, and the order in which it was asked for. */
export interface HeapTimer extends Timer {
  readonly due: number
  readonly sequence: number
  readonly callback: () => void
}

/** Where an entry stands; -1 once it has left. Known to the entry, so that calling it off needs no search. */
interface Entry extends HeapTimer {
  index: number
}

/** Pending timers, the next one first: a binary heap by due time, then by sequence. What is called off leaves at once. */
export class TimerHeap {
  readonly #entries: Entry[] = []
  #sequence = 0

  get size(): number {
    return this.#entries.length
  }

  /** Larger than the sequence of every timer so far. */
  get nextSequence(): number {
    return this.#sequence
  }

  /** The next timer, left where it is. */
  first(): HeapTimer | undefined {
    return this.#entries[0]
  }

  add(due: number, callback: () => void): HeapTimer {
    const entry: Entry = {
      due,
      sequence: this.#sequence++,
      callback,
      index: this.#entries.length,
      cancel: () => this.#remove(entry),
    }
    this.#entries.push(entry)
    this.#rise(entry)
    return entry
  }

  /** Takes out the next timer. */
  take(): HeapTimer | undefined {
    const entry = this.#entries[0]
    if (entry !== undefined) this.#remove(entry)
    return entry
  }

  #remove(entry: Entry): void {
    const hole = entry.index
    if (hole < 0) return
    entry.index = -1
    const last = this.#entries.pop() as Entry
    if (last === entry) return
    this.#place(last, hole)
    this.#rise(last)
    this.#sink(last)
  }

  #rise(entry: Entry): void {
    while (entry.index > 0) {
      const parent = this.#entries[(entry.index - 1) >> 1] as Entry
      if (!isBefore(entry, parent)) return
      this.#swap(entry, parent)
    }
  }

  #sink(entry: Entry): void {
    for (;;) {
      const left = this.#entries[2 * entry.index + 1]
      if (left === undefined) return
      const right = this.#entries[2 * entry.index + 2]
      const child = right !== undefined && isBefore(right, left) ? right : left
      if (!isBefore(child, entry)) return
      this.#swap(child, entry)
    }
  }

  #swap(up: Entry, down: Entry): void {
    const upper = down.index
    this.#place(down, up.index)
    this.#place(up, upper)
  }

  #place(entry: Entry, index: number): void {
    entry.index = index
    this.#entries[index] = entry
  }
}

function isBefore(a: HeapTimer, b: HeapTimer): boolean {
  return a.due < b.due || (a.due === b.due && a.sequence < b.sequence)
}
