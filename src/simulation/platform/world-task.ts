import type { PlatformTask } from '../../platform/index.ts'
import type { Clock, Timer } from '../../ports/index.ts'

/** What a task is to do, and for whom. */
export interface TaskRequest<T> {
  readonly operation: string
  /** The VM's id, or the name of one that is being made. */
  readonly target: string
  /** By which the caller finds it again if the reply is lost. */
  readonly key: string
  readonly milliseconds: number
  /** What becomes true when the time is over; it may still fail. */
  readonly effect: () => T
}

/** Something under way in a simulated world. It goes on whatever becomes of the client that began it. */
export class WorldTask<T = unknown> {
  readonly id: string
  readonly key: string
  readonly operation: string
  readonly target: string
  readonly since: number
  /** Resolves when it is over, whatever the outcome. */
  readonly ended: Promise<void>
  readonly #timer: Timer
  readonly #clock: Clock
  readonly #until: number
  #end: () => void = () => {}
  #outcome: { readonly result: T } | { readonly error: unknown } | undefined

  constructor(id: string, clock: Clock, request: TaskRequest<T>) {
    this.id = id
    this.key = request.key
    this.operation = request.operation
    this.target = request.target
    this.since = clock.now()
    this.#clock = clock
    this.#until = this.since + request.milliseconds
    this.ended = new Promise(resolve => {
      this.#end = resolve
    })
    this.#timer = clock.after(request.milliseconds, () => {
      try {
        this.#finish({ result: request.effect() })
      } catch (error) {
        this.#finish({ error })
      }
    })
  }

  get running(): boolean {
    return this.#outcome === undefined
  }

  /** What it gave, or throws what it failed with. */
  result(): T {
    if (this.#outcome === undefined) throw new Error(`task ${this.id} is still running`)
    if ('error' in this.#outcome) throw this.#outcome.error
    return this.#outcome.result
  }

  /** Ends it without its effect; does nothing if it is over. */
  cancel(error: unknown): void {
    if (!this.running) return
    this.#timer.cancel()
    this.#finish({ error })
  }

  /** How it looks from outside. */
  view(): PlatformTask {
    const outcome = this.#outcome
    const failed = outcome !== undefined && 'error' in outcome
    return Object.freeze({
      id: this.id,
      operation: this.operation,
      target: this.target,
      state: outcome === undefined ? 'running' : failed ? 'error' : 'success',
      progress: outcome === undefined ? this.#progress() : undefined,
      since: this.since,
      problem: failed ? (outcome.error as Error).message : undefined,
    })
  }

  #progress(): number {
    const whole = this.#until - this.since
    return whole <= 0 ? 0 : Math.min(99, Math.floor((100 * (this.#clock.now() - this.since)) / whole))
  }

  #finish(outcome: { readonly result: T } | { readonly error: unknown }): void {
    this.#outcome = outcome
    this.#end()
  }
}
