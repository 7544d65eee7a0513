import { createHash } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import {
  type Chance,
  type Clock,
  type HttpHandler,
  isoTimeMicro,
  type Log,
  type Metrics,
  type ServedRequest,
  type ServedResponse,
} from '../../ports/index.ts'
import type { StatusLine } from '../cds/cds.ts'
import { monitoringStatus } from '../cds/heartbeat.ts'
import type { WorkerPool } from '../gates/worker-pool.ts'
import { HttpMeter } from './http-meter.ts'
import { metricCatalogue } from './metric-catalogue.ts'

/** What the routes answer from. */
export interface MonRoutesOptions {
  readonly name: string
  readonly hostname: string
  readonly version: string
  readonly status: () => readonly StatusLine[]
  readonly pool: Pick<WorkerPool, 'refresh' | 'workers'>
  readonly metrics: Metrics
  readonly clock: Clock
  readonly chance: Chance
  readonly log: Log
}

interface Answer {
  readonly status: number
  readonly type: string
  readonly body: string
}

/** Answers one path. */
type Route = (request: ServedRequest) => Answer | Promise<Answer>

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** The numbers by which CDS knows what leads nowhere, and what nobody planned for. */
const errors = { notFound: 38, unknown: 1 } as const

/**
 * The hatchery's own web pages, as the original serves them, for monitoring. Anybody may read them: there is no secret in any.
 */
export function monRoutes(options: MonRoutesOptions): HttpHandler {
  const { clock, log } = options
  const meter = new HttpMeter(options.metrics, options.name)
  const routes = routesOf(options)
  return async request => {
    const since = clock.monotonic()
    const { pathname } = request.url
    const path = pathname.length > 1 ? pathname.replace(/\/+$/, '') : pathname
    const route = routes.get(path)
    const id = requestId(request, options.chance)
    const answer = await answerOf(request, route, id).catch((error: unknown) => {
      log.warn('a page could not be shown', { path, error })
      return errorAnswer(503, errors.unknown, error instanceof Error ? error.message : 'not known', id)
    })
    const response = responseOf(request, answer, id, clock.now())
    meter.count({
      handler: route === undefined ? 'none' : path,
      method: request.method,
      status: answer.status,
      requestBytes: request.body.length,
      responseBytes: response.body.length,
      milliseconds: clock.monotonic() - since,
    })
    return request.method === 'HEAD' ? { ...response, body: '' } : response
  }
}

async function answerOf(request: ServedRequest, route: Route | undefined, id: string): Promise<Answer> {
  const isReading = request.method === 'GET' || request.method === 'HEAD'
  return route !== undefined && isReading ? await route(request) : errorAnswer(404, errors.notFound, 'resource not found', id)
}

function routesOf({ name, hostname, version, status, pool, metrics, clock }: MonRoutesOptions): ReadonlyMap<string, Route> {
  const about = { version, architecture: goNames[process.arch] ?? process.arch, os: goNames[process.platform] ?? process.platform }
  return new Map<string, Route>([
    ['/mon/version', () => jsonAnswer({ ...about, git_hash: '', build_time: '' })],
    [
      '/mon/status',
      () => {
        const lines = status()
        const isAlarm = lines.some(line => line.status === 'AL')
        return jsonAnswer(monitoringStatus(lines, { name, hostname }, clock.now()), isAlarm ? 503 : 200)
      },
    ],
    [
      '/mon/workers',
      async ({ signal }) => {
        await pool.refresh(signal)
        return jsonAnswer(
          pool.workers().map(({ name: worker, status: is, registered }) => ({ ...registered?.raw, name: worker, status: is })),
        )
      },
    ],
    ['/mon/metrics', async () => ({ status: 200, type: 'text/plain; version=0.0.4; charset=utf-8', body: await metrics.text() })],
    ['/mon/metrics/all', () => jsonAnswer(metricCatalogue().map(catalogueEntry))],
  ])
}

/** How Go calls what Node calls otherwise. */
const goNames: Readonly<Record<string, string>> = { x64: 'amd64', ia32: '386', win32: 'windows' }

/** The last key is spelt as readers of the original expect it. */
function catalogueEntry({ name, help, labels, unit, type }: ReturnType<typeof metricCatalogue>[number]): object {
  const aggregagtion = { gauge: 'LastValue', counter: 'Count', histogram: 'Distribution' }[type]
  return {
    name: name.replace(/^cds_(hatchery_vsphere|hatchery|http_router|http_server)_/, slashed),
    description: help,
    tags: labels,
    dimension: unit,
    aggregagtion,
  }
}

function slashed(prefix: string): string {
  return prefix.replaceAll('_', '/')
}

function jsonAnswer(value: unknown, status = 200): Answer {
  return { status, type: 'application/json', body: JSON.stringify(value) }
}

function errorAnswer(status: number, id: number, message: string, requestIdentifier: string): Answer {
  return jsonAnswer({ id, message, request_id: requestIdentifier }, status)
}

function requestId({ headers }: ServedRequest, chance: Chance): string {
  const given = headers['request-id'] ?? ''
  return uuid.test(given) ? given : chance.uuid()
}

function responseOf(
  request: ServedRequest,
  { status, type, body }: Answer,
  id: string,
  now: number,
): ServedResponse & { readonly body: Uint8Array } {
  const agent = request.headers['user-agent'] ?? ''
  const wantsGzip = /\bgzip\b/.test(request.headers['accept-encoding'] ?? '') && !agent.includes('Prometheus')
  const plain = Buffer.from(body)
  return {
    status,
    headers: {
      'content-type': type,
      'access-control-allow-origin': '*',
      'access-control-allow-methods': 'GET',
      'x-api-time': isoTimeMicro(now),
      'x-api-nanoseconds-time': `${Math.floor(now)}000000`,
      etag: `"${createHash('sha256').update(plain).digest('hex').slice(0, 32)}"`,
      'request-id': id,
      vary: 'accept-encoding',
      ...(wantsGzip && { 'content-encoding': 'gzip' }),
    },
    body: wantsGzip ? gzipSync(plain) : plain,
  }
}
