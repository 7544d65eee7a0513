import { type Basics, sharedInfra } from './basics.ts'
import { CdsRefusal } from './cds-refusal.ts'
import type { Group, JobV1, RequirementRecord, Service } from './records.ts'

/** A V1 job that somebody starts. */
export interface JobV1Request {
  readonly project?: string
  readonly workflow?: string
  readonly name?: string
  readonly requirements?: readonly RequirementRecord[]
  /** The groups whose models may run it. `shared.infra` may always. */
  readonly groups?: readonly string[]
  /** Whether web sockets bring the news. Default true. */
  readonly announced?: boolean
}

const usualArchitecture: RequirementRecord = { name: 'linux/amd64', type: 'os-architecture', value: 'linux/amd64' }

/** Seconds that a job stays booked if the hatchery names none. */
const usualBooking = 120

/** The V1 queue. A job that is over can be seen for some seconds more, and then is no longer in it. */
export class QueueV1 {
  readonly #basics: Basics
  readonly #live = new Map<number, JobV1>()
  readonly #all: JobV1[] = []
  readonly #projects = new Map<string, number>()

  constructor(basics: Basics) {
    this.#basics = basics
  }

  add(request: JobV1Request): JobV1 {
    const { project: key = 'DEMO', workflow = 'build', name = 'job', requirements: given = [], groups = [], announced = true } = request
    if (!this.#projects.has(key)) this.#projects.set(key, this.#projects.size + 1)
    const number = this.#all.length + 1
    // Every job asks for an architecture, whether or not somebody wrote it down.
    const requirements = given.some(each => each.type === 'os-architecture') ? given : [...given, usualArchitecture]
    const job: JobV1 = {
      id: number,
      project: { key, id: this.#projects.get(key) ?? 0 },
      workflow,
      run: number,
      name,
      queued: this.#basics.clock.now(),
      status: 'Waiting',
      region: requirements.find(each => each.type === 'region')?.value,
      modelType: '',
      requirements,
      groups: [sharedInfra, ...groups].map(each => this.#basics.groups.named(each)),
      booking: undefined,
      infos: [],
      worker: undefined,
      reason: undefined,
      ended: undefined,
    }
    this.#all.push(job)
    this.#live.set(job.id, job)
    this.#basics.witness.tell('job queued', { job: String(job.id), ...(announced ? {} : { detail: 'silent' }) })
    return job
  }

  /** Every job there ever was. */
  all(): readonly JobV1[] {
    return this.#all
  }

  /** Jobs that the API still shows. */
  live(): Iterable<JobV1> {
    return this.#live.values()
  }

  find(id: number): JobV1 | undefined {
    return this.#live.get(id)
  }

  /** What a hatchery with these groups is shown: jobs that wait and that nobody has booked, oldest first. */
  waiting(modelType: string, regions: readonly string[], groups: readonly Group[]): JobV1[] {
    return Array.from(this.#live.values()).filter(
      job =>
        job.status === 'Waiting' &&
        this.bookedBy(job) === undefined &&
        (modelType === '' || job.modelType === '' || job.modelType === modelType) &&
        (regions.length === 0 || regions.includes(job.region ?? '')) &&
        job.groups.some(group => groups.includes(group)),
    )
  }

  bookedBy(job: JobV1): Service | undefined {
    return job.booking !== undefined && job.booking.until > this.#basics.clock.now() ? job.booking.service : undefined
  }

  book(job: JobV1, service: Service, seconds: number): void {
    if (this.bookedBy(job) !== undefined) throw new CdsRefusal('alreadyBooked')
    const until = this.#basics.clock.now() + (seconds > 0 ? seconds : usualBooking) * 1000
    job.booking = { service, until }
    this.#basics.witness.tell('job taken', { job: String(job.id), by: service.name })
  }

  /** Frees a job, whoever booked it: the real one does not look either. */
  free(job: JobV1): void {
    const by = this.bookedBy(job)
    if (by === undefined) throw new CdsRefusal('notBooked')
    job.booking = undefined
    this.#basics.witness.tell('job released', { job: String(job.id), by: by.name })
  }

  end(job: JobV1, status: 'Success' | 'Fail' | 'Stopped', reason?: string): void {
    if (job.ended !== undefined) return
    job.status = status
    job.reason = reason
    job.ended = this.#basics.clock.now()
    this.#basics.witness.tell('job ended', { job: String(job.id), detail: status })
  }

  /** What CDS does every 10 seconds: forgets jobs that are over, and bookings whose time is. */
  sweep(): void {
    for (const job of this.#live.values()) {
      if (job.ended !== undefined) this.#live.delete(job.id)
      if (job.booking === undefined || this.bookedBy(job) !== undefined) continue
      const by = job.booking.service.name
      job.booking = undefined
      if (job.status === 'Waiting') this.#basics.witness.tell('booking ran out', { job: String(job.id), by })
    }
  }
}
