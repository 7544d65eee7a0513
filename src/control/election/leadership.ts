import type { Clock, Timer } from '../../ports/index.ts'
import { NotLeader } from '../errors.ts'

/** The right of this process to act, for as long as it lasts. Once lost it never comes back: a new one has a new term. */
export class Leadership {
  /** Larger than the term of every leadership before, of whatever process; at least 1. */
  readonly term: number
  readonly #clock: Clock
  readonly #lease: string
  readonly #abort = new AbortController()
  #until = 0
  #wallUntil = 0
  #timer: Timer | undefined
  #whyLost: string | undefined

  constructor(clock: Clock, lease: string, term: number) {
    this.#clock = clock
    this.#lease = lease
    this.term = term
  }

  /** Aborted when the leadership is lost, well before another process can have it. */
  get signal(): AbortSignal {
    return this.#abort.signal
  }

  get whyLost(): string | undefined {
    return this.#whyLost
  }

  /**
   * Says the term if this process may act now; throws `NotLeader` if not. It asks the clock, not the timer: a process that was
   * stopped and goes on must not do first what it was about to do before.
   */
  fence(): number {
    if (!this.isCurrent()) throw NotLeader({ lease: this.#lease, why: this.#whyLost ?? 'it was lost' })
    return this.term
  }

  /** Whether this process may act now. */
  isCurrent(): boolean {
    // Both clocks, whichever is further: the monotonic one stands still while a machine sleeps, the other one may jump.
    if (this.#whyLost === undefined && (this.#clock.monotonic() >= this.#until || this.#clock.now() >= this.#wallUntil)) {
      this.lose('it was not renewed in time')
    }
    return this.#whyLost === undefined
  }

  /** Prolongs it to `milliseconds` after a request that began at those times. */
  extend(began: { readonly monotonic: number; readonly wall: number }, milliseconds: number): void {
    if (this.#whyLost !== undefined) return
    this.#until = began.monotonic + milliseconds
    this.#wallUntil = began.wall + milliseconds
    this.#watchTheClock()
  }

  /** A timer may fire a little early; then it is set again. */
  #watchTheClock(): void {
    this.#timer?.cancel()
    this.#timer = this.#clock.after(Math.max(1, this.#until - this.#clock.monotonic()), () => {
      if (this.isCurrent()) this.#watchTheClock()
    })
  }

  /** Ends it. The first reason counts. */
  lose(why: string): void {
    if (this.#whyLost !== undefined) return
    this.#whyLost = why
    this.#timer?.cancel()
    this.#abort.abort(NotLeader({ lease: this.#lease, why }))
  }
}
