import type { Access, Attempt, User } from '../access/index.ts'
import type { Kind } from '../kinds/index.ts'
import type { Clock, Counter, Gauge, Histogram, Metrics } from '../ports/index.ts'
import { qualified } from '../store/index.ts'
import { type Call, header } from './call.ts'
import { asksForHealth } from './health.ts'

/** What is known about a request while it is under way. */
export interface Trail {
  /** Names the request in the audit log, in the log and in the answer. */
  readonly id: string
  readonly started: number
  readonly warnings: string[]
  user?: User
  attempt?: Attempt
  dryRun?: boolean
  /** The name of the object that was to be made, as far as it became known. */
  made?: string
}

/** Keeps the audit log and the metrics of an API server. */
export class Records {
  readonly #access: Access
  readonly #clock: Clock
  readonly #requests: Counter<'verb' | 'resource' | 'code'>
  readonly #seconds: Histogram<'verb'>
  readonly #watches: Gauge<'resource'>

  constructor(access: Access, clock: Clock, metrics: Metrics) {
    this.#access = access
    this.#clock = clock
    this.#requests = metrics.counter({
      name: 'aviary_api_requests_total',
      help: 'Requests to the API server by verb, resource and HTTP status.',
      labels: ['verb', 'resource', 'code'],
    })
    this.#seconds = metrics.histogram({
      name: 'aviary_api_request_seconds',
      help: 'Time from the arrival of a request to its answer, watches excepted.',
      labels: ['verb'],
      buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 60],
    })
    this.#watches = metrics.gauge({ name: 'aviary_api_watches', help: 'Watches that are open.', labels: ['resource'] })
  }

  /** A watch began or ended. */
  watch(kind: Kind, by: 1 | -1): void {
    this.#watches.add({ resource: qualified(kind) }, by)
  }

  /** A request was answered. `known` says that its resource is served: others would make metrics without end. */
  answered(call: Call, trail: Trail, status: number, reason: string | undefined, known: boolean): void {
    const { attempt, user } = trail
    if (attempt === undefined) return
    const duration = this.#clock.monotonic() - trail.started
    const { resource } = attempt
    const name = resource === undefined || !known ? '' : resource.group === '' ? resource.plural : `${resource.plural}.${resource.group}`
    this.#requests.add({ verb: attempt.verb, resource: name, code: String(status) })
    if (attempt.verb !== 'watch') this.#seconds.observe({ verb: attempt.verb }, duration / 1000)
    // Somebody asks how we are every few seconds; only a bad answer is worth a line.
    if (attempt.path !== undefined && asksForHealth(attempt.path.split('/').slice(1)) && status === 200) return
    this.#access.audit({
      id: trail.id,
      user: user?.name ?? '',
      groups: user?.groups ?? [],
      attempt: namedAttempt(attempt, trail.made),
      sourceAddress: call.sourceAddress,
      userAgent: header(call, 'user-agent') ?? '',
      status,
      ...(reason === undefined ? {} : { reason }),
      ...(trail.dryRun === true ? { dryRun: true } : {}),
      durationMilliseconds: duration,
    })
  }
}

/** No name is longer; what was refused as one may be. */
const longestName = 253

/** Which object was made stands in the body only, and the audit log must tell. */
function namedAttempt(attempt: Attempt, made: string | undefined): Attempt {
  const { verb, resource } = attempt
  if (verb !== 'create' || resource === undefined || made === undefined || made === '') return attempt
  return { ...attempt, resource: { ...resource, name: made.slice(0, longestName) } }
}
