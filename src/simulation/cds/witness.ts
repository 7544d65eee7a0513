import type { Clock } from '../../ports/index.ts'

/** What can happen in a simulated CDS. */
export type CdsHappening =
  | 'signed in'
  | 'heartbeat'
  | 'job queued'
  | 'job taken'
  | 'job released'
  | 'job queued again'
  | 'booking ran out'
  | 'job started'
  | 'job ended'
  | 'worker signed in'
  | 'worker signed out'
  | 'worker disabled'
  | 'worker gone'
  | 'model booked'
  | 'model registered'
  | 'model failed'

/** Something that happened. */
export interface CdsEvent {
  readonly what: CdsHappening
  readonly time: number
  /** The id of the job that it is about. */
  readonly job?: string
  /** The name of the worker. */
  readonly worker?: string
  /** The hatchery that did it. */
  readonly by?: string
  /** For people: a status, a reason, a model. */
  readonly detail?: string
}

/** What no hatchery may ever bring about, with the jobs that it happened to. Empty lists are what a test wants to see. */
export interface Wrongs {
  /** A second worker started the job while the first had not signed out. */
  readonly onTwoWorkers: readonly string[]
  /** A worker started the job though another one had started it before. */
  readonly startedAgain: readonly string[]
  /** A hatchery put a job back into the queue that was over. */
  readonly resurrected: readonly string[]
  /** A hatchery put a job back into the queue while its worker was at work on it. */
  readonly takenFromWorker: readonly string[]
}

/** Looks on: tells whoever listens what happens, and keeps a list of what should not. */
export class Witness {
  readonly #clock: Clock
  readonly #listeners = new Set<(event: CdsEvent) => void>()
  /** Who has started each job, and who of them has not left yet. */
  readonly #starters = new Map<string, { readonly all: Set<string>; readonly here: Set<string> }>()
  readonly #onTwoWorkers = new Set<string>()
  readonly #startedAgain = new Set<string>()
  readonly #resurrected = new Set<string>()
  readonly #takenFromWorker = new Set<string>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  listen(listener: (event: CdsEvent) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  tell(what: CdsHappening, about: Omit<CdsEvent, 'what' | 'time'>): void {
    const event = Object.freeze({ what, time: this.#clock.now(), ...about })
    for (const listener of this.#listeners) listener(event)
  }

  /** A worker started a job. */
  started(job: string, worker: string): void {
    const starters = this.#starters.get(job) ?? { all: new Set(), here: new Set() }
    this.#starters.set(job, starters)
    if (starters.here.size > 0 && !starters.here.has(worker)) this.#onTwoWorkers.add(job)
    if (starters.all.size > 0) this.#startedAgain.add(job)
    starters.all.add(worker)
    starters.here.add(worker)
  }

  /** A worker has signed out, or is no longer believed to be there. */
  left(job: string, worker: string): void {
    this.#starters.get(job)?.here.delete(worker)
  }

  /** A hatchery gave a job back that was in this state. */
  released(job: string, status: string): void {
    if (status === 'Building') this.#takenFromWorker.add(job)
    else if (status !== 'Waiting' && status !== 'Scheduling') this.#resurrected.add(job)
  }

  wrongs(): Wrongs {
    return {
      onTwoWorkers: [...this.#onTwoWorkers],
      startedAgain: [...this.#startedAgain],
      resurrected: [...this.#resurrected],
      takenFromWorker: [...this.#takenFromWorker],
    }
  }
}
