import type { Basics } from './basics.ts'
import type { JobV1, JobV2, WorkerV1, WorkerV2 } from './records.ts'
import type { CdsHappening } from './witness.ts'

/** Milliseconds without a sign of life after which a worker is no longer believed in. */
const beatLimit = 300_000

/** The workers of one version: whoever signed in and is not forgotten yet. What becomes of their jobs differs by version. */
export abstract class Workers<W extends WorkerV1 | WorkerV2> {
  protected readonly basics: Basics
  readonly #rows = new Map<string, W>()

  constructor(basics: Basics) {
    this.basics = basics
  }

  all(): readonly W[] {
    return [...this.#rows.values()]
  }

  of(hatchery: W['hatchery']): readonly W[] {
    return this.all().filter(worker => worker.hatchery === hatchery)
  }

  find(id: string): W | undefined {
    return this.#rows.get(id)
  }

  isNameTaken(name: string): boolean {
    return this.all().some(worker => worker.name === name)
  }

  protected signIn(worker: W): W {
    this.#rows.set(worker.id, worker)
    this.tell('worker signed in', worker)
    return worker
  }

  protected begin(worker: W, job: JobV1 | JobV2): void {
    worker.status = 'Building'
    job.status = 'Building'
    job.worker = worker.name
    this.basics.witness.started(String(job.id), worker.name)
    this.tell('job started', worker)
  }

  /** The worker is no longer at its job, if it was at one. */
  protected leave(worker: W): void {
    if (worker.job !== undefined) this.basics.witness.left(String(worker.job), worker.name)
  }

  /** Those who have given no sign of life for too long. */
  protected silent(): readonly W[] {
    const now = this.basics.clock.now()
    return this.all().filter(worker => now - worker.lastBeat > beatLimit)
  }

  /** A silent worker is no longer believed in. */
  protected doubt(worker: W): void {
    worker.status = 'Disabled'
    this.tell('worker disabled', worker, 'no sign of life')
  }

  protected forget(worker: W): void {
    this.#rows.delete(worker.id)
    this.leave(worker)
    this.tell('worker gone', worker)
  }

  protected tell(what: CdsHappening, { name, job, hatchery }: W, detail?: string): void {
    this.basics.witness.tell(what, {
      worker: name,
      by: hatchery.name,
      ...(job !== undefined && { job: String(job) }),
      ...(detail !== undefined && { detail }),
    })
  }
}
