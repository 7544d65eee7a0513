import type { Clock } from '../../ports/index.ts'

export interface PaceOptions {
  /** Requests a second in the long run; 0 means any number. */
  readonly perSecond: number
  /** Requests that may go at once after a quiet time. */
  readonly burst: number
  /** Requests under way at one time. */
  readonly concurrent: number
}

/**
 * Keeps one client from flooding an API server: a token bucket for how often, a gate for how many at a time. Who waits is
 * served in the order of arrival.
 */
export class Pace {
  readonly #clock: Clock
  readonly #options: PaceOptions
  /** When the bucket will be full again, on the monotonic clock. */
  #fullAt = 0
  #underWay = 0
  readonly #waiting = new Set<() => void>()

  constructor(options: PaceOptions, clock: Clock) {
    this.#options = options
    this.#clock = clock
  }

  /** Resolves when one more request may start; rejects with the signal's reason. A watch takes only this: it is one request for long. */
  async turn(signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted()
    const { perSecond, burst } = this.#options
    if (perSecond === 0) return
    const now = this.#clock.monotonic()
    const interval = 1000 / perSecond
    this.#fullAt = Math.max(now, this.#fullAt) + interval
    const wait = this.#fullAt - now - burst * interval
    if (wait > 0) await this.#clock.sleep(wait, signal)
  }

  /** Runs `work` when it is its turn and there is room. */
  async run<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    await this.turn(signal)
    await this.#enter(signal)
    try {
      return await work()
    } finally {
      this.#leave()
    }
  }

  async #enter(signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted()
    if (this.#underWay < this.#options.concurrent) {
      this.#underWay++
      return
    }
    await new Promise<void>((resolve, reject) => {
      const stop = () => {
        this.#waiting.delete(enter)
        reject(signal?.reason as Error)
      }
      // The place of the one that leaves is handed over: nobody who comes later can take it in between.
      const enter = () => {
        signal?.removeEventListener('abort', stop)
        resolve()
      }
      signal?.addEventListener('abort', stop, { once: true })
      this.#waiting.add(enter)
    })
  }

  #leave(): void {
    const [next] = this.#waiting
    if (next === undefined) {
      this.#underWay--
      return
    }
    this.#waiting.delete(next)
    next()
  }
}
