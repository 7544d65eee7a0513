import { isoTime } from '../../ports/index.ts'
import type { Job } from '../jobs/job.ts'
import type { Attempts } from './attempts.ts'
import type { Verdict } from './verdict.ts'

/**
 * Whether a job may be tried again; undefined if it may. After too many attempts a V1 job is to be failed; a V2 job is left to CDS,
 * which fails it by itself after so many returns to the queue.
 */
export function checkAttempts({ id, version }: Pick<Job, 'id' | 'version'>, attempts: Attempts, hatchery: string): Verdict | undefined {
  const standing = attempts.standing(id)
  if (standing.kind === 'go') return undefined
  const { count, until } = standing
  const times = `${count} ${count === 1 ? 'attempt' : 'attempts'}`
  if (standing.kind === 'pause') {
    const message = `the last of ${times} to start a worker failed, and the next is at ${isoTime(until)}`
    return { kind: 'wait', refusal: { gate: 'Attempts', reason: 'Pausing', message, until } }
  }
  const why = `hatchery "${hatchery}" failed to start worker after ${times}`
  if (version === 1) return { kind: 'fail', why }
  const message = `${why}; CDS ends the job by itself`
  const unblock = 'see in CDS why the attempts failed, then start the job again'
  return { kind: 'wait', refusal: { gate: 'Attempts', reason: 'TooManyAttempts', message, unblock, until } }
}
