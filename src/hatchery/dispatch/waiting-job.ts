import type { Refusal } from '../gates/verdict.ts'
import type { Job } from '../jobs/job.ts'

/** A job that waits, as the hatchery knows it. */
export interface WaitingJob {
  job: Job
  /** When CDS last spoke of it, on the clock that never goes back. */
  heardAt: number
  /** When it was last decided on, on the same clock; undefined: never. */
  decidedAt: number | undefined
  /** Why it waits; undefined if nobody decided yet. */
  refusal: Refusal | undefined
  /** When its record was last written, on the same clock. */
  writtenAt: number
  /** Whether a worker is being started for it. */
  isStarting: boolean
}

/** For how long a job that CDS no longer speaks of is believed to wait without being asked for. */
const believed = 60_000

/** Whether it is worth asking about a job although nothing on this side has changed: it may be gone. */
export function isInDoubt({ heardAt, decidedAt }: WaitingJob, now: number): boolean {
  return now - heardAt > believed && (decidedAt === undefined || now - decidedAt > believed)
}

/** Whether what keeps one job from starting keeps every other too. What only its model, or an answer of CDS about it, does not. */
export function isForAll({ gate, reason }: Refusal): boolean {
  return gate === 'Capacity' || gate === 'Inventory' || (gate === 'Job' && reason === 'CdsNotAnswering')
}
