import { type FieldProblem, type FieldReason, isAboutField, type Kind, noField } from '../../kinds/index.ts'
import type { HttpHead } from '../../ports/index.ts'
import { StoreError, statusOf } from '../errors.ts'
import type { StoreErrorDetails, StoreReason } from '../errors.ts'

/** What a Kubernetes API server answers instead of an object: what went wrong, or that a deletion was done. */
export interface Status {
  readonly kind: 'Status'
  readonly status?: 'Success' | 'Failure'
  readonly message?: string
  readonly reason?: string
  readonly code?: number
  readonly details?: {
    readonly group?: string
    readonly kind?: string
    readonly name?: string
    readonly uid?: string
    readonly retryAfterSeconds?: number
    readonly causes?: readonly { readonly reason?: string; readonly message?: string; readonly field?: string }[]
  }
}

export function isStatus(value: unknown): value is Status {
  return typeof value === 'object' && value !== null && 'kind' in value && value.kind === 'Status'
}

/** The error that an answer other than success stands for. */
export function errorFromAnswer(kind: Kind, head: HttpHead, body: string): StoreError {
  const status = readStatus(body)
  const retryAfter = retryAfterSeconds(head.headers['retry-after'])
  if (status !== undefined) return errorFromStatus(kind, { code: head.status, ...status }, retryAfter)
  return errorFromStatus(kind, { kind: 'Status', code: head.status, message: plainMessage(head, body) }, retryAfter)
}

/** The error that a Status stands for, whether it was the answer to a request or came as an event of a watch. */
export function errorFromStatus(kind: Kind, status: Status, retryAfter?: number): StoreError {
  const { details: told = {}, message = 'the server gave no message' } = status
  const reason = reasonOf(status)
  if (reason === 'NotFound' && told.name === undefined) return new KindNotServed(kind, message)
  const problems = reason === 'Invalid' ? problemsFromCauses(told.causes ?? []) : []
  const wait = told.retryAfterSeconds ?? retryAfter
  const details: StoreErrorDetails = {
    ...(told.group === undefined ? {} : { group: told.group }),
    ...(told.kind === undefined ? {} : { kind: told.kind }),
    ...(told.name === undefined ? {} : { name: told.name }),
    ...(told.uid === undefined ? {} : { uid: told.uid }),
    ...(problems.length > 0 ? { problems } : {}),
    ...(wait === undefined ? {} : { retryAfterSeconds: wait }),
    ...terminatingNamespace(status),
  }
  return new StoreError(reason, message, details)
}

/**
 * The API server answers, but has no such kind. Not NotFound, which says that one object is not there, and on which others act;
 * and not worth an immediate retry, as other unavailability is.
 */
export class KindNotServed extends StoreError {
  constructor(kind: Kind, message: string) {
    super('ServiceUnavailable', `the API server does not serve ${kind.plural} of ${kind.apiVersion}: ${message}`, {
      group: kind.group,
      kind: kind.plural,
      fix: kind.builtIn
        ? 'check that the URL is that of a Kubernetes API server'
        : 'install the custom resource definitions: aviary crds install',
    })
  }
}

/** Our word for a reason of Kubernetes; by the code alone if it gives none or one that we have no word for. */
function reasonOf({ reason, code = 500, message = '' }: Status): StoreReason {
  if (reason !== undefined && Object.hasOwn(statusOf, reason)) return reason as StoreReason
  if (reason === 'Gone') return 'Expired'
  if (reason === 'ServerTimeout') return 'Timeout'
  // etcd's own limit passes through the API server as an internal error without a reason.
  if (message.includes('etcdserver: request is too large')) return 'RequestEntityTooLarge'
  return reasonByCode[code] ?? (code >= 500 || code < 400 ? 'InternalError' : 'BadRequest')
}

const reasonByCode: Readonly<Record<number, StoreReason>> = {
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'NotFound',
  405: 'MethodNotAllowed',
  406: 'NotAcceptable',
  408: 'Timeout',
  409: 'Conflict',
  410: 'Expired',
  413: 'RequestEntityTooLarge',
  415: 'UnsupportedMediaType',
  422: 'Invalid',
  429: 'TooManyRequests',
  502: 'ServiceUnavailable',
  503: 'ServiceUnavailable',
  504: 'Timeout',
}

type Cause = NonNullable<NonNullable<Status['details']>['causes']>[number]

/** Each problem once, and without the remark that some rules could not be checked, which is about no field. */
function problemsFromCauses(causes: readonly Cause[]): FieldProblem[] {
  const problems = new Map<string, FieldProblem>()
  for (const { field: path = noField, reason = '', message = '' } of causes) {
    const known = fieldReasons.has(reason) ? (reason as FieldReason) : 'FieldValueInvalid'
    if (isAboutField({ path })) problems.set(`${path} ${message}`, { path, reason: known, message })
  }
  return [...problems.values()]
}

const fieldReasons: ReadonlySet<string> = new Set<FieldReason>([
  'FieldValueRequired',
  'FieldValueInvalid',
  'FieldValueNotSupported',
  'FieldValueDuplicate',
  'FieldValueForbidden',
  'FieldValueTooLong',
  'FieldValueTooMany',
  'FieldValueTypeInvalid',
])

/** Kubernetes says it with a cause: `namespace x is being terminated`. */
function terminatingNamespace({ details }: Status): { namespaceTerminating?: string } {
  const cause = details?.causes?.find(({ reason }) => reason === 'NamespaceTerminating')
  if (cause === undefined) return {}
  const [, name = ''] = /namespace "?([^\s"]+)"? is being terminated/.exec(cause.message ?? '') ?? []
  return { namespaceTerminating: name }
}

function readStatus(body: string): Status | undefined {
  try {
    const value: unknown = JSON.parse(body)
    return isStatus(value) ? value : undefined
  } catch {
    return undefined
  }
}

/** For what answers in the place of an API server: a proxy, a load balancer, another program on that port. */
function plainMessage({ status, headers }: HttpHead, body: string): string {
  if (status >= 300 && status < 400) return `redirected to ${headers['location'] ?? 'nowhere'}, which is not followed`
  const line = body.trim().split('\n', 1)[0] ?? ''
  const html = headers['content-type']?.includes('html') === true
  return line === '' || html ? `HTTP status ${status}` : `HTTP status ${status}: ${line.slice(0, 200)}`
}

/** Seconds of a Retry-After header. A date, which HTTP allows too, is not used by any API server. */
function retryAfterSeconds(header: string | undefined): number | undefined {
  return header !== undefined && /^\d{1,6}$/.test(header) ? Number(header) : undefined
}
