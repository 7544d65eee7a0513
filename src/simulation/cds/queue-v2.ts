import type { Basics } from './basics.ts'
import { CdsRefusal } from './cds-refusal.ts'
import type { Hatchery, JobInfo, JobV2, ModelV2, StatusV2 } from './records.ts'

/** A V2 job that somebody starts. */
export interface JobV2Request {
  readonly project?: string
  readonly workflow?: string
  readonly name?: string
  readonly region: string
  readonly model: ModelV2
  /** As `runs-on` names the model. Default: a path that ends with the model's name. */
  readonly reference?: string
  readonly flavor?: string
  readonly runsOnAsText?: boolean
  /** Whether web sockets bring the news. Default true. */
  readonly announced?: boolean
}

const second = 1_000
const schedulingLimit = 600 * second
const waitingLimit = 3_600 * second
/** So many hatcheries may give a job back before it fails. */
const mostReleases = 5

/** The V2 queue. */
export class QueueV2 {
  readonly #basics: Basics
  readonly #jobs = new Map<string, JobV2>()
  readonly #live = new Set<JobV2>()

  constructor(basics: Basics) {
    this.#basics = basics
  }

  add(request: JobV2Request): JobV2 {
    const { project = 'DEMO', workflow = 'build', name = 'job', region, model, flavor = '', announced = true } = request
    const job: JobV2 = {
      id: this.#basics.chance.uuid(),
      project,
      workflow,
      run: this.#jobs.size + 1,
      runId: this.#basics.chance.uuid(),
      name,
      queued: this.#basics.clock.now(),
      region,
      model,
      runsOn: { model: request.reference ?? `${project}/forge/o/r/${model.name}@refs/heads/master`, memory: '', flavor },
      runsOnAsText: request.runsOnAsText ?? false,
      status: 'Waiting',
      hatchery: '',
      scheduled: undefined,
      started: undefined,
      ended: undefined,
      worker: '',
      infos: [],
    }
    this.#jobs.set(job.id, job)
    this.#live.add(job)
    this.#basics.witness.tell('job queued', { job: job.id, ...(announced ? {} : { detail: 'silent' }) })
    return job
  }

  /** Every job there ever was. */
  all(): readonly JobV2[] {
    return [...this.#jobs.values()]
  }

  live(): Iterable<JobV2> {
    return this.#live
  }

  find(id: string): JobV2 | undefined {
    return this.#jobs.get(id)
  }

  /** What a hatchery of this region is shown, oldest first. */
  waiting(region: string, modelType: string, osArch: readonly string[]): JobV2[] {
    return [...this.#live].filter(
      job => job.status === 'Waiting' && job.region === region && job.model.type === modelType && osArch.includes(job.model.osarch),
    )
  }

  take(job: JobV2, hatchery: Hatchery): void {
    mustGoOn(job)
    if (job.status !== 'Waiting') throw new CdsRefusal('notFound')
    job.status = 'Scheduling'
    job.hatchery = hatchery.name
    job.scheduled = this.#basics.clock.now()
    this.#basics.witness.tell('job taken', { job: job.id, by: hatchery.name })
  }

  /**
   * A hatchery gives a job back. It goes to the queue whatever became of it since, even if it is over: that is what the real one
   * does, and why nobody may call this lightly.
   */
  release(job: JobV2, hatchery: Hatchery): void {
    this.#basics.witness.released(job.id, job.status)
    const before = job.infos.filter(info => info.message.includes('stops working on the job')).length
    this.inform(job, 'warning', `${hatchery.name} stops working on the job ${job.name}`)
    job.hatchery = ''
    this.#live.add(job)
    this.#basics.witness.tell('job released', { job: job.id, by: hatchery.name })
    if (before + 1 >= mostReleases) {
      this.inform(job, 'error', 'unable to start job: too many hatchery failed attempts')
      this.end(job, 'Fail')
    } else job.status = 'Waiting'
    // The news goes out in both cases.
    this.#basics.witness.tell('job queued again', { job: job.id })
  }

  end(job: JobV2, status: StatusV2): void {
    job.status = status
    job.ended = this.#basics.clock.now()
    this.#live.delete(job)
    this.#basics.witness.tell('job ended', { job: job.id, detail: status })
  }

  inform(job: JobV2, level: string, message: string, time = this.#basics.clock.now()): void {
    const info: JobInfo = Object.freeze({ level, message, time })
    job.infos.push(info)
  }

  /** What CDS does once a minute: fails what waited too long, and queues again what a hatchery took and never started. */
  sweep(): void {
    const now = this.#basics.clock.now()
    for (const job of this.#live) {
      if (job.status === 'Waiting' && now - job.queued > waitingLimit) {
        this.inform(job, 'error', 'the job has been in waiting state for too long, stopping it. Please contact an administrator')
        this.end(job, 'Fail')
      } else if (job.status === 'Scheduling' && now - (job.scheduled ?? now) > schedulingLimit) {
        job.status = 'Waiting'
        job.hatchery = ''
        this.#basics.witness.tell('job queued again', { job: job.id })
      }
    }
  }
}

/** Throws if the job has come to its end. */
export function mustGoOn({ name, status }: JobV2): void {
  const isOver = ['Success', 'Fail', 'Stopped', 'Cancelled', 'Skipped'].includes(status)
  if (isOver) throw new CdsRefusal('wrongRequest', `job ${name} is already in a final state ${status}`)
}
