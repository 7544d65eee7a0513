import { byAge, fairOrder, jobsPerProject } from './fair-order.ts'
import type { Job } from './job.ts'

/**
 * Chooses which jobs of a long queue are looked at next. Every project has its turn, and within a project every job: those that
 * were looked at and could not start make room for others, so that a few impossible jobs at the head never block the rest.
 */
export class Turns {
  /** In which round each job was chosen last. */
  #chosen = new Map<string, number>()
  #round = 0

  /** At most `most` of the jobs, in fair order. */
  next(jobs: readonly Job[], most: number): readonly Job[] {
    const round = ++this.#round
    const lastOf = (job: Job) => this.#chosen.get(job.id) ?? 0
    const chosen = jobs.length <= most ? jobs : choose(jobs, most, lastOf)
    // What is no longer in the queue is forgotten.
    const kept = jobs.map(job => [job.id, lastOf(job)] as const).filter(([, last]) => last > 0)
    this.#chosen = new Map([...kept, ...chosen.map(job => [job.id, round] as const)])
    const among = new Set(chosen)
    return fairOrder(jobs).filter(job => among.has(job))
  }
}

function choose(jobs: readonly Job[], most: number, lastOf: (job: Job) => number): readonly Job[] {
  const longestUnseen = (one: Job, other: Job) => lastOf(one) - lastOf(other) || byAge(one, other)
  const share = jobsPerProject(jobs)
  // Each job's place in its project's own line; the first of every project come before the second of any.
  const places = new Map<Job, number>()
  const lengths = new Map<string, number>()
  for (const job of jobs.toSorted(longestUnseen)) {
    const place = lengths.get(job.project) ?? 0
    lengths.set(job.project, place + 1)
    places.set(job, place)
  }
  const placeOf = (job: Job) => places.get(job) ?? 0
  const shareOf = (job: Job) => share.get(job.project) ?? 0
  return jobs
    .toSorted(
      (one, other) => placeOf(one) - placeOf(other) || lastOf(one) - lastOf(other) || shareOf(one) - shareOf(other) || byAge(one, other),
    )
    .slice(0, most)
}
