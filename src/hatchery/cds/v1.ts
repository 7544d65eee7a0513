import { type Clock, type Log, Secret, isoTimeMicro } from '../../ports/index.ts'
import type { Job } from '../jobs/job.ts'
import type { Cdn, CdsV1, RegisteredWorker, StatusLine, V1Model } from './cds.ts'
import { readCdn } from './cdn.ts'
import { noTime } from './cds-time.ts'
import { CdsRefused } from './errors.ts'
import { type HeartbeatSource, monitoringStatus } from './heartbeat.ts'
import { jobEventsV1 } from './job-events.ts'
import { readJobV1 } from './job-v1.ts'
import type { JobEvents } from './job-events-source.ts'
import type { CdsCall, Line } from './line.ts'
import { readModelV1 } from './model-v1.ts'
import { once } from './once.ts'
import { readEach } from './read-each.ts'
import { fieldsOf, listOf, textIn } from './reading.ts'
import { readWorker } from './registered-worker.ts'
import { jobNumber } from './worker-token.ts'

/** What the V1 side needs besides its line. */
export interface V1Options extends HeartbeatSource {
  readonly region: string
  readonly ignoreJobWithNoRegion: boolean
  readonly clock: Clock
  readonly log: Log
}

/** The calls for V1 jobs and models. */
export class V1 implements CdsV1, JobEvents {
  readonly #line: Line
  readonly #options: V1Options

  constructor(line: Line, options: V1Options) {
    this.#line = line
    this.#options = options
  }

  async signIn(signal: AbortSignal): Promise<void> {
    await this.#line.session.renew(signal)
  }

  /** Only a session that is there is ended: to sign in for it would be one more. */
  async signOut(signal: AbortSignal): Promise<void> {
    try {
      await this.#line.sendIfSignedIn({ method: 'POST', path: '/auth/consumer/signout', timeout: 5_000, twice: 'harmless' }, signal)
    } catch (error) {
      if (!CdsRefused.is(error) || error.details.status >= 500) throw error
    } finally {
      this.#line.session.end()
    }
  }

