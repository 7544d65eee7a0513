import { backoff, type Chance, type Clock, DeadlineExceeded, Failure, type Log, type Timer } from '../../ports/index.ts'
import { StoreError } from '../../store/index.ts'
import { NotLeader, Stopping, TerminalError } from '../errors.ts'
import type { WorkGauges, WorkMetrics, WorkResult } from '../metrics.ts'
import { Waiters } from '../waiters.ts'
import { type Lane, WorkQueue } from './work-queue.ts'

/** One piece of work under way, as the function that does it sees it. */
export interface Job {
  readonly key: string
  /** Aborted when the deadline has passed or the controllers are being stopped. */
  readonly signal: AbortSignal
  /** How often the key failed in a row before this. */
  readonly failures: number
  /** If this fails: after how many milliseconds it will be tried again. Counts as a failure of the key. */
  readonly retryIn: () => number
}

/** How a piece of work ended that did not fail. */
export interface Verdict {
  readonly result: Extract<WorkResult, 'done' | 'waiting' | 'gone'>
  /** Milliseconds after which the key is to be looked at again. */
  readonly after?: number
  /** How urgent that will be. Default normal. */
  readonly lane?: Lane
}

/** What workers need, and what they do. */
export interface WorkersOptions {
  readonly name: string
  readonly clock: Clock
  readonly chance: Chance
  readonly log: Log
  readonly metrics: WorkMetrics
  /** Does the work. Throws `TerminalError` to be left alone, a Conflict to be called at once, anything else to be called later. */
  readonly work: (job: Job) => Promise<Verdict>
  /** Told that a piece of work ignores its aborted signal. */
  readonly onStuck?: (job: Job) => void
  /** Pieces of work at one time. Default 32. */
  readonly concurrency?: number
  /** Milliseconds that one piece of work may take. Default 60,000. */
  readonly deadline?: number
  readonly retry?: { readonly base: number; readonly cap: number }
}

/** Milliseconds between the abort and the moment when a piece of work counts as stuck. */
const grace = 1_000

/** Conflicts in a row are tried again at once the first time, then with these pauses. */
const conflictRetry = { base: 10, cap: 5_000 }

/** A key that comes back at once so many times in a row is made to pause, longer each time. */
const mostInHaste = 16
const hastePause = { base: 10, cap: 60_000 }

interface Running {
  readonly job: Job
  readonly since: number
  readonly abort: AbortController
  timer: Timer
  /** It ignored its deadline: its place was given to others, its key stays taken. */
  stuck: boolean
  retryIn: number | undefined
}

/**
 * Takes keys from a queue and has the work done, a few at a time and never two on one key. Work that throws, hangs or comes back
 * without end harms no other key: it is put off, loses its place, or stands behind the others.
 */
export class Workers {
  readonly queue: WorkQueue
  readonly #options: WorkersOptions
  readonly #concurrency: number
  readonly #deadline: number
  readonly #running = new Map<string, Running>()
  readonly #conflicts = new Map<string, number>()
  /** How often a key came back at once, in a row. */
  readonly #haste = new Map<string, number>()
  readonly #idle = new Waiters()
  readonly #hideGauges: () => void
  #stuck = 0
  #started = false
  #stopping = false
  #wakeUp = false

