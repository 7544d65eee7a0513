import type { Basics } from './basics.ts'
import { CdsRefusal } from './cds-refusal.ts'
import type { QueueV1 } from './queue-v1.ts'
import type { JobV1, ModelV1, Service, WorkerV1 } from './records.ts'
import { Workers } from './workers.ts'

/** What a V1 worker's token says about it. */
export interface WorkerClaimsV1 {
  readonly name: string
  readonly model: ModelV1 | undefined
  readonly modelName: string
  readonly job: JobV1 | undefined
}

/** Workers of V1. */
export class WorkersV1 extends Workers<WorkerV1> {
  readonly #queue: QueueV1

  constructor(basics: Basics, queue: QueueV1) {
    super(basics)
    this.#queue = queue
  }

  /** By name, as the API lists them. */
  override of(hatchery: Service): readonly WorkerV1[] {
    return super.of(hatchery).toSorted((a, b) => (a.name < b.name ? -1 : 1))
  }

  /** No two rows may have one name, nor one job. */
  isTaken(name: string, job: number | undefined): boolean {
    return this.isNameTaken(name) || (job !== undefined && this.all().some(worker => worker.job === job))
  }

  add({ name, model, modelName, job }: WorkerClaimsV1, hatchery: Service, program: WorkerV1['program']): WorkerV1 {
    const { chance, clock } = this.basics
    const [id, lastBeat] = [chance.uuid(), clock.now()]
    return this.signIn({ version: 1, id, name, hatchery, model, modelName, job: job?.id, status: 'Waiting', lastBeat, program })
  }

  /** Begins a job. Who has booked it does not matter, only that it still waits. */
  take(worker: WorkerV1, job: JobV1): void {
    if (worker.job !== job.id) throw new CdsRefusal('forbidden', `unauthorized to take this job. booked:${worker.job} vs asked:${job.id}`)
    if (job.status !== 'Waiting') throw new CdsRefusal('alreadyTaken')
    this.begin(worker, job)
  }

  /** The worker has done its job and waits. */
  done(worker: WorkerV1): void {
    worker.status = 'Waiting'
    this.leave(worker)
    worker.job = undefined
  }

  /** Somebody says that a worker is at its end; the job that it was at fails. */
  disable(worker: WorkerV1, why: 'worker signed out' | 'worker disabled'): void {
    const job = worker.status === 'Building' ? this.#jobOf(worker) : undefined
    worker.status = 'Disabled'
    this.leave(worker)
    this.tell(why, worker)
    worker.job = undefined
    if (job !== undefined) this.#queue.end(job, 'Fail', 'its worker was disabled')
  }

  /** What CDS does every 10 seconds: disables who is silent, and removes who has been disabled for as long. */
  sweep(): void {
    for (const worker of this.silent()) {
      if (worker.status === 'Disabled') this.#remove(worker)
      else this.doubt(worker)
    }
  }

  #remove(worker: WorkerV1): void {
    this.forget(worker)
    const job = this.#jobOf(worker)
    // Without its worker nobody would ever end it.
    if (job?.status === 'Building' && job.worker === worker.name) this.#queue.end(job, 'Fail', 'its worker is lost')
  }

  #jobOf({ job }: WorkerV1): JobV1 | undefined {
    return job === undefined ? undefined : this.#queue.find(job)
  }
}
