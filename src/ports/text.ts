import { Failure } from './failure.ts'
import { Secret } from './secret.ts'

/** A line of the JSON log for the eyes of a person at a terminal: time of day, level, message, then the fields as name=value. */
export function textLine(line: string): string {
  const { level, time, msg, ...fields } = JSON.parse(line) as Record<string, unknown>
  const rest = Object.entries(fields).map(([name, value]) => ` ${name}=${quoteIfNeeded(value)}`)
  return `${String(time).slice(11, 19)} ${String(level).padEnd(5)} ${String(msg)}${rest.join('')}\n`
}

/** A value that can be told from what follows it. */
function quoteIfNeeded(value: unknown): string {
  return typeof value === 'string' && /^[^\s"=]+$/.test(value) ? value : JSON.stringify(value)
}

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

/** The one of `words` that `typed` most likely was meant to be; undefined if none is close. */
export function nearest(typed: string, words: readonly string[]): string | undefined {
  const wanted = typed.toLowerCase()
  let best: string | undefined
  let least = Math.max(1, Math.floor(typed.length / 3)) + 1
  for (const word of words) {
    const distance = editDistance(wanted, word.toLowerCase())
    if (distance < least) [best, least] = [word, distance]
  }
  return best
}

/** Letters to insert, drop, replace, or swap with their neighbour, to make one word of the other. */
function editDistance(from: string, to: string): number {
  let beforeLast: number[] = []
  let last = Array.from({ length: to.length + 1 }, (_, index) => index)
  for (let i = 1; i <= from.length; i++) {
    const row = [i]
    for (let j = 1; j <= to.length; j++) {
      const replace = last[j - 1]! + (from[i - 1] === to[j - 1] ? 0 : 1)
      const swapped = i > 1 && j > 1 && from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1]
      row.push(Math.min(replace, last[j]! + 1, row[j - 1]! + 1, swapped ? beforeLast[j - 2]! + 1 : Infinity))
    }
    beforeLast = last
    last = row
  }
  return last[to.length]!
}

/** What people call the errors that they can do something about. */
const words: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EPERM: 'not permitted',
  ENOENT: 'no such file or folder',
  EEXIST: 'it already exists',
  EISDIR: 'it is a folder',
  ENOTDIR: 'a part of the path is a file, not a folder',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  EROFS: 'the file system is read-only',
  EMFILE: 'too many open files',
  ENFILE: 'too many open files on this machine',
  ENAMETOOLONG: 'the name is too long',
  ELOOP: 'too many symbolic links',
  EIO: 'the disk reports an input/output error',
  ENOEXEC: 'it is not a program for this machine',
  E2BIG: 'its arguments and environment are too long',
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'connection reset',
  EPIPE: 'connection closed while sending',
  EHOSTUNREACH: 'no route to the host',
  ENETUNREACH: 'network unreachable',
  ETIMEDOUT: 'connection timed out',
  ENOTFOUND: 'name not found',
  EAI_AGAIN: 'name server did not answer',
  EPROTO: 'the other side does not speak TLS as expected',
  ERR_SSL_WRONG_VERSION_NUMBER: 'the other side does not speak TLS',
  ERR_SSL_PACKET_LENGTH_TOO_LONG: 'the other side does not speak TLS',
  UND_ERR_CONNECT_TIMEOUT: 'no connection in time',
  UND_ERR_SOCKET: 'the other side closed the connection',
  UND_ERR_CLOSED: 'this client is closed',
  UND_ERR_DESTROYED: 'this client is closed',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'the answer is not as long as it said',
  UND_ERR_HEADERS_OVERFLOW: 'the headers of the answer are too large',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is not trusted: it is self-signed',
  SELF_SIGNED_CERT_IN_CHAIN: 'its certificate is not trusted: a self-signed one is in its chain',
  UNABLE_TO_GET_ISSUER_CERT: 'its certificate is not trusted: the issuer is unknown',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'its certificate is not trusted: the issuer is unknown',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'its certificate is not trusted: the issuer is unknown',
  CERT_HAS_EXPIRED: 'its certificate has expired',
  CERT_NOT_YET_VALID: 'its certificate is not valid yet',
}

/** The stable code that Node gives an error, if it gives one. */
export function codeOf(error: unknown): string | undefined {
  const code = (error as NodeJS.ErrnoException | null | undefined)?.code
  return typeof code === 'string' ? code : undefined
}

/** The reason of an error, of the system, of TLS or of HTTP, in a few words, with its code for whoever wants to look it up. */
export function whyItFailed(error: unknown): string {
  const code = codeOf(error)
  if (code !== undefined && code in words) return `${words[code]} (${code})`
  if (code?.startsWith('ERR_SSL_')) return `TLS failed: ${code.slice(8).toLowerCase().replaceAll('_', ' ')} (${code})`
  const message = error instanceof Error ? error.message : String(error)
  return code === undefined || message.includes(code) ? message : `${message} (${code})`
}
