import type { Clock, Timer } from '../../ports/index.ts'
import { DeadlineExceeded } from '../../ports/index.ts'

/** A signal that is aborted when nothing was heard for some time. */
export class Silence implements Disposable {
  readonly #clock: Clock
  readonly #milliseconds: number
  readonly #abort = new AbortController()
  #timer: Timer | undefined

  constructor(milliseconds: number, clock: Clock) {
    this.#milliseconds = milliseconds
    this.#clock = clock
    this.heard()
  }

  get signal(): AbortSignal {
    return this.#abort.signal
  }

  /** Something was heard: the time begins anew. */
  heard(): void {
    this.#timer?.cancel()
    const milliseconds = this.#milliseconds
    this.#timer = this.#clock.after(milliseconds, () => this.#abort.abort(DeadlineExceeded({ milliseconds })))
  }

  /** From now on silence is welcome. */
  [Symbol.dispose](): void {
    this.#timer?.cancel()
  }
}
