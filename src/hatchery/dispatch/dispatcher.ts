import type { Cds } from '../cds/cds.ts'
import { readWorkerNote } from '../fleet/worker-note.ts'
import type { UnderWay } from '../fleet/under-way.ts'
import type { Attempts } from '../gates/attempts.ts'
import type { Gates } from '../gates/gates.ts'
import type { Refusal, Verdict } from '../gates/verdict.ts'
import type { HappeningCounters } from '../monitoring/happening-counters.ts'
import { bareJob } from '../jobs/bare-job.ts'
import { fairOrder } from '../jobs/fair-order.ts'
import type { Job } from '../jobs/job.ts'
import type { Inventory, Vm, VmChange } from '../../platform/index.ts'
import { type Clock, type Log, parseTime } from '../../ports/index.ts'
import { Rounds } from '../rounds.ts'
import type { SpawnOutcome } from '../spawn/attempt.ts'
import { jobSpec } from '../spawn/job-spec.ts'
import { readAttempts } from '../spawn/recorded-attempts.ts'
import { jobRecord, type SpawnRecords } from '../spawn/spawn-records.ts'
import type { Spawner } from '../spawn/spawner.ts'
import { isForAll, isInDoubt, type WaitingJob } from './waiting-job.ts'

/** What a dispatcher works with. */
export interface DispatcherOptions {
  readonly hatchery: string
  readonly cds: Cds
  readonly gates: Pick<Gates, 'decide'>
  readonly attempts: Attempts
  readonly spawner: Pick<Spawner, 'spawn'>
  readonly records: SpawnRecords
  readonly underWay: UnderWay
  readonly inventory: Inventory
  readonly counters: Pick<HappeningCounters, 'count'>
  readonly clock: Clock
  readonly log: Log
}

/** How long nothing may happen until all waiting jobs are looked at again: workers end in CDS, and nobody tells. */
const lookEvery = 10_000

/** The least time between two looks at all of them. */
const lookAtMost = 1_000

/** So many jobs at the head of the line are looked at each time, and so many of those that nobody looked at for longest. */
const mostLooks = 25

/** How old the message on a record may be if only its numbers changed. */
const writeAgainAfter = 60_000

/** How long one decision may take. */
const decisionLimit = 30_000

/**
 * Keeps the jobs that wait, decides in their order which may start, and starts their workers. A job that may not is looked at again
 * when something that could matter has changed: a VM of ours, something under way that ended, time. Looking costs questions to CDS
 * and none to the platform; what keeps all jobs from starting is asked once and holds for all.
 * What a job waits for stands on its record, written when it changes.
 */
export class Dispatcher {
  readonly #options: DispatcherOptions
  readonly #jobs = new Map<string, WaitingJob>()
  readonly #rounds: Rounds
  readonly #starting = new Set<Promise<void>>()
  readonly #stop = new AbortController()
  #forget: readonly (() => void)[] = []
  /** Whether something has changed since all of them were last looked at. */
  #changed = true
  #lookedAt = Number.NEGATIVE_INFINITY

  constructor(options: DispatcherOptions) {
    const { clock, log } = options
    this.#options = options
    this.#rounds = new Rounds({ name: 'mainRoutine', every: lookEvery, atOnce: true, clock, log, round: signal => this.#round(signal) })
  }

  /** Begins. Jobs that waited in an earlier run are asked for. */
  start(): void {
    const { records, inventory, underWay, attempts, clock } = this.#options
    for (const { spec, status } of records.all()) {
      if (spec.purpose !== 'Job' || spec.job === undefined) continue
      const tries = readAttempts(status, clock.now())
      if (tries !== undefined) attempts.restore(spec.job, tries)
      // Also one that was in the middle of its start: when that is taken back it may wait again, or be gone, and its record with it.
      this.#remember(jobOfRecord(spec), Number.NEGATIVE_INFINITY)
    }
    this.#forget = [
      inventory.onChange(change => {
        if (this.#jobs.size > 0 && this.#matters(change)) this.wake()
      }),
      underWay.onEnd(() => this.wake()),
    ]
    this.#rounds.start()
  }

