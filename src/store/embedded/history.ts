import type { Change } from './change.ts'
import { Fifo } from './fifo.ts'

/** How far back watches and snapshots reach. */
export interface HistoryWindow {
  /** So many revisions are kept however old they are, */
  readonly fewest: number
  /** and younger ones than this in milliseconds, */
  readonly age: number
  /** but never more than this, */
  readonly most: number
  /** nor more than this much text. */
  readonly bytes: number
}

/** Ten thousand revisions or ten minutes, within 100,000 revisions and 128 MiB. */
export const defaultWindow: HistoryWindow = { fewest: 10_000, age: 600_000, most: 100_000, bytes: 128 * 1024 * 1024 }

/** The changes of all kinds that watches and snapshots can still go back to, oldest first. */
export class History {
  readonly #window: HistoryWindow
  readonly #changes = new Fifo<Change>()
  #bytes = 0

  constructor(window: HistoryWindow) {
    this.#window = window
  }

  get length(): number {
    return this.#changes.length
  }

  get bytes(): number {
    return this.#bytes
  }

  push(change: Change): void {
    this.#changes.push(change)
    this.#bytes += sizeOf(change)
  }

  /** Drops and returns what has left the window, here and in the collections. */
  trim(now: number): readonly Change[] {
    return this.#drop(change => {
      const { length } = this.#changes
      if (this.#bytes > this.#window.bytes || length > this.#window.most) return true
      return length > this.#window.fewest && now - change.at > this.#window.age
    })
  }

  #drop(outside: (oldest: Change) => boolean): readonly Change[] {
    const dropped: Change[] = []
    for (let oldest = this.#changes.first(); oldest !== undefined && outside(oldest); oldest = this.#changes.first()) {
      this.#changes.shift()
      oldest.collection.changes.shift()
      this.#bytes -= sizeOf(oldest)
      dropped.push(oldest)
    }
    return dropped
  }
}

/** What a change keeps in memory: the text before it, which nobody else may need any more. */
function sizeOf(change: Change): number {
  return change.previous?.size ?? 0
}
