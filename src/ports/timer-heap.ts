import type { Timer } from './clock.ts'
import { DelayHeap, type Delayed } from './delay-heap.ts'

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
