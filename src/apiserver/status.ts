import type { FieldProblem } from '../kinds/index.ts'
import { StoreError } from '../store/index.ts'

/** Kubernetes' answer to whatever is not an object: what became of the request, for people and for programs. */
export interface Status {
  readonly kind: 'Status'
  readonly apiVersion: 'v1'
  readonly metadata: { readonly continue?: string }
  readonly status: 'Success' | 'Failure'
  readonly message?: string
  readonly reason?: string
  readonly details?: StatusDetails
  readonly code?: number
}

/** What a Status is about. */
export interface StatusDetails {
  readonly name?: string
  readonly group?: string
  readonly kind?: string
  readonly uid?: string
  readonly causes?: readonly { readonly reason?: string; readonly message?: string; readonly field?: string }[]
  readonly retryAfterSeconds?: number
}

/** The Status that says what went wrong. `incident` names the line of the log that tells more about an unexpected failure. */
export function failureStatus(error: unknown, incident: string): Status & { readonly code: number } {
  if (!(error instanceof StoreError)) {
    const message = `Internal error occurred: the server's log has the details under ${incident}`
    return failed(500, 'InternalError', message, { causes: [{ message: 'unexpected failure' }] })
  }
  const { continue: rest } = error.details
  return failed(error.status, error.reason, error.message, detailsOf(error), rest === undefined ? {} : { continue: rest })
}

/** The Status that says that it was done, about the object it was done to. */
export function successStatus(details: StatusDetails): Status {
  return { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', details }
}

function failed(
  code: number,
  reason: string,
  message: string,
  details: StatusDetails | undefined,
  metadata: Status['metadata'] = {},
): Status & { readonly code: number } {
  return {
    kind: 'Status',
    apiVersion: 'v1',
    metadata,
    status: 'Failure',
    message,
    reason,
    ...(details === undefined ? {} : { details }),
    code,
  }
}

function detailsOf(error: StoreError): StatusDetails | undefined {
  const { name, group, kind, uid, problems, retryAfterSeconds, namespaceTerminating } = error.details
  const causes = causesOf(error, problems, namespaceTerminating)
  const details = {
    ...(name ? { name } : {}),
    ...(group ? { group } : {}),
    ...(kind ? { kind } : {}),
    ...(uid ? { uid } : {}),
    ...(causes.length > 0 ? { causes } : {}),
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
  }
  return Object.keys(details).length > 0 || alwaysDetailed.has(error.reason) ? details : undefined
}

/** Kubernetes leaves the details out of some answers and sends them empty in others; clients look for both. */
const alwaysDetailed = new Set(['NotFound', 'MethodNotAllowed', 'Invalid', 'Forbidden', 'TooManyRequests'])

function causesOf(error: StoreError, problems: readonly FieldProblem[] | undefined, namespaceTerminating: string | undefined) {
  if (problems !== undefined) return problems.map(({ reason, message, path }) => ({ reason, message, field: path }))
  if (namespaceTerminating !== undefined) {
    const message = `namespace ${namespaceTerminating} is being terminated`
    return [{ reason: 'NamespaceTerminating', message, field: 'metadata.namespace' }]
  }
  if (error.reason === 'Timeout' && error.message.includes('Too large resource version')) {
    return [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }]
  }
  return []
}
