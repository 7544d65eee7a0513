import type { Chance } from '../../ports/index.ts'

/** A job that somebody starts. */
export interface JobScene {
  /** Milliseconds from the beginning. */
  readonly at: number
  readonly version: 1 | 2
  readonly project: string
  /** V2: the template. V1: the worker model, or none: then the binaries decide. */
  readonly model: string
  readonly flavor: string
  /** Whether web sockets bring the news, or only who asks hears of it. */
  readonly announced: boolean
  /** Milliseconds after which somebody stops it; undefined: nobody does. */
  readonly stoppedAfter: number | undefined
}

/** A model that does not exist: jobs that ask for it wait, and must be told why. */
export const missingModel = 'atlantis'

/** Whether a job has everything that it asks for, so that it must come to its end. */
export function canRun({ model }: Pick<JobScene, 'model'>): boolean {
  return !model.includes(missingModel)
}

/** A storm that lasts longer has more of everything. */
const usualLength = 4 * 60_000

/** Jobs of both sorts, some at once, others alone. */
export function drawJobs(chance: Chance, length: number, isCalm: boolean): readonly JobScene[] {
  const jobs: JobScene[] = []
  const waves = Math.round(chance.integer(1, 4) * Math.max(1, length / usualLength))
  const projects = ['BIRDS', 'EGGS', 'NESTS']
  for (let wave = 0; wave < waves; wave++) {
    const at = chance.integer(0, Math.floor(length * 0.85))
    for (let count = chance.pick([1, 1, 2, 3]); count > 0; count--) {
      const version = chance.fraction() < 0.35 ? 1 : 2
      jobs.push({
        at: at + chance.integer(0, 2_000),
        version,
        project: chance.pick(projects),
        model: drawModel(chance, version),
        flavor: drawFlavor(chance, version, isCalm),
        announced: chance.fraction() < 0.9,
        stoppedAfter: chance.fraction() < 0.05 ? chance.integer(1_000, 300_000) : undefined,
      })
    }
  }
  return jobs.toSorted((one, other) => one.at - other.at)
}

function drawModel(chance: Chance, version: 1 | 2): string {
  if (chance.fraction() < 0.03) return missingModel
  return version === 1 ? chance.pick(['shared.infra/debian', 'shared.infra/debian', '']) : chance.pick(['debian12', 'debian12', 'ubuntu22'])
}

function drawFlavor(chance: Chance, version: 1 | 2, isCalm: boolean): string {
  if (!isCalm && chance.fraction() < 0.03) return 'gigantic'
  return version === 1 ? chance.pick(['', '', '', 'small']) : chance.pick(['', '', 'small', 'medium', 'large'])
}
