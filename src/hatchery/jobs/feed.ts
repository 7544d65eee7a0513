import { type Chance, type Clock, type Log, backoff } from '../../ports/index.ts'
import { CdsRefused } from '../cds/errors.ts'
import type { JobEvents } from '../cds/job-events-source.ts'
import type { Job } from './job.ts'
import { Turns } from './turns.ts'

const betweenPolls = 20_000

/** A connection that stood this long was a good one: the next try may come soon. */
const goodConnection = 10_000

/** Jobs that are looked up at the same time after events. */
const mostLookUps = 8

/** Jobs that wait to be looked up; beyond, the next poll finds them anyway. */
const mostUnseen = 1000

/** One side of CDS, as far as its queue goes. */
export interface Queue extends JobEvents {
  waitingJobs(signal: AbortSignal): Promise<readonly Job[]>
  job(id: string, signal: AbortSignal): Promise<Job | undefined>
}

/** What a feed needs. */
export interface FeedOptions {
  /** As the status calls it. */
  readonly name: string
  readonly queue: Queue
  /** Jobs of one poll that are handed on at most. */
  readonly most: number
  /** Whether somebody has a job in hand already: it waits to be looked at, or a worker is being started for it. */
  readonly isPending: (jobId: string) => boolean
  readonly onJobs: (jobs: readonly Job[]) => void
  /** Told of every job that an event brought. */
  readonly onEvent: () => void
  readonly clock: Clock
  readonly chance: Chance
  readonly log: Log
}

/** Hears of one side's waiting jobs: by events at once, and by asking every 20 seconds, because events get lost. */
export class Feed {
  readonly #options: FeedOptions
  readonly #turns = new Turns()
  readonly #unseen = new Set<string>()
  readonly #log: Log
  /** Resolved once the first connection stands or has failed. */
  readonly #tried = Promise.withResolvers<void>()
  #lookUps = 0
  #polledAt = Number.NEGATIVE_INFINITY
  #pollFails = false
  #listenFails = false
  #running = 0

  constructor(options: FeedOptions) {
    this.#options = options
    this.#log = options.log.with({ loop: options.name })
  }

  /** Whether both of its loops go on. */
  get isAlive(): boolean {
    return this.#running === 2
  }

  /** Goes on until `signal` is aborted. */
  async run(signal: AbortSignal): Promise<void> {
    await Promise.all([this.#forEver(() => this.#pollOnce(signal), signal), this.#forEver(() => this.#listenLong(signal), signal)])
  }

  async #forEver(round: () => Promise<void>, signal: AbortSignal): Promise<void> {
    this.#running++
    try {
      while (!signal.aborted) {
        await round().catch((error: unknown) => {
          if (!signal.aborted) this.#log.error('a round of the queue failed', { error })
        })
      }
    } finally {
      this.#running--
    }
  }

  async #pollOnce(signal: AbortSignal): Promise<void> {
    // Not before it is known whether events come: the poll that follows a new connection is the first.
    await this.#tried.promise
    for (let wait = this.#untilNextPoll(); wait > 0; wait = this.#untilNextPoll()) await this.#options.clock.sleep(wait, signal)
    await this.#poll(signal)
  }

  #untilNextPoll(): number {
    return this.#polledAt + betweenPolls - this.#options.clock.monotonic()
  }

  async #poll(signal: AbortSignal): Promise<void> {
    const { queue, most, isPending, clock } = this.#options
    this.#polledAt = clock.monotonic()
    try {
      const jobs = (await queue.waitingJobs(signal)).filter(({ id }) => !isPending(id))
      if (this.#pollFails) this.#log.info('the queue can be read again')
      this.#pollFails = false
      this.#handOn(this.#turns.next(jobs, most))
    } catch (error) {
      // CDS forgot our session: the next call has a new one. Nothing to tell anybody.
      if (signal.aborted || (CdsRefused.is(error) && error.details.status === 401)) return
      if (!this.#pollFails) this.#log.warn('the queue cannot be read', { error })
      this.#pollFails = true
    }
  }

  /** One connection after another, until one has been good. */
  async #listenLong(signal: AbortSignal): Promise<void> {
    const { queue, clock, chance } = this.#options
    for (let attempt = 1; !signal.aborted; attempt++) {
      let stood = 0
      try {
        const events = await queue.jobEvents(signal)
        const since = clock.monotonic()
        const goodFrom = clock.after(goodConnection, () => this.#eventsCome())
        this.#connected(signal)
        try {
          for await (const id of events) this.#heardOf(id, signal)
        } finally {
          stood = clock.monotonic() - since
          goodFrom.cancel()
        }
      } catch (error) {
        this.#tried.resolve()
        if (signal.aborted) return
        if (!this.#listenFails) this.#log.warn('no events come from CDS; jobs are found by asking every 20 s meanwhile', { error })
        this.#listenFails = true
      }
      if (stood >= goodConnection) attempt = 1
      await clock.sleep(1000 + backoff({ base: 500, cap: 29_000, chance }, attempt), signal)
      if (stood >= goodConnection) return
    }
  }

  #eventsCome(): void {
    if (this.#listenFails) this.#log.info('events come from CDS again')
    this.#listenFails = false
  }

  #connected(signal: AbortSignal): void {
    // What began to wait before the connection stood was told to nobody.
    void this.#poll(signal)
    this.#tried.resolve()
  }

  #heardOf(id: string, signal: AbortSignal): void {
    this.#options.onEvent()
    if (this.#options.isPending(id) || this.#unseen.size >= mostUnseen) return
    this.#unseen.add(id)
    if (this.#lookUps < mostLookUps) void this.#lookUp(signal)
  }

  async #lookUp(signal: AbortSignal): Promise<void> {
    this.#lookUps++
    try {
      for (let id = first(this.#unseen); id !== undefined && !signal.aborted; id = first(this.#unseen)) {
        this.#unseen.delete(id)
        const job = await this.#options.queue.job(id, signal)
        if (job?.status === 'Waiting' && job.takenBy === '' && !this.#options.isPending(id)) this.#handOn([job])
      }
    } catch (error) {
      // The poll finds it. A queue that cannot be read is its to tell.
      if (!signal.aborted) this.#log.debug('a job that CDS told of cannot be read', { error })
    } finally {
      this.#lookUps--
    }
  }

  #handOn(jobs: readonly Job[]): void {
    if (jobs.length === 0) return
    try {
      this.#options.onJobs(jobs)
    } catch (error) {
      this.#log.error('jobs could not be handed on', { error })
    }
  }
}

function first<T>(items: ReadonlySet<T>): T | undefined {
  return items.values().next().value
}
