import { Failure } from '../ports/index.ts'
import type { FieldProblem, Kind } from '../kinds/index.ts'

/** Kubernetes' own words for what went wrong, with the HTTP status that goes with each. */
export const statusOf = {
  BadRequest: 400,
  Unauthorized: 401,
  Forbidden: 403,
  NotFound: 404,
  MethodNotAllowed: 405,
  NotAcceptable: 406,
  AlreadyExists: 409,
  Conflict: 409,
  Expired: 410,
  RequestEntityTooLarge: 413,
  UnsupportedMediaType: 415,
  Invalid: 422,
  TooManyRequests: 429,
  InternalError: 500,
  ServiceUnavailable: 503,
  Timeout: 504,
} as const

export type StoreReason = keyof typeof statusOf

/** What the error is about, in the words of a Kubernetes Status. */
export interface StoreErrorDetails {
  readonly group?: string
  /** The resource (plural), or the kind if the object itself was refused. */
  readonly kind?: string
  readonly name?: string
  readonly uid?: string
  readonly problems?: readonly FieldProblem[]
  /** After so many seconds it is worth another try. */
  readonly retryAfterSeconds?: number
  /** The namespace is being deleted (with Forbidden). */
  readonly namespaceTerminating?: string
  /** From here a list goes on whose moment is gone (with Expired), if it need not show one moment only. */
  readonly continue?: string
  /** No answer came from a remote store. False if it certainly did nothing; true if it may have done what was asked. */
  readonly sent?: boolean
}

/** Whatever a store refuses or fails to do. `reason` decides what a caller does about it. */
export class StoreError extends Failure<StoreErrorDetails> {
  readonly reason: StoreReason
  readonly status: number

  constructor(reason: StoreReason, message: string, options: StoreErrorDetails & { readonly fix?: string; readonly cause?: unknown } = {}) {
    const { fix, cause, ...details } = options
    const code = `STORE_${reason.replace(/(?<=[a-z])(?=[A-Z])/g, '_').toUpperCase()}`
    super(code, fix === undefined ? { message } : { message, fix }, details, cause === undefined ? undefined : { cause })
    this.reason = reason
    this.status = statusOf[reason]
  }

  /** Whether an error is one of these reasons. */
  static is(error: unknown, ...reasons: readonly StoreReason[]): error is StoreError {
    return error instanceof StoreError && (reasons.length === 0 || reasons.includes(error.reason))
  }
}

/** `widgets.example.aviary.dev`, or `secrets` in the core group. */
export function qualified(kind: Kind): string {
  return kind.group === '' ? kind.plural : `${kind.plural}.${kind.group}`
}

export function notFound(kind: Kind, name: string): StoreError {
  return new StoreError('NotFound', `${qualified(kind)} "${name}" not found`, { group: kind.group, kind: kind.plural, name })
}

export function alreadyExists(kind: Kind, name: string): StoreError {
  return new StoreError('AlreadyExists', `${qualified(kind)} "${name}" already exists`, { group: kind.group, kind: kind.plural, name })
}

export function conflict(kind: Kind, name: string, why = modified): StoreError {
  const message = `Operation cannot be fulfilled on ${qualified(kind)} "${name}": ${why}`
  return new StoreError('Conflict', message, { group: kind.group, kind: kind.plural, name })
}

const modified = 'the object has been modified; please apply your changes to the latest version and try again'

/** No name is longer; what is refused as one may be. */
const longestName = 253

export function invalid(kind: Kind, given: string, problems: readonly FieldProblem[]): StoreError {
  const name = given.length <= longestName ? given : `${given.slice(0, longestName)}…`
  const texts = problems.map(problem => `${problem.path}: ${problem.message}`)
  const list = texts.length === 1 ? texts[0] : `[${texts.join(', ')}]`
  const fixes = problems.flatMap(problem => (problem.fix === undefined ? [] : [`${problem.path}: ${problem.fix}`]))
  const subject = kind.group === '' ? kind.name : `${kind.name}.${kind.group}`
  return new StoreError('Invalid', `${subject} "${name}" is invalid: ${list}`, {
    group: kind.group,
    kind: kind.name,
    name,
    problems,
    ...(fixes.length > 0 ? { fix: fixes.join('; ') } : {}),
  })
}

/** What every call gets after `close`. */
export function closed(): StoreError {
  return new StoreError('ServiceUnavailable', 'the store is closed')
}