  constructor(options: WorkersOptions) {
    this.#options = options
    this.#concurrency = options.concurrency ?? 32
    this.#deadline = options.deadline ?? 60_000
    const { clock, chance, retry } = options
    this.queue = new WorkQueue({ clock, chance, onReady: () => this.#wake(), ...(retry === undefined ? {} : { retry }) })
    this.#hideGauges = options.metrics.show(() => this.#gauges())
  }

  /** Begins to take keys. */
  start(): void {
    this.#started = true
    this.#wake()
  }

  /** Whether the key is being worked on. */
  isBusy(key: string): boolean {
    return this.#running.has(key)
  }

  /**
   * Takes no new work, lets what is under way end within so many milliseconds, then aborts it. Resolves when all has ended or
   * has proved to be stuck.
   */
  async stop({ within }: { readonly within: number }): Promise<void> {
    this.#stopping = true
    this.queue.stop()
    const { clock, log, name } = this.#options
    if (!(await this.#allEnded(clock, within))) {
      for (const { abort } of this.#running.values()) abort.abort(Stopping({ controller: name }))
      if (!(await this.#allEnded(clock, grace))) log.error('work ignored that it was aborted', { keys: [...this.#running.keys()] })
    }
    for (const { timer } of this.#running.values()) timer.cancel()
    this.#hideGauges()
  }

  async #allEnded(clock: Clock, within: number): Promise<boolean> {
    using deadline = clock.deadline(within)
    await this.#idle.until(() => this.#running.size === 0, deadline.signal).catch(() => {})
    return this.#running.size === 0
  }

  /** Through the clock, not at once: between two rounds the events that are already waiting have their turn. */
  #wake(): void {
    if (this.#wakeUp || !this.#started || this.#stopping) return
    this.#wakeUp = true
    this.#options.clock.soon(() => {
      this.#wakeUp = false
      this.#takeKeys()
    })
  }

  #takeKeys(): void {
    while (!this.#stopping && this.#running.size - this.#stuck < this.#concurrency) {
      const taken = this.queue.take()
      if (taken === undefined) return
      this.#options.metrics.taken(taken.waited / 1000)
      this.#begin(taken.key)
    }
  }

  #begin(key: string): void {
    const { clock, work } = this.#options
    const abort = new AbortController()
    const job: Job = {
      key,
      signal: abort.signal,
      failures: this.queue.failures(key),
      retryIn: () => (running.retryIn ??= this.queue.failed(key)),
    }
    const running: Running = {
      job,
      abort,
      since: clock.monotonic(),
      timer: clock.after(this.#deadline, () => this.#expire(running)),
      stuck: false,
      retryIn: undefined,
    }
    this.#running.set(key, running)
    work(job).then(
      verdict => this.#end(running, verdict),
      (error: unknown) => this.#fail(running, error),
    )
  }

  #expire(running: Running): void {
    running.timer = this.#options.clock.after(grace, () => this.#giveUp(running))
    running.abort.abort(DeadlineExceeded({ milliseconds: this.#deadline }))
  }

  /** Others get its place in the round. Its key stays taken: what it does may still take effect, and two on one key must not be. */
  #giveUp(running: Running): void {
    running.stuck = true
    this.#stuck++
    this.#options.log.error('work ignores its deadline; its key is blocked until it ends', { key: running.job.key })
    this.#options.onStuck?.(running.job)
    this.#wake()
  }

  #end(running: Running, { result, after, lane = 'normal' }: Verdict): void {
    const { key } = running.job
    if (running.abort.signal.aborted && running.stuck) return this.#fail(running, running.abort.signal.reason)
    this.queue.forget(key)
    this.#conflicts.delete(key)
    if (after !== undefined) this.queue.add(key, { after: Math.max(after, this.#calm(key, after)), lane })
    else this.#haste.delete(key)
    this.#finish(running, result)
  }

  /** How long a key that wants to come back has to pause: a loop without end would take the place of others. */
  #calm(key: string, after: number): number {
    if (after > 0) {
      this.#haste.delete(key)
      return 0
    }
    const times = (this.#haste.get(key) ?? 0) + 1
    this.#haste.set(key, times)
    return times <= mostInHaste ? 0 : backoff({ ...hastePause, chance: this.#options.chance }, times - mostInHaste)
  }

  #fail(running: Running, error: unknown): void {
    const { log } = this.#options
    const { key, failures } = running.job
    const result = this.#classify(running, error)
    this.#haste.delete(key)
    if (result !== 'conflict') this.#conflicts.delete(key)
    if (this.#stopping || NotLeader.is(error)) log.debug('work was given up', { key, error })
    else if (result === 'terminal') {
      this.queue.forget(key)
      log.warn('work failed for good', { key, error })
    } else if (result === 'conflict') {
      this.#putBack(key, 'high', this.#conflictPause(key))
      log.debug('somebody else changed the object; trying again', { key, error })
    } else {
      const after = running.job.retryIn()
      this.#putBack(key, 'normal', after)
      const level = error instanceof Failure ? 'warn' : 'error'
      log[level]('work failed; trying again', { key, error, failures: failures + 1, afterMilliseconds: after })
    }
    this.#finish(running, result)
  }

  #classify(running: Running, error: unknown): WorkResult {
    if (running.abort.signal.aborted) return 'timeout'
    if (TerminalError.is(error)) return 'terminal'
    return StoreError.is(error, 'Conflict') ? 'conflict' : 'error'
  }

  #conflictPause(key: string): number {
    const conflicts = (this.#conflicts.get(key) ?? 0) + 1
    this.#conflicts.set(key, conflicts)
    return conflicts === 1 ? 0 : backoff({ ...conflictRetry, chance: this.#options.chance }, conflicts - 1)
  }

  #putBack(key: string, lane: Lane, after: number): void {
    this.queue.add(key, { lane, after })
    this.#options.metrics.retried()
  }

  #finish(running: Running, result: WorkResult): void {
    const { clock, metrics } = this.#options
    running.timer.cancel()
    this.#running.delete(running.job.key)
    if (running.stuck) this.#stuck--
    metrics.finished(result, (clock.monotonic() - running.since) / 1000)
    this.queue.done(running.job.key)
    this.#idle.check()
    this.#wake()
  }

  #gauges(): WorkGauges {
    const now = this.#options.clock.monotonic()
    let oldest = now
    for (const { since } of this.#running.values()) oldest = Math.min(oldest, since)
    return {
      depth: lane => this.queue.depth(lane),
      delayed: this.queue.waiting,
      active: this.#running.size - this.#stuck,
      stuck: this.#stuck,
      unfinishedSeconds: (now - oldest) / 1000,
    }
  }
}