  async heartbeat(lines: readonly StatusLine[], signal: AbortSignal): Promise<void> {
    const body = JSON.stringify(monitoringStatus(lines, this.#options, this.#options.clock.now()))
    await this.#line.send({ method: 'POST', path: '/services/heartbeat', body, twice: 'harmless' }, signal)
  }

  async cdn(signal: AbortSignal): Promise<Cdn | undefined> {
    return readCdn(await this.#line.sendUnlessGone({ method: 'GET', path: '/config/cdn', twice: 'harmless' }, [404], signal))
  }

  async waitingJobs(signal: AbortSignal): Promise<readonly Job[]> {
    const { region, ignoreJobWithNoRegion, clock, log } = this.#options
    const query = new URLSearchParams({ modelType: 'vsphere' })
    if (region !== '') query.append('region', region)
    if (region !== '' && !ignoreJobWithNoRegion) query.append('region', '')
    const answer = await this.#get(`/queue/workflows?${query.toString()}`, signal, 10_000)
    const jobs = readEach(answer, each => readJobV1(each, clock.now()), 'GET /queue/workflows', log)
    return jobs.filter(job => job.status === 'Waiting' && job.takenBy === '')
  }

  async job(id: string, signal: AbortSignal): Promise<Job | undefined> {
    const call: CdsCall = { method: 'GET', path: `${jobPath(id)}/infos`, twice: 'harmless' }
    // CDS checks the permission first, which a job that is over gives to nobody: 403 means that it is gone.
    return readJobV1(await this.#line.sendUnlessGone(call, [403, 404], signal), this.#options.clock.now())
  }

  async jobEvents(signal: AbortSignal): Promise<AsyncIterable<string>> {
    return jobEventsV1(await this.#line.connect('/ws', signal), this.#options.log)
  }

  async book(jobId: string, seconds: number, signal: AbortSignal): Promise<boolean> {
    const body = JSON.stringify({ delay: seconds })
    const call: CdsCall = { method: 'POST', path: `${jobPath(jobId)}/book`, body, timeout: 10_000, twice: 'never' }
    const act = async () => {
      try {
        await this.#line.send(call, signal)
        return true
      } catch (error) {
        if (CdsRefused.is(error) && [403, 404].includes(error.details.status)) return false
        throw error
      }
    }
    return await once({ act, look: () => this.#isBooked(jobId, signal) }, this.#options.clock, signal)
  }

  /** Whether it is ours; undefined if it is nobody's and can be booked again. */
  async #isBooked(jobId: string, signal: AbortSignal): Promise<boolean | undefined> {
    const job = await this.job(jobId, signal)
    if (job?.status !== 'Waiting') return false
    return job.takenBy === '' ? undefined : job.takenBy === this.#options.name
  }

  async release(jobId: string, signal: AbortSignal): Promise<void> {
    // CDS gives back a booking no matter whose it is, so that it has to be ours now, not only when we booked.
    const look = async () => (await this.#isBooked(jobId, signal)) === true
    const act = async () => {
      if (!(await look())) return true
      const call: CdsCall = { method: 'DELETE', path: `${jobPath(jobId)}/book`, timeout: 10_000, twice: 'never' }
      try {
        await this.#line.send(call, signal)
      } catch (error) {
        if (!CdsRefused.is(error) || ![400, 403, 404].includes(error.details.status)) throw error
      }
      return true
    }
    await once({ act, look: async () => ((await look()) ? undefined : true) }, this.#options.clock, signal)
  }

  async spawnInfo(jobId: string, message: string, args: readonly string[], signal: AbortSignal): Promise<void> {
    const remote_time = isoTimeMicro(this.#options.clock.now())
    const body = JSON.stringify([{ api_time: noTime, remote_time, message: { id: message, args } }])
    const call: CdsCall = { method: 'POST', path: `${jobPath(jobId)}/spawn/infos`, body, timeout: 10_000, twice: 'never' }
    await this.#line.sendUnlessGone(call, [403, 404], signal)
  }

  async fail(jobId: string, reason: string, signal: AbortSignal): Promise<void> {
    const id = jobNumber(jobId)
    const remoteTime = isoTimeMicro(this.#options.clock.now())
    const body = JSON.stringify({ id, buildID: id, status: 'Fail', remoteTime, reason })
    // A second time does no harm: CDS takes a result from a hatchery only while the job waits.
    const call: CdsCall = { method: 'POST', path: `${jobPath(jobId)}/result`, body, twice: 'harmless' }
    await this.#line.sendUnlessGone(call, [400, 403, 404], signal)
  }

  async workers(signal: AbortSignal): Promise<readonly RegisteredWorker[]> {
    const answer = await this.#get('/worker', signal, 5_000)
    return readEach(answer, each => readWorker(each, 1), 'GET /worker', this.#options.log)
  }

  async disableWorker(id: string, signal: AbortSignal): Promise<void> {
    const path = `/worker/${encodeURIComponent(id)}/disable`
    await this.#line.sendUnlessGone({ method: 'POST', path, timeout: 5_000, twice: 'harmless' }, [404], signal)
  }

  async models(signal: AbortSignal): Promise<readonly V1Model[]> {
    return readEach(await this.#get('/worker/model/enabled', signal), readModelV1, 'GET /worker/model/enabled', this.#options.log)
  }

  async model(path: string, signal: AbortSignal): Promise<V1Model | undefined> {
    return readModelV1(await this.#line.sendUnlessGone({ method: 'GET', path: modelPath(path), twice: 'harmless' }, [403, 404], signal))
  }

  async modelSecrets(path: string, signal: AbortSignal): Promise<ReadonlyMap<string, Secret>> {
    const secrets = listOf(await this.#get(`${modelPath(path)}/secret`, signal)).map(fieldsOf)
    return new Map(secrets.map(each => [textIn(each, 'name'), new Secret(textIn(each, 'value'))]))
  }

  /** Never tried twice: to find our own lock and take it for another's would only cost time, the other way round two would build. */
  async bookModel(path: string, signal: AbortSignal): Promise<boolean> {
    try {
      await this.#line.send({ method: 'PUT', path: `${modelPath(path)}/book`, twice: 'never' }, signal)
      return true
    } catch (error) {
      if (CdsRefused.is(error) && (error.details.id === modelBooked || error.details.status === 404)) return false
      throw error
    }
  }

  async modelError(path: string, error: string, signal: AbortSignal): Promise<void> {
    const body = JSON.stringify({ Error: error, Logs: null })
    // Not twice: each one counts, and a model with too many is left alone.
    await this.#line.sendUnlessGone({ method: 'PUT', path: `${modelPath(path)}/error`, body, twice: 'never' }, [404], signal)
  }

  async #get(path: string, signal: AbortSignal, timeout?: number): Promise<unknown> {
    return await this.#line.send({ method: 'GET', path, twice: 'harmless', ...(timeout !== undefined && { timeout }) }, signal)
  }
}

/** CDS's number for a model that another is registering. */
const modelBooked = 115

function jobPath(id: string): string {
  jobNumber(id)
  return `/queue/workflows/${id}`
}

function modelPath(path: string): string {
  const slash = path.indexOf('/')
  return `/worker/model/${encodeURIComponent(path.slice(0, slash))}/${encodeURIComponent(path.slice(slash + 1))}`
}
