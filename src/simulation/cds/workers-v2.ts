import type { Basics } from './basics.ts'
import { CdsRefusal } from './cds-refusal.ts'
import type { QueueV2 } from './queue-v2.ts'
import type { Hatchery, JobV2, WorkerV2 } from './records.ts'

/** Milliseconds without a sign of life after which a worker is no longer believed in. */
const beatLimit = 300_000

/** Workers of V2. */
export class WorkersV2 {
  readonly #basics: Basics
  readonly #queue: QueueV2
  readonly #workers = new Map<string, WorkerV2>()

  constructor(basics: Basics, queue: QueueV2) {
    this.#basics = basics
    this.#queue = queue
  }

  all(): readonly WorkerV2[] {
    return [...this.#workers.values()]
  }

  of(hatchery: Hatchery): readonly WorkerV2[] {
    return this.all().filter(worker => worker.hatchery === hatchery)
  }

  isThere(worker: WorkerV2): boolean {
    return this.#workers.has(worker.id)
  }

  isNameTaken(name: string): boolean {
    return this.all().some(worker => worker.name === name)
  }

  add(name: string, modelName: string, job: JobV2, hatchery: Hatchery, program: WorkerV2['program']): WorkerV2 {
    const worker: WorkerV2 = {
      version: 2,
      id: this.#basics.chance.uuid(),
      name,
      hatchery,
      modelName,
      job: job.id,
      status: 'Waiting',
      lastBeat: this.#basics.clock.now(),
      program,
    }
    this.#workers.set(worker.id, worker)
    this.#basics.witness.tell('worker signed in', { worker: name, job: job.id, by: hatchery.name })
    return worker
  }

  /** Begins the job. */
  take(worker: WorkerV2, job: JobV2): void {
    if (worker.status !== 'Waiting') throw new CdsRefusal('forbidden')
    if (job.status !== 'Scheduling') throw new CdsRefusal('forbidden', `unable take the job ${job.id}, current status ${job.status}`)
    worker.status = 'Building'
    job.status = 'Building'
    job.started = this.#basics.clock.now()
    job.worker = worker.name
    this.#queue.inform(job, 'info', `Worker "${worker.name}" is starting for job "${job.name}"`)
    this.#basics.witness.started(job.id, worker.name)
    this.#basics.witness.tell('job started', { job: job.id, worker: worker.name, by: worker.hatchery.name })
  }

  signOut(worker: WorkerV2): void {
    worker.status = 'Disabled'
    this.#basics.witness.left(worker.job, worker.name)
    this.#basics.witness.tell('worker signed out', { worker: worker.name, job: worker.job, by: worker.hatchery.name })
  }

  /** What CDS does every 10 seconds: removes who is disabled. */
  sweepDisabled(): void {
    for (const worker of this.#workers.values()) {
      if (worker.status !== 'Disabled') continue
      this.#workers.delete(worker.id)
      this.#basics.witness.left(worker.job, worker.name)
      this.#basics.witness.tell('worker gone', { worker: worker.name, job: worker.job, by: worker.hatchery.name })
    }
  }

  /** What CDS does once a minute: disables who is silent, and stops the jobs of workers that are gone. */
  sweepDead(): void {
    const now = this.#basics.clock.now()
    for (const worker of this.#workers.values()) {
      if (worker.status === 'Disabled' || now - worker.lastBeat <= beatLimit) continue
      worker.status = 'Disabled'
      this.#basics.witness.tell('worker disabled', {
        worker: worker.name,
        job: worker.job,
        by: worker.hatchery.name,
        detail: 'no sign of life',
      })
    }
    const at = new Set(Array.from(this.#workers.values(), worker => worker.job))
    for (const job of this.#queue.live()) {
      if (job.status !== 'Building' || at.has(job.id)) continue
      this.#queue.inform(job, 'error', `worker "${job.worker}" doesn't respond anymore.`)
      this.#queue.end(job, 'Stopped')
    }
  }
}
