import { backoff, type Chance, type Clock, DelayHeap, type Delayed, type Timer } from '../../ports/index.ts'
import { Fifo, type Linked } from './fifo.ts'

/**
 * How urgent a key is. High: somebody changed what they want. Normal: something happened. Low: nothing is known to have
 * happened (the first list after a start, a periodic look), so that fresh changes are not stuck behind a restart.
 */
export type Lane = 'high' | 'normal' | 'low'

/** In the order in which they are served. */
export const lanes: readonly Lane[] = ['high', 'normal', 'low']

/** What a work queue needs. */
export interface WorkQueueOptions {
  readonly clock: Clock
  readonly chance: Chance
  /** Called whenever a key can be taken, from inside whatever made it so: it must not throw and had better only take note. */
  readonly onReady?: () => void
  /** Limits of the wait before the first and before any retry, in milliseconds. Default 500 and 300,000 (five minutes). */
  readonly retry?: { readonly base: number; readonly cap: number }
  /** A lane that was passed over so many times in favour of more urgent ones is served next. Default 16. */
  readonly patience?: number
}

/** A key that a worker now holds. */
export interface Taken {
  readonly key: string
  /** Milliseconds that it was ready and nobody took it. */
  readonly waited: number
}

interface Entry extends Delayed, Linked<Entry> {
  readonly key: string
  /** Index into `lanes`. */
  lane: number
  state: 'waiting' | 'ready' | 'taken'
  readySince: number
  /** What was asked for while a worker held the key. */
  wanted: { lane: number; due: number } | undefined
}

/**
 * Keys of objects that somebody has to look at. A key is in here once, however often it is added: the most urgent lane and the
 * earliest time win. A key that a worker holds is handed to no other; if it is added meanwhile, it comes back after `done`.
 * So one pass answers everything that happened before it began, and asks itself when it wants to be called again.
 */
export class WorkQueue {
  readonly #clock: Clock
  readonly #chance: Chance
  readonly #onReady: () => void
  readonly #retry: { readonly base: number; readonly cap: number }
  readonly #patience: number
  readonly #entries = new Map<string, Entry>()
  readonly #lines: readonly Fifo<Entry>[] = lanes.map(() => new Fifo<Entry>())
  readonly #passedOver: number[] = lanes.map(() => 0)
  readonly #delays = new DelayHeap<Entry>()
  readonly #failures = new Map<string, number>()
  #order = 0
  #taken = 0
  #timer: { readonly due: number; readonly timer: Timer } | undefined
  #stopped = false

  constructor(options: WorkQueueOptions) {
    this.#clock = options.clock
    this.#chance = options.chance
    this.#onReady = options.onReady ?? (() => {})
    this.#retry = options.retry ?? { base: 500, cap: 300_000 }
    this.#patience = options.patience ?? 16
  }

  /** Keys that could be taken now, in one lane or in all. */
  depth(lane?: Lane): number {
    if (lane !== undefined) return this.#lines[lanes.indexOf(lane)]?.size ?? 0
    return this.#lines.reduce((sum, line) => sum + line.size, 0)
  }

  /** Keys whose time has not come. */
  get waiting(): number {
    return this.#delays.size
  }

  /** Keys that workers hold. */
  get taken(): number {
    return this.#taken
  }

