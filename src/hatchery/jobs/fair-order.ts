import type { Job } from './job.ts'

/**
 * Jobs so that no project makes another wait long: those of the project that has fewest come first, and among them the oldest.
 * Projects with equally many take turns by age.
 */
export function fairOrder(jobs: readonly Job[]): readonly Job[] {
  const share = jobsPerProject(jobs)
  const shareOf = (job: Job) => share.get(job.project) ?? 0
  return jobs.toSorted((one, other) => shareOf(one) - shareOf(other) || byAge(one, other))
}

/** How many jobs each project has. */
export function jobsPerProject(jobs: readonly Job[]): ReadonlyMap<string, number> {
  const share = new Map<string, number>()
  for (const { project } of jobs) share.set(project, (share.get(project) ?? 0) + 1)
  return share
}

/** The oldest first; by id if they are of one age, so that the order does not depend on who lists them. */
export function byAge(one: Job, other: Job): number {
  return one.queued - other.queued || (one.id < other.id ? -1 : one.id > other.id ? 1 : 0)
}
