import { Failure } from './failure.ts'
import { Secret } from './secret.ts'

/** Deeper than any field that is worth a line; a longer path is a mistake, or a circle. */
const deepest = 8

/**
 * A value as the log shows it: plain JSON, secrets as `***`, errors as code, message, fix and causes. An error's details are
 * left out, because they may hold what its text was careful not to say.
 */
export function printable(value: unknown, depth = 0): unknown {
  if (typeof value === 'bigint') return value.toString()
  if (typeof value === 'number') return Number.isFinite(value) ? value : String(value)
  if (typeof value === 'function' || typeof value === 'symbol') return undefined
  if (typeof value !== 'object' || value === null) return value
  if (depth >= deepest) return '…'
  if (value instanceof Secret) return value.toString()
  if (value instanceof Error) return printableError(value, depth)
  if (Array.isArray(value) || value instanceof Set) return Array.from(value, item => printable(item, depth + 1))
  if (value instanceof Map) return printableEntries(value, depth)
  if (ArrayBuffer.isView(value)) return `${value.byteLength} bytes`
  if ('toJSON' in value && typeof value.toJSON === 'function') return printable(value.toJSON(), depth + 1)
  return printableEntries(Object.entries(value), depth)
}

function printableEntries(entries: Iterable<readonly [unknown, unknown]>, depth: number): Record<string, unknown> {
  const result: Record<string, unknown> = {}
  for (const [name, item] of entries) result[String(name)] = printable(item, depth + 1)
  return result
}

function printableError(error: Error, depth: number): Record<string, unknown> {
  const planned = error instanceof Failure
  const code = (error as NodeJS.ErrnoException).code
  return {
    ...(typeof code === 'string' && { code }),
    message: error.message,
    ...(planned && error.fix !== undefined && { fix: error.fix }),
    // Whoever meets a planned error needs its text; whoever meets a bug needs to know where it is.
    ...(!planned && { stack: error.stack }),
    ...(error.cause !== undefined && { cause: printable(error.cause, depth + 1) }),
    ...(error instanceof AggregateError && { errors: printable(error.errors, depth + 1) }),
  }
}
