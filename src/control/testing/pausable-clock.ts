import { type Clock, type Deadline, DeadlineExceeded, type Timer } from '../../ports/index.ts'

/**
 * The clock of a process that can be stopped and continued, as by SIGSTOP and SIGCONT: while it is stopped time goes on, but
 * nothing that it asked for is called; when it goes on, everything that is overdue is called at once.
 */
export class PausableClock implements Clock {
  readonly #clock: Clock
  #overdue: (() => void)[] = []
  #resumed: (() => void)[] = []
  #isPaused = false

  constructor(clock: Clock) {
    this.#clock = clock
  }

  get isPaused(): boolean {
    return this.#isPaused
  }

  pause(): void {
    this.#isPaused = true
  }

  resume(): void {
    this.#isPaused = false
    const overdue = this.#overdue
    const resumed = this.#resumed
    this.#overdue = []
    this.#resumed = []
    for (const callback of [...resumed, ...overdue]) callback()
  }

  /** Resolves when the process is running: for requests, which a stopped process neither sends nor hears the answer of. */
  async running(): Promise<void> {
    while (this.#isPaused) await new Promise<void>(resolve => this.#resumed.push(resolve))
  }

  now(): number {
    return this.#clock.now()
  }

  monotonic(): number {
    return this.#clock.monotonic()
  }

  after(milliseconds: number, callback: () => void): Timer {
    let isCancelled = false
    const call = () => {
      if (isCancelled) return
      if (this.#isPaused) this.#overdue.push(call)
      else callback()
    }
    const timer = this.#clock.after(milliseconds, call)
    return {
      cancel: () => {
        isCancelled = true
        timer.cancel()
      },
    }
  }

  soon(callback: () => void): void {
    this.#clock.soon(() => (this.#isPaused ? void this.#overdue.push(callback) : callback()))
  }

  sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason as Error)
      const timer = this.after(milliseconds, resolve)
      signal?.addEventListener(
        'abort',
        () => {
          timer.cancel()
          reject(signal.reason as Error)
        },
        { once: true },
      )
    })
  }

  deadline(milliseconds: number, parent?: AbortSignal): Deadline {
    const controller = new AbortController()
    const timer = this.after(milliseconds, () => controller.abort(DeadlineExceeded({ milliseconds })))
    const follow = () => controller.abort(parent?.reason)
    if (parent?.aborted) follow()
    parent?.addEventListener('abort', follow, { once: true })
    return {
      signal: controller.signal,
      [Symbol.dispose]: () => {
        timer.cancel()
        parent?.removeEventListener('abort', follow)
      },
    }
  }
}
