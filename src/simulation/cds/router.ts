import type { ServedRequest, ServedResponse } from '../../ports/index.ts'
import { CdsRefusal } from './cds-refusal.ts'
import type { Parts } from './parts.ts'
import type { Consumer, Scope } from './records.ts'
import type { Call, Route } from './route.ts'

/** What a V1 worker may do. */
const workerScopes: readonly Scope[] = ['RunExecution', 'WorkerModel']

interface Compiled {
  readonly route: Route
  readonly pattern: RegExp
  readonly names: readonly string[]
}

/** Finds who answers a request and sees to it that the caller may ask. */
export class Router {
  readonly #parts: Parts
  readonly #routes: readonly Compiled[]

  constructor(parts: Parts, routes: readonly Route[]) {
    this.#parts = parts
    this.#routes = routes.map(compiled)
  }

  /** The route's name, for faults and counts. */
  nameOf(request: ServedRequest): string {
    return this.#find(request)?.route.name ?? 'unknown'
  }

  answer(request: ServedRequest): ServedResponse {
    try {
      return this.#answer(request)
    } catch (error) {
      if (error instanceof CdsRefusal) return error.answer(this.#parts.chance.uuid())
      throw error
    }
  }

  #answer(request: ServedRequest): ServedResponse {
    const found = this.#find(request)
    if (found === undefined) {
      if (this.#routes.some(({ pattern }) => pattern.test(request.url.pathname))) throw new CdsRefusal('methodNotAllowed')
      throw new CdsRefusal('notFound', `${request.url.pathname} not found`)
    }
    const { route, pattern, names } = found
    const values = pattern.exec(request.url.pathname)?.slice(1) ?? []
    const path = Object.fromEntries(names.map((name, index) => [name, decodeURIComponent(values[index] ?? '')]))
    const caller = route.for === 'everybody' ? undefined : this.#parts.accounts.callerOf(request.headers['authorization'])
    if (route.for !== 'everybody') this.#mayAsk(route, caller?.consumer)
    const call: Call = { request, path, query: request.url.searchParams, caller }
    return route.answer(call)
  }

  #mayAsk(route: Route, consumer: Consumer | undefined): void {
    if (consumer === undefined || !isThere(this.#parts, consumer)) throw new CdsRefusal('notAuthenticated')
    const isV1 = consumer.kind === 'builtin' || consumer.kind === 'worker v1'
    if (isV1 && route.scope !== undefined) {
      const scopes = consumer.kind === 'builtin' ? consumer.scopes : workerScopes
      if (!scopes.includes(route.scope)) throw new CdsRefusal('notAuthenticated')
    }
    if (route.for === 'v1' && !isV1) throw new CdsRefusal('forbidden')
  }

  #find(request: ServedRequest): Compiled | undefined {
    return this.#routes.find(({ route, pattern }) => route.method === request.method && pattern.test(request.url.pathname))
  }
}

/** A worker whose row is gone has lost its session with it. */
function isThere(parts: Parts, consumer: Consumer): boolean {
  if (consumer.kind === 'worker v1') return parts.workersV1.find(consumer.worker.id) !== undefined
  return consumer.kind === 'worker v2' ? parts.workersV2.find(consumer.worker.id) !== undefined : true
}

function compiled(route: Route): Compiled {
  const names = Array.from(route.path.matchAll(/\{(\w+)\}/g), ([, name]) => name ?? '')
  return { route, names, pattern: new RegExp(`^${route.path.replaceAll(/\{\w+\}/g, '([^/]+)')}$`) }
}
