import type { ServedRequest, ServedResponse } from '../../ports/index.ts'
import type { Caller } from './accounts.ts'
import { CdsRefusal } from './cds-refusal.ts'
import type { Scope } from './records.ts'

/** A request on its way to whoever answers it. */
export interface Call {
  readonly request: ServedRequest
  /** What the `{names}` of the path stand for. */
  readonly path: Readonly<Record<string, string>>
  readonly query: URLSearchParams
  /** Undefined where nobody needs to have signed in. */
  readonly caller: Caller | undefined
}

/** One thing that the API can be asked. */
export interface Route {
  /** What faults are ordered by and calls are counted by. */
  readonly name: string
  readonly method: ServedRequest['method']
  /** Like `/queue/workflows/{job}/book`. */
  readonly path: string
  /** Who may ask at all: everybody, whoever signed in by V1, or whoever signed in. What else must hold the answer itself checks. */
  readonly for: 'everybody' | 'v1' | 'signed in'
  /** What a V1 token must be good for. */
  readonly scope?: Scope
  /** Throws a `CdsRefusal`. */
  answer(call: Call): ServedResponse
}

type RouteMaker = (name: string, line: `${ServedRequest['method']} /${string}`, answer: Route['answer']) => Route

/** Makes routes that the same callers may take: `const queue = routesFor('v1', 'RunExecution')`. */
export function routesFor(callers: Route['for'], scope?: Scope): RouteMaker {
  return (name, line, answer) => {
    const [method, path] = line.split(' ') as [ServedRequest['method'], string]
    return { name, method, path, for: callers, ...(scope !== undefined && { scope }), answer }
  }
}

/** 200 with this. Some answers are `null`. */
export function json(value: unknown, headers: Readonly<Record<string, string>> = {}): ServedResponse {
  return { status: 200, headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(value) }
}

/** 204. */
export const nothing: ServedResponse = Object.freeze({ status: 204, headers: { 'content-type': 'application/json' } })

/** The body as an object; an empty body is an empty one. */
export function bodyOf(request: ServedRequest): Readonly<Record<string, unknown>> {
  const value = valueOf(request)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new CdsRefusal('wrongRequest')
  return value as Readonly<Record<string, unknown>>
}

/** The body as a list. */
export function listOf(request: ServedRequest): readonly unknown[] {
  const value = valueOf(request)
  if (!Array.isArray(value)) throw new CdsRefusal('wrongRequest')
  return value
}

function valueOf(request: ServedRequest): unknown {
  const text = request.text()
  if (text === '') return {}
  try {
    return JSON.parse(text)
  } catch {
    throw new CdsRefusal('wrongRequest')
  }
}

/** A field that should be text; empty if it is none. */
export function textAt(object: Readonly<Record<string, unknown>>, field: string): string {
  const value = object[field]
  return typeof value === 'string' ? value : ''
}
