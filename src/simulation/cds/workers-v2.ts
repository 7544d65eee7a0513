import type { Basics } from './basics.ts'
import { CdsRefusal } from './cds-refusal.ts'
import type { QueueV2 } from './queue-v2.ts'
import type { Hatchery, JobV2, WorkerV2 } from './records.ts'
import { Workers } from './workers.ts'

/** Workers of V2. */
export class WorkersV2 extends Workers<WorkerV2> {
  readonly #queue: QueueV2

  constructor(basics: Basics, queue: QueueV2) {
    super(basics)
    this.#queue = queue
  }

  add(name: string, modelName: string, job: JobV2, hatchery: Hatchery, program: WorkerV2['program']): WorkerV2 {
    const { chance, clock } = this.basics
    const [id, lastBeat] = [chance.uuid(), clock.now()]
    return this.signIn({ version: 2, id, name, hatchery, modelName, job: job.id, status: 'Waiting', lastBeat, program })
  }

  /** Begins the job. */
  take(worker: WorkerV2, job: JobV2): void {
    if (worker.status !== 'Waiting') throw new CdsRefusal('forbidden')
    if (job.status !== 'Scheduling') throw new CdsRefusal('forbidden', `unable take the job ${job.id}, current status ${job.status}`)
    job.started = this.basics.clock.now()
    this.#queue.inform(job, 'info', `Worker "${worker.name}" is starting for job "${job.name}"`)
    this.begin(worker, job)
  }

  signOut(worker: WorkerV2): void {
    worker.status = 'Disabled'
    this.leave(worker)
    this.tell('worker signed out', worker)
  }

  /** What CDS does every 10 seconds: removes who is disabled. */
  sweepDisabled(): void {
    for (const worker of this.all()) if (worker.status === 'Disabled') this.forget(worker)
  }

  /** What CDS does once a minute: disables who is silent, and stops the jobs of workers that are gone. */
  sweepDead(): void {
    for (const worker of this.silent()) if (worker.status !== 'Disabled') this.doubt(worker)
    const at = new Set(this.all().map(worker => worker.job))
    for (const job of this.#queue.live()) {
      if (job.status !== 'Building' || at.has(job.id)) continue
      this.#queue.inform(job, 'error', `worker "${job.worker}" doesn't respond anymore.`)
      this.#queue.end(job, 'Stopped')
    }
  }
}
