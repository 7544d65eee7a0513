import { backoff, type Chance, type Clock } from '../../ports/index.ts'
import { mayBeOfModel } from '../spawn/fault.ts'

/** How long a pool rests after failures: at least this, and up to twice as long after each further one, but never longer than the cap. */
const least = 5_000
const base = 20_000
const cap = 10 * 60_000

/** What went wrong with a pool, and until when it rests. */
export interface Setback {
  readonly failures: number
  /** Milliseconds since 1970. */
  readonly until: number
  readonly error: unknown
  /** Whether any of the failures may be the template's fault. */
  readonly isOfTemplate: boolean
}

/**
 * Failures by pool, so that a sick template is tried less and less often and never keeps others from being made. What the platform or
 * the store fails to do is paused for as well, but makes no pool sick.
 */
export class Setbacks {
  readonly #clock: Clock
  readonly #chance: Chance
  readonly #setbacks = new Map<string, Setback>()

  constructor(clock: Clock, chance: Chance) {
    this.#clock = clock
    this.#chance = chance
  }

  /** Something failed. Tells until when the pool rests. */
  failed(pool: string, error: unknown): number {
    const before = this.#setbacks.get(pool)
    const failures = (before?.failures ?? 0) + 1
    const until = this.#clock.now() + least + backoff({ base, cap, chance: this.#chance }, failures)
    this.#setbacks.set(pool, { failures, until, error, isOfTemplate: before?.isOfTemplate === true || mayBeOfModel(error) })
    return until
  }

  succeeded(pool: string): void {
    this.#setbacks.delete(pool)
  }

  /**
   * Whether a pool has failed and not succeeded since, perhaps for its template, so that it is tried beside the others and never before
   * them. Not for ever: if nobody got round to trying it for long, it is its turn like anybody's.
   */
  isSick(pool: string): boolean {
    const setback = this.#setbacks.get(pool)
    return setback !== undefined && setback.isOfTemplate && setback.until + cap > this.#clock.now()
  }

  /** Why a pool rests; undefined if it does not. */
  of(pool: string): Setback | undefined {
    const setback = this.#setbacks.get(pool)
    return setback !== undefined && setback.until > this.#clock.now() ? setback : undefined
  }
}
