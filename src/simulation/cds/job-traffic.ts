import type { Chance, Clock, Timer } from '../../ports/index.ts'
import type { Span } from '../platform/world-options.ts'
import type { JobV1Request } from './queue-v1.ts'
import type { JobV2Request } from './queue-v2.ts'
import type { SimulatedCds } from './simulated-cds.ts'

/** A sort of job that people start, and how often compared with the others. */
export interface TrafficJob {
  /** Default 1. */
  readonly weight?: number
  readonly v1?: JobV1Request
  readonly v2?: JobV2Request
}

/** How people use a simulated CDS. */
export interface JobTrafficOptions {
  readonly cds: SimulatedCds
  readonly clock: Clock
  readonly chance: Chance
  readonly jobs: readonly TrafficJob[]
  /** Milliseconds between one job and the next. */
  readonly every: Span
  /** How often nobody announces a job, so that only who asks hears of it, between 0 and 1. */
  readonly silent?: number
  /** How often somebody stops a job some minutes later, between 0 and 1. */
  readonly stopped?: number
}

/** People who start jobs, by a seed. Gives what makes them leave. */
export function jobTraffic(options: JobTrafficOptions): () => void {
  const { cds, clock, chance, jobs, every, silent = 0, stopped = 0 } = options
  const weights = jobs.map(job => job.weight ?? 1)
  const all = weights.reduce((sum, weight) => sum + weight, 0)
  let timer: Timer | undefined
  let over = false

  const one = (): TrafficJob | undefined => {
    let left = chance.fraction() * all
    return jobs.find((_, index) => (left -= weights[index] ?? 0) < 0)
  }
  const add = () => {
    const job = one()
    const announced = chance.fraction() >= silent
    const made = [
      ...(job?.v1 === undefined ? [] : [String(cds.addJobV1({ ...job.v1, announced }).id)]),
      ...(job?.v2 === undefined ? [] : [cds.addJobV2({ ...job.v2, announced }).id]),
    ]
    for (const id of made) if (chance.fraction() < stopped) clock.after(chance.integer(1, 600_000), () => cds.stopJob(id))
    next()
  }
  const next = () => {
    if (!over) timer = clock.after(every[0] + Math.floor(chance.fraction() * (every[1] - every[0] + 1)), add)
  }
  next()
  return () => {
    over = true
    timer?.cancel()
  }
}
