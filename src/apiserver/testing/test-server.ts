import fastify, { type FastifyInstance } from 'fastify'
import type { Access, AuditEntry, User } from '../../access/index.ts'
import { allKinds, Namespace } from '../../kinds/index.ts'
import { type Clock, prometheusMetrics, recordingLog, seededChance, VirtualClock } from '../../ports/index.ts'
import { memoryStore, type Store } from '../../store/index.ts'
import { apiServer } from '../api-server.ts'
import type { HealthCheck } from '../health.ts'

interface TestServerOptions {
  readonly clock?: Clock
  /** What to put between the server and the store in memory. */
  readonly wrap?: (store: Store) => Store
  readonly access?: Partial<Access>
  readonly checks?: readonly HealthCheck[]
}

export interface TestAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
  readonly text: string
  /** The body as JSON. */
  readonly body: any
}

interface Sent {
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

export const ann: User = { name: 'ann', groups: ['system:authenticated'] }

/** An API server over a store in memory with the namespace `wood`, to which requests are handed without a socket. */
export async function testServer(options: TestServerOptions = {}) {
  const clock = options.clock ?? new VirtualClock({ start: 1_800_000_000_000 })
  const chance = seededChance(1)
  const inner = memoryStore({ kinds: allKinds, clock, chance })
  for (const name of ['default', 'wood']) await inner.create(Namespace, { metadata: { name } })
  const store = options.wrap?.(inner) ?? inner
  const audit: AuditEntry[] = []
  const log = recordingLog()
  const metrics = prometheusMetrics()
  const access: Access = {
    authenticate: async () => ann,
    authorize: () => ({ allowed: true, reason: '' }),
    namedRules: () => [],
    throttle: () => undefined,
    holdBytes: () => ({ [Symbol.dispose]: () => undefined }),
    audit: entry => void audit.push(entry),
    ...options.access,
  }
  const app: FastifyInstance = fastify({ forceCloseConnections: true })
  const { checks = [] } = options
  await app.register(apiServer, { store, kinds: allKinds, access, clock, chance, log, metrics, version: '1.2.3', checks })

  async function send(method: string, url: string, { body, headers = {} }: Sent = {}): Promise<TestAnswer> {
    const payload = body === undefined || typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body)
    const type = payload === undefined ? {} : { 'content-type': 'application/json' }
    const answer = await app.inject({
      method: method as 'GET',
      url,
      headers: { ...type, ...headers },
      ...(payload === undefined ? {} : { payload }),
    })
    return {
      status: answer.statusCode,
      headers: answer.headers as TestAnswer['headers'],
      text: answer.payload,
      body: parsed(answer.payload),
    }
  }

  return { app, store: inner, clock, audit, log, metrics, send, close: () => app.close() }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

export const nests = '/apis/demo.aviary.dev/v1alpha1/namespaces/wood/nests'

/** A Nest as somebody would send it. */
export function nest(name: string, spec: object = {}, metadata: object = {}) {
  return { apiVersion: 'demo.aviary.dev/v1alpha1', kind: 'Nest', metadata: { name, ...metadata }, spec }
}
