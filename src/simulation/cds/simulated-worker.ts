import { type Clock, type HttpClient, type HttpResponse, isoTimeMicro, Secret } from '../../ports/index.ts'
import type { WorkerConfig } from './worker-script.ts'

/** How a worker's job goes. */
export interface JobOutcome {
  readonly status: 'Success' | 'Fail'
  readonly milliseconds: number
}

/** What a simulated worker lives on. */
export interface WorkerLife {
  readonly clock: Clock
  readonly http: HttpClient
  /** False once its guest is off. It then does nothing more, and tells nobody. */
  readonly lives: () => boolean
  /** Aborts when its whole world ends: it then waits for nothing any more. */
  readonly signal: AbortSignal
  readonly outcome: () => JobOutcome
}

const beat = 30_000
const retryEvery = 3_000
const mostTries = 10
const form = { Version: 'snapshot', OS: 'linux', Arch: 'amd64' }

/** The worker was refused, or lost its guest: its program ends. */
class WorkerEnds extends Error {}

/** The worker's program: signs in with the token that it was given, does its job, says that it lives meanwhile, and signs out. */
export class SimulatedWorker {
  readonly #config: WorkerConfig
  readonly #life: WorkerLife
  #session: string | undefined

  constructor(config: WorkerConfig, life: WorkerLife) {
    this.#config = config
    this.#life = life
  }

  /** Runs to the end, good or bad. Resolves to what happened, for those who look on. Rejects only when its world ends. */
  async run(registers: boolean): Promise<string> {
    try {
      if (registers) await this.#register()
      else if (this.#config.run_job_id !== undefined) await this.#runV2(this.#config.run_job_id)
      else await this.#runV1(this.#config.booked_job_id ?? 0)
      return 'done'
    } catch (error) {
      if (error instanceof WorkerEnds) return error.message
      throw error
    }
  }

  async #register(): Promise<void> {
    await this.#signIn('/auth/consumer/worker/signin', ['bash', 'git', 'gpg'])
    await this.#call('POST', '/auth/consumer/worker/signout')
  }

  async #runV1(job: number): Promise<void> {
    await this.#signIn('/auth/consumer/worker/signin', ['bash', 'git', 'gpg'])
    await this.#call('POST', '/worker/waiting')
    await this.#call('POST', `/queue/workflows/${job}/take`)
    const { status, milliseconds } = await this.#work('/worker/refresh')
    const result = { buildID: job, status, remoteTime: isoTimeMicro(this.#life.clock.now()), duration: `${milliseconds}ms` }
    await this.#call('POST', `/queue/workflows/${job}/result`, result)
    await this.#call('POST', '/auth/consumer/worker/signout')
  }

  async #runV2(job: string): Promise<void> {
    const base = `/v2/queue/${this.#config.region ?? ''}/job/${job}`
    await this.#signIn(`${base}/worker/signin`, null)
    await this.#call('POST', `${base}/worker/take`)
    const { status } = await this.#work(`${base}/worker/refresh`)
    await this.#call('POST', `${base}/result`, { status, time: isoTimeMicro(this.#life.clock.now()) }).catch(unlessRefused)
    await this.#call('POST', `${base}/worker/signout`)
  }

  async #signIn(path: string, capabilities: readonly string[] | null): Promise<void> {
    const answer = await this.#call('POST', path, { BinaryCapabilities: capabilities, ...form }, this.#config.api_token)
    this.#session = answer.headers['x-cds-jwt']
  }

  /** Does the job, with a sign of life every 30 seconds. */
  async #work(refresh: string): Promise<JobOutcome> {
    const { clock, outcome, signal } = this.#life
    const goes = outcome()
    const end = clock.monotonic() + goes.milliseconds
    for (let left = goes.milliseconds; left > 0; left = end - clock.monotonic()) {
      await clock.sleep(Math.min(beat, left), signal)
      // A lost beat does no harm; the next one comes.
      if (clock.monotonic() < end) await this.#call('POST', refresh, undefined, undefined, 1).catch(() => {})
      this.#mustLive()
    }
    return goes
  }

  /** Calls the API, again and again while nobody answers. */
  async #call(method: 'GET' | 'POST', path: string, body?: object, token = this.#session, tries = mostTries): Promise<HttpResponse> {
    const { clock, http, signal } = this.#life
    for (let count = 1; ; count++) {
      this.#mustLive()
      const answer = await http
        .send({
          method,
          url: `${this.#config.api_endpoint}${path}`,
          headers: {
            'content-type': 'application/json',
            ...(token !== undefined && { authorization: new Secret(`Bearer ${token}`) }),
          },
          ...(body !== undefined && { body: JSON.stringify(body) }),
          timeout: 10_000,
        })
        .catch(() => undefined)
      if (answer !== undefined && answer.status < 400) return answer
      if (answer !== undefined && answer.status < 500) throw new WorkerEnds(`${path} was refused with ${answer.status}`)
      if (count >= tries) throw new WorkerEnds(`${path} got no answer`)
      await clock.sleep(retryEvery, signal)
    }
  }

  #mustLive(): void {
    if (!this.#life.lives()) throw new WorkerEnds('its guest is off')
  }
}

/** A job that was stopped or taken away in the meantime takes no result; the worker signs out all the same. */
function unlessRefused(error: unknown): void {
  if (!(error instanceof WorkerEnds) || !error.message.includes('refused')) throw error
}
