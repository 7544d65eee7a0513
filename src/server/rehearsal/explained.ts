import type { Program } from './program.ts'
import type { Stage } from './stage.ts'
import type { Watch } from './watch.ts'

/** How often it is looked. */
export const lookEvery = 30_000

/** At so many looks one after another a hatchery must have been well before something is expected of it. */
const looks = 4

/** Sees to it that whatever waits says why. */
export class Explained {
  readonly #stage: Stage
  readonly #watch: Watch
  /** At how many looks each program has been well, and each job has waited, without a break. */
  readonly #well = new Map<string, number>()
  readonly #waiting = new Map<string, number>()

  constructor(stage: Stage, watch: Watch) {
    this.#stage = stage
    this.#watch = watch
    // It may be given back before the next look.
    stage.cds.listen(({ what, job = '' }) => {
      if (what === 'job taken') this.#waiting.delete(job)
    })
  }

  /** A hatchery that has been well for a while must know every job that has waited for as long, with the reason. */
  look(programs: readonly Program[]): void {
    const held = new Set(this.#stage.cds.heldJobs())
    for (const { id, status } of this.#stage.jobs) this.#count(this.#waiting, id, status() === 'Waiting' && !held.has(id))
    // CDS is asked every 20 seconds, and at least two jobs of each answer are taken up.
    const patience = looks + Math.ceil(Array.from(this.#waiting.values()).filter(count => count > 0).length / 2)
    for (const { name, hatchery } of programs) {
      const isWell =
        !this.#stage.isCdsAway && hatchery !== undefined && hatchery.health.size > 0 && Array.from(hatchery.health.values()).every(Boolean)
      if (this.#count(this.#well, name, isWell) < patience || hatchery === undefined) continue
      for (const [id, count] of this.#waiting) {
        if (count < patience) continue
        const row = hatchery.why(id)
        if (row === undefined) this.#watch.wrong(`${name} does not know that job ${id} waits`)
        else if (row.message === '' || (row.phase === 'Waiting' && row.reason === ''))
          this.#watch.wrong(`${name} does not say why job ${id} waits`)
      }
    }
  }

  #count(counts: Map<string, number>, name: string, isSo: boolean): number {
    const count = isSo ? (counts.get(name) ?? 0) + 1 : 0
    counts.set(name, count)
    return count
  }
}
