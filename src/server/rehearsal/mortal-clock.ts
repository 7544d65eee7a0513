import { type Clock, type Deadline, deadlineBy, sleepBy, type Timer } from '../../ports/index.ts'

/** The time of one run of a program: when the run dies, nothing that it waited for ever comes. */
export class MortalClock implements Clock {
  readonly #clock: Clock
  readonly #timers = new Set<Timer>()
  #isDead = false

  constructor(clock: Clock) {
    this.#clock = clock
  }

  die(): void {
    this.#isDead = true
    for (const timer of this.#timers) timer.cancel()
    this.#timers.clear()
  }

  now(): number {
    return this.#clock.now()
  }

  monotonic(): number {
    return this.#clock.monotonic()
  }

  after(milliseconds: number, callback: () => void): Timer {
    if (this.#isDead) return { cancel: () => {} }
    const timer = this.#clock.after(milliseconds, () => {
      this.#timers.delete(kept)
      callback()
    })
    const kept = {
      cancel: () => {
        this.#timers.delete(kept)
        timer.cancel()
      },
    }
    this.#timers.add(kept)
    return kept
  }

  soon(callback: () => void): void {
    this.#clock.soon(() => {
      if (!this.#isDead) callback()
    })
  }

  sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
    return sleepBy((ms, callback) => this.after(ms, callback), milliseconds, signal)
  }

  deadline(milliseconds: number, parent?: AbortSignal): Deadline {
    return deadlineBy((ms, callback) => this.after(ms, callback), milliseconds, parent)
  }
}
