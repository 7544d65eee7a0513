import { type Clock, type Log, isoTimeMicro } from '../../ports/index.ts'
import type { Job, V2Model } from '../jobs/job.ts'
import type { Cdn, CdsV2, RegisteredWorker, StatusLine } from './cds.ts'
import { readCdn } from './cdn.ts'
import { CdsRefused } from './errors.ts'
import { type HeartbeatSource, monitoringStatus } from './heartbeat.ts'
import type { JobEvents } from './job-events-source.ts'
import { jobEventsV2 } from './job-events.ts'
import { readJobV2 } from './job-v2.ts'
import type { CdsCall, Line } from './line.ts'
import { modelPath } from './model-reference.ts'
import { readModelV2 } from './model-v2.ts'
import { once } from './once.ts'
import { readEach } from './read-each.ts'
import { fieldsOf } from './reading.ts'
import { readWorker } from './registered-worker.ts'

/** What the V2 side needs besides its line. */
export interface V2Options extends HeartbeatSource {
  readonly osArch: readonly string[]
  /** The region of the latest sign-in. */
  readonly region: () => string
  readonly clock: Clock
  readonly log: Log
}

/** Between being taken by a hatchery and being over; before and after, a job is not the hatchery's. */
const inHand: ReadonlySet<string> = new Set(['Scheduling', 'Building'])

/** The calls for V2 jobs. */
export class V2 implements CdsV2, JobEvents {
  readonly #line: Line
  readonly #options: V2Options

  constructor(line: Line, options: V2Options) {
    this.#line = line
    this.#options = options
  }

  get region(): string {
    return this.#options.region()
  }

  async signIn(signal: AbortSignal): Promise<void> {
    await this.#line.session.renew(signal)
  }

  async heartbeat(lines: readonly StatusLine[], signal: AbortSignal): Promise<void> {
    const body = JSON.stringify(monitoringStatus(lines, this.#options, this.#options.clock.now()))
    await this.#line.send({ method: 'POST', path: '/v2/hatchery/heartbeat', body, twice: 'harmless' }, signal)
  }

  async cdn(signal: AbortSignal): Promise<Cdn | undefined> {
    return readCdn(await this.#line.sendUnlessGone({ method: 'GET', path: '/v2/config/cdn', twice: 'harmless' }, [404], signal))
  }

  async waitingJobs(signal: AbortSignal): Promise<readonly Job[]> {
    const { osArch, clock, log } = this.#options
    const query = osArch.map(each => `osarch=${encodeURIComponent(each)}`).join('&')
    const path = () => `${this.#queue()}?${query}`
    const answer = await this.#line.send({ method: 'GET', path, timeout: 10_000, twice: 'harmless' }, signal)
    const jobs = readEach(answer, each => readJobV2(each, undefined, clock.now()), 'GET /v2/queue', log)
    return jobs.filter(job => job.status === 'Waiting' && job.takenBy === '')
  }

  async job(id: string, signal: AbortSignal): Promise<Job | undefined> {
    const call: CdsCall = { method: 'GET', path: () => this.#jobPath(id), twice: 'harmless' }
    const answer = fieldsOf(await this.#line.sendUnlessGone(call, [403, 404], signal))
    return readJobV2(answer['runjob'], answer['model'], this.#options.clock.now())
  }

  async jobEvents(signal: AbortSignal): Promise<AsyncIterable<string>> {
    return jobEventsV2(await this.#line.connect('/v2/hatchery/ws', signal), this.#options.log)
  }

  async take(jobId: string, signal: AbortSignal): Promise<boolean> {
    const call: CdsCall = { method: 'POST', path: () => `${this.#jobPath(jobId)}/hatchery/take`, timeout: 10_000, twice: 'never' }
    const act = async () => {
      try {
        await this.#line.send(call, signal)
        return true
      } catch (error) {
        if (isLost(error)) return false
        throw error
      }
    }
    const look = async () => {
      const job = await this.job(jobId, signal)
      if (job === undefined) return false
      if (job.status === 'Waiting') return undefined
      return job.status === 'Scheduling' && job.takenBy === this.#options.name
    }
    return await once({ act, look }, this.#options.clock, signal)
  }

  async release(jobId: string, signal: AbortSignal): Promise<void> {
    // CDS puts a job back into the queue even if it has succeeded: only one that is still in our hands is given back.
    const look = async () => {
      const job = await this.job(jobId, signal)
      return job !== undefined && job.takenBy === this.#options.name && inHand.has(job.status)
    }
    const act = async () => {
      if (!(await look())) return true
      const path = () => `${this.#jobPath(jobId)}/hatchery/take`
      await this.#line.sendUnlessGone({ method: 'DELETE', path, timeout: 10_000, twice: 'never' }, [400, 404], signal)
      return true
    }
    await once({ act, look: async () => ((await look()) ? undefined : true) }, this.#options.clock, signal)
  }

  async info(jobId: string, level: 'info' | 'warning' | 'error', message: string, signal: AbortSignal): Promise<void> {
    const body = JSON.stringify({ level, message, time: isoTimeMicro(this.#options.clock.now()) })
    const path = () => `${this.#jobPath(jobId)}/info`
    await this.#line.sendUnlessGone({ method: 'POST', path, body, timeout: 10_000, twice: 'never' }, [404], signal)
  }

  async workers(signal: AbortSignal): Promise<readonly RegisteredWorker[]> {
    const answer = await this.#line.send({ method: 'GET', path: '/v2/worker', timeout: 5_000, twice: 'harmless' }, signal)
    return readEach(answer, each => readWorker(each, 2), 'GET /v2/worker', this.#options.log)
  }

  async model(reference: string, signal: AbortSignal): Promise<V2Model | undefined> {
    const path = modelPath(reference)
    const model = readModelV2(await this.#line.sendUnlessGone({ method: 'GET', path, twice: 'harmless' }, [403, 404], signal))
    return model === undefined || !mayBeEncrypted(model.password) ? model : { ...model, ...(await this.#decrypted(path, signal)) }
  }

  /** CDS decrypts what the project's key encrypted, and refuses anything else: then the text is what it is. */
  async #decrypted(path: string, signal: AbortSignal): Promise<{ readonly password?: string }> {
    try {
      const call: CdsCall = { method: 'GET', path: `${path}&withSecrets=true`, twice: 'never' }
      const password = readModelV2(await this.#line.send(call, signal))?.password ?? ''
      return password === '' ? {} : { password }
    } catch (error) {
      if (CdsRefused.is(error)) return {}
      throw error
    }
  }

  #queue(): string {
    return `/v2/queue/${encodeURIComponent(this.region)}`
  }

  #jobPath(id: string): string {
    return `${this.#queue()}/job/${encodeURIComponent(id)}`
  }
}

/** Another was faster (404), or the job is over (400, which CDS numbers 74). */
function isLost(error: unknown): boolean {
  return CdsRefused.is(error) && (error.details.status === 404 || error.details.id === 74)
}

/** What stands in braces is a variable, which nobody here can fill in. */
function mayBeEncrypted(password: string): boolean {
  return password !== '' && !password.includes('${{')
}
