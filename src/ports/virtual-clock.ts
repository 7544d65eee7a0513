import type { Clock, Deadline, Timer } from './clock.ts'
import { type HeapTimer, TimerHeap } from './delay-heap.ts'
import { deadlineBy, sleepBy } from './abort.ts'

/** The moment at which a virtual clock starts unless told otherwise: 2026-01-01T00:00:00Z. */
const defaultStart = 1_767_225_600_000

/** More than any honest program needs; a chain of 0 ms timers without end would otherwise hang the test without a word. */
const mostRoundsInOneInstant = 100_000

/** Taken when the module loads, so that no fake timer of a test gets between the clock and the event loop. */
const turnOfTheLoop = setImmediate
const { nextTick } = process
const resolved = Promise.resolve()

/** Calls back when no promise continuation is waiting any more. Much cheaper than a turn of the event loop, which asks the kernel. */
function afterPromises(callback: () => void): void {
  void resolved.then(() => nextTick(callback))
}

/** After so many callbacks in a row the event loop has a turn, so that a chain without end can be interrupted. */
const mostWithoutTurn = 1_000

/**
 * Time that stands still until `advance` moves it. Timers run in the order of due time, then of request; before time moves on,
 * everything that they set going has come to rest. So a run depends on its inputs alone, and an hour costs what happens in it.
 *
 * What `soon` asks for needs no passing of time and therefore runs by itself; a timer, even one of 0 ms, waits for `advance`.
 * Work that leaves the process (sockets, the disk) does not come to rest in this sense and has no place under a virtual clock.
 */
export class VirtualClock implements Clock {
  readonly #start: number
  readonly #timers = new TimerHeap()
  #now: number
  readonly #soon: (() => void)[] = []
  #sinceTurn = 0
  #moving = false

  constructor(options: { readonly start?: number } = {}) {
    this.#start = options.start ?? defaultStart
    this.#now = this.#start
  }

  now(): number {
    return this.#now
  }

  monotonic(): number {
    return this.#now - this.#start
  }

  after(milliseconds: number, callback: () => void): Timer {
    return this.#timers.add(this.#now + Math.max(0, milliseconds), callback)
  }

  soon(callback: () => void): void {
    if (this.#soon.push(callback) === 1) this.#scheduleSoon()
  }

  sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
    return sleepBy((ms, callback) => this.after(ms, callback), milliseconds, signal)
  }

  deadline(milliseconds: number, parent?: AbortSignal): Deadline {
    return deadlineBy((ms, callback) => this.after(ms, callback), milliseconds, parent)
  }

  /**
   * Moves time by `milliseconds` and runs what falls due on the way. Rejects with what a timer's callback throws; time then
   * stands where that happened.
   */
  async advance(milliseconds: number): Promise<void> {
    const end = this.#now + milliseconds
    await this.#move(end)
    this.#now = end
  }

  /** Moves time from timer to timer until none is left, at most by `limitMs`. Resolves to whether none is left. */
  async runUntilIdle(limitMs: number): Promise<boolean> {
    const end = this.#now + limitMs
    await this.#move(end)
    if (this.#timers.size === 0) return true
    this.#now = end
    return false
  }

  /** Runs everything due up to `end`; time stays at the last timer that ran. */
  async #move(end: number): Promise<void> {
    if (this.#moving) throw new Error('this virtual clock is already being advanced; await one advance before the next')
    this.#moving = true
    try {
      await this.#rest()
      let rounds = 0
      for (let next = this.#timers.first(); next !== undefined && next.due <= end; next = this.#timers.first()) {
        rounds = next.due > this.#now ? 0 : rounds + 1
        if (rounds > mostRoundsInOneInstant) throw new Error(`time does not move on: timers of 0 ms follow each other without end`)
        this.#now = next.due
        this.#runDue()
        await this.#rest()
      }
    } finally {
      this.#moving = false
    }
  }

  /** Runs the timers that are due now. What they add in turn, even for now, waits until everything has come to rest. */
  #runDue(): void {
    const bound = this.#timers.nextOrder
    for (let next = this.#timers.first(); next !== undefined && isDue(next, this.#now, bound); next = this.#timers.first()) {
      this.#timers.take()
      next.callback()
    }
  }

  #scheduleSoon(): void {
    this.#sinceTurn = (this.#sinceTurn + 1) % mostWithoutTurn
    if (this.#sinceTurn === 0) turnOfTheLoop(this.#runSoon)
    else afterPromises(this.#runSoon)
  }

  /** Runs one `soon` callback. What it sets going comes to rest before the next. */
  readonly #runSoon = (): void => {
    const callback = this.#soon.shift()!
    if (this.#soon.length > 0) this.#scheduleSoon()
    callback()
  }

  /** Resolves when no promise continuation and no `soon` callback is waiting any more. */
  async #rest(): Promise<void> {
    do await new Promise<void>(resolve => turnOfTheLoop(resolve))
    while (this.#soon.length > 0)
  }
}

function isDue(timer: HeapTimer, now: number, bound: number): boolean {
  return timer.due <= now && timer.order < bound
}
