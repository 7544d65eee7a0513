import type { Clock, Log, Timer } from '../ports/index.ts'

/** What is done again and again, and how often. */
export interface RoundsOptions {
  /** As CDS's status shows it: `hatchery-vsphere-provisioning`. */
  readonly name: string
  /** Milliseconds between the end of one round and the beginning of the next if nobody asks for one sooner. */
  readonly every: number
  /** Whether the first round begins at once, or only after that time. */
  readonly atOnce: boolean
  readonly clock: Clock
  readonly log: Log
  readonly round: (signal: AbortSignal) => Promise<void>
}

/** Milliseconds until the next round after one that failed, however many ask for it. */
const pauseAfterFailure = 1_000

/**
 * Rounds of some work, one at a time. Any number of requests while one is going on or none is due makes one more round. A round that
 * throws is told in the log, and the next one comes all the same.
 */
export class Rounds {
  readonly #options: RoundsOptions
  readonly #stop = new AbortController()
  #running: Promise<void> | undefined
  #requested = false
  #wake = () => {}
  #problem: unknown
  #alarm: { readonly at: number; readonly timer: Timer } | undefined

  constructor(options: RoundsOptions) {
    this.#options = options
  }

  get name(): string {
    return this.#options.name
  }

  /** Whether it runs and the last round did not throw. */
  get isHealthy(): boolean {
    return this.#running !== undefined && !this.#stop.signal.aborted && this.#problem === undefined
  }

  /** Begins; a second call does nothing. */
  start(): void {
    this.#running ??= this.#run()
  }

  /** A round is to come soon. */
  request(): void {
    this.#requested = true
    this.#wake()
  }

  /** A round is to come at that time, milliseconds since 1970, besides all others. Of several times the earliest counts. */
  requestAt(time: number): void {
    const { clock } = this.#options
    if (this.#alarm !== undefined && this.#alarm.at <= time) return
    this.#alarm?.timer.cancel()
    const ring = () => {
      this.#alarm = undefined
      this.request()
    }
    this.#alarm = { at: time, timer: clock.after(time - clock.now(), ring) }
  }

  /** Ends the round that is going on, and waits for it. */
  async stop(): Promise<void> {
    this.#stop.abort()
    this.#alarm?.timer.cancel()
    this.#wake()
    await this.#running
  }

  async #run(): Promise<void> {
    const { log, clock, round, name, every, atOnce } = this.#options
    const { signal } = this.#stop
    if (!atOnce) await this.#pause(every)
    while (!signal.aborted) {
      this.#requested = false
      try {
        await round(signal)
        this.#problem = undefined
      } catch (error) {
        if (signal.aborted) return
        this.#problem = error
        log.error('a round of work failed; the next one comes all the same', { loop: name, error })
        await clock.sleep(pauseAfterFailure, signal).catch(() => {})
      }
      await this.#pause(every)
    }
  }

  /** Until the next round is due or asked for. */
  #pause(milliseconds: number): Promise<void> {
    if (this.#requested || this.#stop.signal.aborted) return Promise.resolve()
    return new Promise(resolve => {
      const timer = this.#options.clock.after(milliseconds, resolve)
      this.#wake = () => {
        timer.cancel()
        resolve()
      }
    })
  }
}
