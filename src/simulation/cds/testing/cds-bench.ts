import { type HttpRequest, seededChance, simulatedHttp, simulatedWebSockets, VirtualClock } from '../../../ports/index.ts'
import { settle } from '../../platform/testing/settle.ts'
import { signedInHatchery, type ScriptedHatchery, workerTokens } from '../contract/hatchery.ts'
import type { CdsSubject } from '../contract/subject.ts'
import { jsonOf, Transcript } from '../contract/transcript.ts'
import { SimulatedCds } from '../simulated-cds.ts'
import type { JobV1, JobV2 } from '../records.ts'

/** A V2 model that every job may have. */
export const debian = { name: 'deb', osarch: 'linux/amd64', type: 'vsphere', spec: { image: 'debian12' } } as const

/** A simulated CDS with one hatchery that has signed in, V1 and V2, in region `eu`. */
export interface CdsBench {
  readonly clock: VirtualClock
  readonly cds: SimulatedCds
  readonly hatchery: ScriptedHatchery
  /** Calls the API; answers `{ status, body }`. */
  call(
    method: HttpRequest['method'],
    path: string,
    body?: unknown,
    token?: string,
  ): Promise<{ readonly status: number; readonly body: unknown }>
  /** A worker for a job signs in. Gives its session. */
  signIn(job: JobV1 | JobV2, worker: string): Promise<string>
  addJobV2(): JobV2
  take(job: JobV2): Promise<number>
  release(job: JobV2): Promise<number>
}

const form = { BinaryCapabilities: ['git'], Version: 'snapshot', OS: 'linux', Arch: 'amd64' }

export async function cdsBench(seed: number | string = 'bench'): Promise<CdsBench> {
  const clock = new VirtualClock()
  const cds = new SimulatedCds({ clock, chance: seededChance(seed) })
  const http = simulatedHttp(cds.handler, { clock })
  const subject: CdsSubject = {
    url: 'http://cds.simulated',
    http: { ...http, send: request => settle(clock, http.send(request), 5) },
    webSockets: simulatedWebSockets(cds.webSocketHandler, { clock }),
    now: () => clock.now(),
    pass: milliseconds => clock.advance(milliseconds),
    addHatcheryV1: async name => cds.addHatcheryV1({ name }),
    addHatcheryV2: async name => cds.addHatcheryV2({ name, region: 'eu' }),
    addRegion: async () => {},
    startJobV1: async () => 0,
    startJobV2: async () => '',
    addModelV1: async () => 0,
  }
  const transcript = new Transcript(subject)
  const hatchery = await signedInHatchery(transcript, 'h1', 'eu')
  const call: CdsBench['call'] = async (method, path, body, token) => {
    const answer = await transcript.quietly({ method, path, body, ...(token !== undefined && { token }) })
    return { status: answer.status, body: jsonOf(answer) }
  }
  const takePath = (job: JobV2) => `/v2/queue/eu/job/${job.id}/hatchery/take`
  return {
    clock,
    cds,
    hatchery,
    call,
    async signIn(job, worker) {
      const isV2 = typeof job.id === 'string'
      const claims = isV2 ? { model_name: 'deb', run_job_id: job.id } : { model: {}, job_id: job.id }
      const path = isV2 ? `/v2/queue/eu/job/${job.id}/worker/signin` : '/auth/consumer/worker/signin'
      const token = workerTokens(clock, hatchery)(worker, claims)
      const answer = await transcript.quietly({ method: 'POST', path, body: form, token })
      return answer.headers['x-cds-jwt'] ?? `refused with ${answer.status}`
    },
    addJobV2: () => cds.addJobV2({ region: 'eu', model: debian }),
    take: async job => (await call('POST', takePath(job), undefined, hatchery.sessionV2)).status,
    release: async job => (await call('DELETE', takePath(job), undefined, hatchery.sessionV2)).status,
  }
}
