import type { Chance, Clock } from '../../ports/index.ts'

/** How long attempts at a job are remembered, from the first one on. */
const memory = 3_600_000

/** The pause after the first failure; it doubles with each, and chance takes up to half of it away. */
const firstPause = 5_000
const longestPause = 300_000

/** The attempts at a job. Times are on the wall clock. */
export interface Tries {
  /** When the first was begun. */
  readonly since: number
  readonly count: number
  /** Not before this is another attempt made. */
  readonly pauseUntil: number
}

/** Whether a job may be tried. `until` is on the wall clock. */
export type Standing =
  | { readonly kind: 'go' }
  | { readonly kind: 'pause'; readonly count: number; readonly until: number }
  | { readonly kind: 'enough'; readonly count: number; readonly until: number }

/**
 * How often workers were begun for each job. Only real attempts count: a check that failed, or a job that another took first, is none.
 * After a failure the job rests for a while, so that one fault does not use up all attempts in a second.
 * Kept in memory; whoever keeps the Spawn records writes them there and hands them back with `restore` after a restart.
 */
export class Attempts {
  readonly #max: number | undefined
  readonly #clock: Clock
  readonly #chance: Chance
  /** The oldest first. */
  readonly #tries = new Map<string, Tries>()

  constructor({ max, clock, chance }: { readonly max: number | undefined; readonly clock: Clock; readonly chance: Chance }) {
    this.#max = max
    this.#clock = clock
    this.#chance = chance
  }

  /** A worker is begun for a job that was booked or taken: how many that makes. */
  begin(jobId: string): number {
    const { since, count, pauseUntil } = this.#of(jobId)
    this.#tries.set(jobId, { since, count: count + 1, pauseUntil })
    return count + 1
  }

  /** The attempt that was begun last has failed. */
  failed(jobId: string): void {
    const tries = this.#of(jobId)
    const longest = Math.min(longestPause, firstPause * 2 ** Math.min(Math.max(0, tries.count - 1), 20))
    const pause = Math.round(longest * (1 - this.#chance.fraction() / 2))
    this.#tries.set(jobId, { ...tries, pauseUntil: this.#clock.now() + pause })
  }

  /** These attempts are known from before a restart. */
  restore(jobId: string, { since, count, pauseUntil }: Tries): void {
    const tries = this.#of(jobId)
    this.#tries.set(jobId, {
      since: Math.min(since, tries.since),
      count: Math.max(count, tries.count),
      pauseUntil: Math.max(pauseUntil, tries.pauseUntil),
    })
  }

  /** The job is over. */
  forget(jobId: string): void {
    this.#tries.delete(jobId)
  }

  /** The attempts at a job, to be written down. */
  of(jobId: string): Tries {
    return this.#of(jobId)
  }

  /** Whether the job may be tried now. */
  standing(jobId: string): Standing {
    const { since, count, pauseUntil } = this.#of(jobId)
    if (this.#max !== undefined && count >= this.#max) return { kind: 'enough', count, until: since + memory }
    return pauseUntil > this.#clock.now() ? { kind: 'pause', count, until: pauseUntil } : { kind: 'go' }
  }

  #of(jobId: string): Tries {
    const now = this.#clock.now()
    for (const [id, { since }] of this.#tries) {
      if (since + memory > now) break
      this.#tries.delete(id)
    }
    const known = this.#tries.get(jobId)
    return known !== undefined && known.since + memory > now ? known : { since: now, count: 0, pauseUntil: 0 }
  }
}