  /** Asks for a look at a key, now or `after` so many milliseconds. Does nothing once the queue is stopped. */
  add(key: string, { lane = 'normal', after = 0 }: { readonly lane?: Lane; readonly after?: number } = {}): void {
    if (this.#stopped) return
    const wanted = { lane: lanes.indexOf(lane), due: after > 0 ? this.#clock.monotonic() + after : Number.NEGATIVE_INFINITY }
    const entry = this.#entries.get(key)
    if (entry === undefined) this.#admit(newEntry(key, wanted.lane), wanted)
    else if (entry.state === 'taken') entry.wanted = merge(entry.wanted, wanted)
    else this.#hasten(entry, wanted)
  }

  /** Hands out the next key, which is then the caller's alone until `done`. Undefined if none is ready. */
  take(): Taken | undefined {
    const line = this.#nextLine()
    const entry = line?.shift()
    if (entry === undefined) return undefined
    entry.state = 'taken'
    this.#taken++
    return { key: entry.key, waited: this.#clock.monotonic() - entry.readySince }
  }

  /** Gives a key back. It becomes ready again if it was added while it was held. */
  done(key: string): void {
    const entry = this.#entries.get(key)
    if (entry?.state !== 'taken') return
    this.#taken--
    const { wanted } = entry
    if (wanted === undefined || this.#stopped) {
      this.#entries.delete(key)
      return
    }
    entry.wanted = undefined
    entry.lane = wanted.lane
    this.#admit(entry, wanted)
  }

  /** Counts a failure of the key and says how many milliseconds to leave it alone: longer each time, with full jitter. */
  failed(key: string): number {
    const failures = this.failures(key) + 1
    this.#failures.set(key, failures)
    return backoff({ ...this.#retry, chance: this.#chance }, failures)
  }

  /** Forgets the failures of a key: it went well, or it is gone. */
  forget(key: string): void {
    this.#failures.delete(key)
  }

  /** How often the key failed since it was last forgotten. */
  failures(key: string): number {
    return this.#failures.get(key) ?? 0
  }

  /** Hands out nothing more and takes nothing more in. Keys that are held may still be given back. */
  stop(): void {
    this.#stopped = true
    this.#timer?.timer.cancel()
    this.#timer = undefined
    this.#delays.clear()
    for (const line of this.#lines) while (line.shift() !== undefined);
    for (const [key, entry] of this.#entries) if (entry.state !== 'taken') this.#entries.delete(key)
    this.#failures.clear()
  }

  #admit(entry: Entry, wanted: { readonly lane: number; readonly due: number }): void {
    this.#entries.set(entry.key, entry)
    if (wanted.due > this.#clock.monotonic()) this.#delay(entry, wanted.due)
    else this.#makeReady(entry)
  }

  #hasten(entry: Entry, wanted: { readonly lane: number; readonly due: number }): void {
    const lane = Math.min(entry.lane, wanted.lane)
    if (entry.state === 'ready') {
      if (lane === entry.lane) return
      this.#lines[entry.lane]?.remove(entry)
      entry.lane = lane
      this.#lines[lane]?.push(entry)
      return
    }
    entry.lane = lane
    if (wanted.due >= entry.due) return
    this.#delays.remove(entry)
    this.#admit(entry, wanted)
  }

  #delay(entry: Entry, due: number): void {
    entry.state = 'waiting'
    entry.due = due
    entry.order = this.#order++
    this.#delays.add(entry)
    this.#setTimer()
  }

  #makeReady(entry: Entry): void {
    entry.state = 'ready'
    entry.readySince = this.#clock.monotonic()
    this.#lines[entry.lane]?.push(entry)
    this.#onReady()
  }

  /** One timer for all delays: for the earliest. */
  #setTimer(): void {
    const due = this.#delays.first()?.due
    if (due === undefined || (this.#timer !== undefined && this.#timer.due <= due)) return
    this.#timer?.timer.cancel()
    this.#timer = { due, timer: this.#clock.after(due - this.#clock.monotonic(), () => this.#releaseDue()) }
  }

  #releaseDue(): void {
    this.#timer = undefined
    const now = this.#clock.monotonic()
    for (let entry = this.#delays.first(); entry !== undefined && entry.due <= now; entry = this.#delays.first()) {
      this.#delays.remove(entry)
      this.#makeReady(entry)
    }
    this.#setTimer()
  }

  /** The most urgent line, unless a less urgent one was passed over too often. */
  #nextLine(): Fifo<Entry> | undefined {
    let chosen = -1
    for (const [lane, line] of this.#lines.entries()) {
      if (line.size === 0) this.#passedOver[lane] = 0
      else if (chosen < 0 || (this.#passedOver[lane] ?? 0) >= this.#patience) chosen = lane
    }
    if (chosen < 0) return undefined
    for (const [lane, line] of this.#lines.entries()) {
      this.#passedOver[lane] = lane === chosen || line.size === 0 ? 0 : (this.#passedOver[lane] ?? 0) + 1
    }
    return this.#lines[chosen]
  }
}

function newEntry(key: string, lane: number): Entry {
  return {
    key,
    lane,
    state: 'ready',
    readySince: 0,
    wanted: undefined,
    due: 0,
    order: 0,
    place: 0,
    before: undefined,
    behind: undefined,
  }
}

function merge(a: Entry['wanted'], b: { readonly lane: number; readonly due: number }): NonNullable<Entry['wanted']> {
  return a === undefined ? { ...b } : { lane: Math.min(a.lane, b.lane), due: Math.min(a.due, b.due) }
}
