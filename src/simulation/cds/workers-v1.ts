import type { Basics } from './basics.ts'
import { CdsRefusal } from './cds-refusal.ts'
import type { BuiltinConsumer, JobV1, ModelV1, Service, WorkerV1 } from './records.ts'
import type { QueueV1 } from './queue-v1.ts'

/** What a V1 worker's token says about it. */
export interface WorkerClaimsV1 {
  readonly name: string
  readonly model: ModelV1 | undefined
  readonly modelName: string
  readonly job: JobV1 | undefined
  readonly registerOnly: boolean
}

/** Milliseconds without a sign of life after which a worker is no longer believed in. */
const beatLimit = 300_000

/** Workers of V1. */
export class WorkersV1 {
  readonly #basics: Basics
  readonly #queue: QueueV1
  readonly #workers = new Map<string, WorkerV1>()

  constructor(basics: Basics, queue: QueueV1) {
    this.#basics = basics
    this.#queue = queue
  }

  all(): readonly WorkerV1[] {
    return [...this.#workers.values()]
  }

  /** By name, as the API lists them. */
  of(service: Service): readonly WorkerV1[] {
    return this.all()
      .filter(worker => worker.service === service)
      .toSorted((a, b) => (a.name < b.name ? -1 : 1))
  }

  find(id: string): WorkerV1 | undefined {
    return this.#workers.get(id)
  }

  /** No two rows may have one name, nor one job. */
  isTaken(name: string, job: number | undefined): boolean {
    return this.all().some(worker => worker.name === name || (job !== undefined && worker.job === job))
  }

  add(claims: WorkerClaimsV1, hatchery: BuiltinConsumer & { readonly service: Service }, program: WorkerV1['program']): WorkerV1 {
    const worker: WorkerV1 = {
      version: 1,
      id: this.#basics.chance.uuid(),
      name: claims.name,
      service: hatchery.service,
      model: claims.model,
      modelName: claims.modelName,
      job: claims.job?.id,
      status: 'Waiting',
      lastBeat: this.#basics.clock.now(),
      program,
    }
    this.#workers.set(worker.id, worker)
    const job = claims.job === undefined ? {} : { job: String(claims.job.id) }
    this.#basics.witness.tell('worker signed in', { worker: worker.name, by: hatchery.service.name, ...job })
    return worker
  }

  /** Begins a job. Who has booked it does not matter, only that it still waits. */
  take(worker: WorkerV1, job: JobV1): void {
    if (worker.job !== job.id) throw new CdsRefusal('forbidden', `unauthorized to take this job. booked:${worker.job} vs asked:${job.id}`)
    if (job.status !== 'Waiting') throw new CdsRefusal('alreadyTaken')
    job.status = 'Building'
    job.worker = worker.name
    worker.status = 'Building'
    this.#basics.witness.started(String(job.id), worker.name)
    this.#basics.witness.tell('job started', { job: String(job.id), worker: worker.name, by: worker.service.name })
  }

  /** The worker has done its job and waits. */
  done(worker: WorkerV1): void {
    worker.status = 'Waiting'
    if (worker.job !== undefined) this.#basics.witness.left(String(worker.job), worker.name)
    worker.job = undefined
  }

  /** Somebody says that a worker is at its end; the job that it was at fails. */
  disable(worker: WorkerV1, why: 'worker signed out' | 'worker disabled'): void {
    const wasBuilding = worker.status === 'Building'
    const job = worker.job
    worker.status = 'Disabled'
    worker.job = undefined
    if (job !== undefined) this.#basics.witness.left(String(job), worker.name)
    this.#basics.witness.tell(why, { worker: worker.name, by: worker.service.name })
    const found = job === undefined ? undefined : this.#queue.find(job)
    if (wasBuilding && found !== undefined) this.#queue.end(found, 'Fail', 'its worker was disabled')
  }

  /** What CDS does every 10 seconds: disables who is silent, and removes who has been disabled for as long. */
  sweep(): void {
    const now = this.#basics.clock.now()
    for (const worker of this.#workers.values()) {
      if (now - worker.lastBeat <= beatLimit) continue
      if (worker.status === 'Disabled') this.#remove(worker)
      else {
        worker.status = 'Disabled'
        this.#basics.witness.tell('worker disabled', { worker: worker.name, by: worker.service.name, detail: 'no sign of life' })
      }
    }
  }

  #remove(worker: WorkerV1): void {
    this.#workers.delete(worker.id)
    this.#basics.witness.tell('worker gone', { worker: worker.name, by: worker.service.name })
    if (worker.job === undefined) return
    this.#basics.witness.left(String(worker.job), worker.name)
    const job = this.#queue.find(worker.job)
    // Without its worker nobody would ever end it.
    if (job?.status === 'Building' && job.worker === worker.name) this.#queue.end(job, 'Fail', 'its worker is lost')
  }
}
