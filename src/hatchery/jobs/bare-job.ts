import type { Job } from './job.ts'

/** A job that waits and of which no more is known than what is given. */
export function bareJob(given: Pick<Job, 'version' | 'id'> & Partial<Job>): Job {
  return {
    project: '',
    queued: 0,
    status: 'Waiting',
    takenBy: '',
    requirements: [],
    groups: [],
    model: undefined,
    runsOn: undefined,
    title: '',
    ...given,
  }
}