  /** Ends it. Workers that are being started are left as they are. */
  async stop(): Promise<void> {
    for (const forget of this.#forget) forget()
    this.#stop.abort()
    await this.#rounds.stop()
    await Promise.allSettled(this.#starting)
  }

  /** CDS speaks of jobs that wait, in the order in which they are to be served. */
  heard(jobs: readonly Job[]): void {
    for (const job of jobs) this.#remember(job, this.#options.clock.monotonic())
    this.#rounds.request()
  }

  /** Something has changed that may let a job start. */
  wake(): void {
    this.#changed = true
    if (this.#jobs.size > 0) this.#rounds.request()
  }

  /** Whether a job is in hand: about to be decided on, or being started. */
  isPending(jobId: string): boolean {
    const known = this.#jobs.get(jobId)
    return this.#options.underWay.hasJob(jobId) || (known !== undefined && (known.isStarting || known.decidedAt === undefined))
  }

  get health(): ReadonlyMap<string, boolean> {
    return new Map([[this.#rounds.name, this.#rounds.isHealthy]])
  }

  /** The jobs that wait or for which a worker is being started, in their order. */
  jobs(): readonly Readonly<WaitingJob>[] {
    return Array.from(this.#jobs.values())
  }

  #remember(job: Job, heardAt: number): void {
    const known = this.#jobs.get(job.id)
    if (known === undefined) {
      this.#options.counters.count('jobs_count')
      this.#options.counters.count(job.version === 1 ? 'chan_v1_job_add_count' : 'chan_v2_job_add_count')
    }
    const fresh: WaitingJob = {
      job,
      heardAt,
      decidedAt: undefined,
      refusal: undefined,
      writtenAt: Number.NEGATIVE_INFINITY,
      isStarting: false,
    }
    this.#jobs.set(job.id, known === undefined ? fresh : Object.assign(known, { job, heardAt }))
  }

  async #round(signal: AbortSignal): Promise<void> {
    const { clock } = this.#options
    let forAll: Refusal | undefined
    for (const waiting of this.#choose()) {
      signal.throwIfAborted()
      if (!this.#isIdle(waiting)) continue
      if (forAll !== undefined && !isInDoubt(waiting, clock.monotonic())) {
        await this.#wait(waiting, forAll)
        continue
      }
      const verdict = await this.#decide(waiting, signal)
      if (verdict?.kind === 'wait' && isForAll(verdict.refusal)) forAll = verdict.refusal
    }
    // What changed while this round went on, or came too early for another look at all, is not forgotten.
    if (this.#changed && this.#jobs.size > 0)
      this.#rounds.requestAt(clock.now() + Math.max(0, lookAtMost - (clock.monotonic() - this.#lookedAt)))
    let next = Number.POSITIVE_INFINITY
    for (const waiting of this.#jobs.values()) if (this.#isIdle(waiting)) next = Math.min(next, waiting.refusal?.until ?? next)
    if (next < clock.now() + lookEvery) this.#rounds.requestAt(Math.max(next, clock.now() + lookAtMost))
  }

  /** Whom to decide on now, in the order of service. */
  #choose(): readonly WaitingJob[] {
    const { clock } = this.#options
    const now = clock.monotonic()
    const line = fairOrder(
      Array.from(this.#jobs.values())
        .filter(each => this.#isIdle(each))
        .map(({ job }) => job),
    )
    const jobs = line.map(({ id }) => this.#jobs.get(id) as WaitingJob)
    const isDue = ({ decidedAt, heardAt, refusal }: WaitingJob) =>
      decidedAt === undefined || heardAt > decidedAt || (refusal?.until ?? Number.POSITIVE_INFINITY) <= clock.now()
    const chosen = new Set(jobs.filter(isDue))
    if (now - this.#lookedAt >= (this.#changed ? lookAtMost : lookEvery)) {
      ;[this.#changed, this.#lookedAt] = [false, now]
      const longest = jobs.toSorted((one, other) => (one.decidedAt ?? 0) - (other.decidedAt ?? 0))
      for (const each of [...jobs.slice(0, mostLooks), ...longest.slice(0, mostLooks)]) chosen.add(each)
    }
    return jobs.filter(each => chosen.has(each))
  }

  #isIdle({ isStarting, job }: WaitingJob): boolean {
    return !isStarting && !this.#options.underWay.hasJob(job.id)
  }

  async #decide(waiting: WaitingJob, signal: AbortSignal): Promise<Verdict | undefined> {
    const { gates, log, clock } = this.#options
    const { job } = waiting
    this.#options.counters.count('jobs_processed_count')
    using limit = clock.deadline(decisionLimit, signal)
    let verdict: Verdict
    try {
      verdict = await gates.decide(job, limit.signal)
    } catch (error) {
      signal.throwIfAborted()
      // One job that nobody can decide on must not hold up the others.
      log.error('it could not be decided whether a job may start', { job: job.id, error })
      waiting.decidedAt = clock.monotonic()
      const message = `this hatchery could not decide whether it may start: ${(error as Error).message}`
      await this.#wait(waiting, { gate: 'CanSpawn', reason: 'NotDecided', message, until: clock.now() + lookEvery })
      return undefined
    }
    waiting.decidedAt = clock.monotonic()
    if (verdict.kind === 'go') this.#go(waiting, verdict)
    if (verdict.kind === 'wait') await this.#wait(waiting, verdict.refusal)
    if (verdict.kind === 'drop') await this.#drop(waiting, verdict.why)
    if (verdict.kind === 'fail') await this.#fail(waiting, verdict.why, signal)
    return verdict
  }

  #go(waiting: WaitingJob, { plan, undertaking }: Verdict & { readonly kind: 'go' }): void {
    waiting.isStarting = true
    waiting.refusal = undefined
    this.#options.counters.count('chan_worker_starter_job_pop')
    const starting = this.#options.spawner
      .spawn(plan, undertaking, this.#stop.signal)
      .then(outcome => this.#ended(waiting, outcome))
      .finally(() => {
        this.#starting.delete(starting)
        this.wake()
      })
    this.#starting.add(starting)
  }

  #ended(waiting: WaitingJob, outcome: SpawnOutcome): void {
    const { clock } = this.#options
    waiting.isStarting = false
    waiting.writtenAt = clock.monotonic()
    if (outcome.kind === 'failed') {
      const message = 'the last attempt to start a worker failed'
      waiting.refusal = { gate: 'Attempts', reason: 'Pausing', message, until: outcome.until }
      waiting.decidedAt = clock.monotonic()
      return
    }
    // Its attempts are not forgotten: it comes back if its worker never signs in, or if whoever took it fails as well.
    this.#jobs.delete(waiting.job.id)
  }

  async #wait(waiting: WaitingJob, refusal: Refusal): Promise<void> {
    const { records, log, clock } = this.#options
    const { job } = waiting
    waiting.refusal = refusal
    const record = records.ofJob(job.id)
    const known = record?.status?.conditions?.find(({ type }) => type === 'Ready')
    // The record tells already why the last attempt failed and when the next one is.
    if (refusal.reason === 'Pausing' && known?.reason === 'SpawnFailed') return
    const lastError = record?.status?.lastError
    const message = refusal.gate === 'Attempts' && lastError !== undefined ? `${refusal.message}: ${lastError}` : refusal.message
    const isNews = known?.reason !== refusal.reason || record?.status?.phase !== 'Waiting'
    const isOld = known?.message !== message && clock.monotonic() - waiting.writtenAt > writeAgainAfter
    if (!isNews && !isOld) return
    waiting.writtenAt = clock.monotonic()
    const spec = record === undefined ? jobSpec(job, job.model?.name ?? job.runsOn?.model ?? '') : withoutHatchery(record.spec)
    const why = { reason: refusal.reason, message, unblock: refusal.unblock, until: refusal.until }
    await records
      .write(jobRecord(job.id), spec, { phase: 'Waiting', why })
      .catch((error: unknown) => log.warn('why a job waits could not be written down', { job: job.id, error }))
    if (isNews) log.info('a job waits', { job: job.id, gate: refusal.gate, reason: refusal.reason, why: message })
  }

  async #drop({ job }: WaitingJob, why: string): Promise<void> {
    const { log } = this.#options
    log.debug('a job is no longer ours to start', { job: job.id, why })
    this.#jobs.delete(job.id)
    await this.#removeRecord(job.id)
  }

  async #fail(waiting: WaitingJob, why: string, signal: AbortSignal): Promise<void> {
    const { cds, log, records, attempts } = this.#options
    const { id } = waiting.job
    const lastError = records.ofJob(id)?.status?.lastError
    try {
      await cds.v1?.fail(id, lastError === undefined ? why : `${why}: ${lastError}`, signal)
    } catch (error) {
      signal.throwIfAborted()
      log.warn('a job that was tried too often could not be ended', { job: id, error })
      return await this.#wait(waiting, { gate: 'Attempts', reason: 'TooManyAttempts', message: why })
    }
    log.warn('a job was tried too often and is ended as failed', { job: id, why })
    attempts.forget(id)
    await this.#drop(waiting, why)
  }

  async #removeRecord(jobId: string): Promise<void> {
    const { records, underWay } = this.#options
    if (!underWay.hasJob(jobId)) await records.remove(jobRecord(jobId))
  }

  /** Whether a change of a VM can let a job start: one of ours comes, goes, starts, stops or changes its name; or a template does. */
  #matters({ old, now }: VmChange): boolean {
    const isOf = (vm: Vm | undefined) => vm !== undefined && (vm.template || readWorkerNote(vm)?.hatcheryName === this.#options.hatchery)
    if (!isOf(old) && !isOf(now)) return false
    return old === undefined || now === undefined || old.power !== now.power || old.name !== now.name || old.template !== now.template
  }
}

type RecordSpec = NonNullable<ReturnType<SpawnRecords['ofJob']>>['spec']

function withoutHatchery({ hatchery: _, ...spec }: RecordSpec): Omit<RecordSpec, 'hatchery'> {
  return spec
}

/** As much of a job as its record knows: enough to ask CDS for the rest. */
function jobOfRecord({ job = '', version, title = '', queued }: RecordSpec): Job {
  return bareJob({ version: version === 1 ? 1 : 2, id: job, queued: queued === undefined ? 0 : parseTime(queued), title })
}
