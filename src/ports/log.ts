import { createRequire } from 'node:module'
import type { Logger, pino as Pino } from 'pino'
import type { Clock } from './clock.ts'
import { printable } from './text.ts'
import { Failure } from './failure.ts'

/** The least that a line must matter to be written. */
export type LogLevel = 'debug' | 'info' | 'warn' | 'error' | 'silent'

/** What a line says besides its message. Values are printed as JSON; secrets as `***`; errors as code, message, fix and causes. */
export type LogFields = Readonly<Record<string, unknown>>

/** The structured log. Messages are constant texts; what varies goes into fields, so that lines can be counted and searched. */
export interface Log {
  debug(message: string, fields?: LogFields): void
  info(message: string, fields?: LogFields): void
  warn(message: string, fields?: LogFields): void
  error(message: string, fields?: LogFields): void
  /** A log whose every line also carries `fields`. */
  with(fields: LogFields): Log
}

/** What is written, and where to. */
export interface JsonLogOptions {
  readonly level: LogLevel
  readonly clock: Clock
  /** Takes each line, with its line end. Default: standard error, so that standard output stays for answers. */
  readonly write?: (line: string) => void
}

/** What a line says by itself; a field of the same name is written with an underscore behind it. */
const ownKeys = new Set(['level', 'time', 'msg'])

/** Loads the library with the first log: a command that logs nothing starts faster without it. */
const load = createRequire(import.meta.url)

/** The log as lines of JSON: level, time, the context, the fields, the message. */
export function jsonLog({ level, clock, write }: JsonLogOptions): Log {
  const { pino } = load('pino') as { readonly pino: typeof Pino }
  const options = {
    level,
    base: null,
    // `printable` has already bounded it.
    depthLimit: 20,
    edgeLimit: 10_000,
    timestamp: () => `,"time":"${new Date(clock.now()).toISOString()}"`,
    formatters: { level: (label: string) => ({ level: label }) },
  }
  return logWith(pino(options, write === undefined ? pino.destination({ fd: 2, sync: true }) : { write }), {})
}

/** Merges context and fields itself: pino would write a name that is in both twice into one line. */
function logWith(logger: Logger, context: LogFields): Log {
  const line = (level: 'debug' | 'info' | 'warn' | 'error') => (message: string, fields?: LogFields) => {
    if (logger.isLevelEnabled(level)) logger[level]({ ...context, ...(fields && printableFields(fields)) }, message)
  }
  return Object.freeze({
    debug: line('debug'),
    info: line('info'),
    warn: line('warn'),
    error: line('error'),
    with: (fields: LogFields) => logWith(logger, { ...context, ...printableFields(fields) }),
  })
}

function printableFields(fields: LogFields): LogFields {
  const result: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(fields)) result[ownKeys.has(name) ? `${name}_` : name] = printable(value)
  return result
}

/** So many lines that say the same are enough to see what goes on. */
const mostInOneMinute = 10
const minute = 60_000

/** What was said in the minute under way. */
interface Said {
  readonly level: 'warn' | 'error'
  readonly message: string
  readonly error: unknown
  lines: number
}

/**
 * A log in which no warning or error comes more than ten times a minute. When a disk or a back end fails, everybody who needs it says
 * so again and again, and the line that matters would drown. What is left out is counted, and the number told when the minute is over.
 */
export function calmLog(log: Log, clock: Pick<Clock, 'after'>): Log {
  const said = new Map<string, Said>()
  const endMinute = () => {
    const all = [...said.values()]
    said.clear()
    for (const { level, message, error, lines } of all)
      if (lines > mostInOneMinute) log[level](message, { ...(error !== undefined && { error }), leftOut: lines - mostInOneMinute })
  }
  const isNews = (level: Said['level'], message: string, error: unknown): boolean => {
    if (said.size === 0) clock.after(minute, endMinute)
    const key = `${message} ${error instanceof Failure ? error.code : ''}`
    const alike = said.get(key) ?? { level, message, error, lines: 0 }
    said.set(key, alike)
    return ++alike.lines <= mostInOneMinute
  }
  const calm = (inner: Log): Log => {
    const line = (level: Said['level']) => (message: string, fields?: LogFields) => {
      if (isNews(level, message, fields?.['error'])) inner[level](message, fields)
    }
    return Object.freeze({
      debug: inner.debug,
      info: inner.info,
      warn: line('warn'),
      error: line('error'),
      with: (fields: LogFields) => calm(inner.with(fields)),
    })
  }
  return calm(log)
}

const nothing = () => {}

/** The log of what nobody wants to read. */
export const silentLog: Log = Object.freeze({ debug: nothing, info: nothing, warn: nothing, error: nothing, with: () => silentLog })

/** A line that was said. */
export interface RecordedLine {
  readonly level: Exclude<LogLevel, 'silent'>
  readonly message: string
  /** Context and fields, as they would be printed. */
  readonly fields: LogFields
}

/** A log that remembers its lines, for tests. Logs made by `with` add to the same lines. */
export function recordingLog(): Log & { readonly lines: readonly RecordedLine[] } {
  const lines: RecordedLine[] = []
  const recorder = (context: LogFields): Log => {
    const line = (level: RecordedLine['level']) => (message: string, fields?: LogFields) => {
      lines.push({ level, message, fields: printable({ ...context, ...fields }) as LogFields })
    }
    return {
      debug: line('debug'),
      info: line('info'),
      warn: line('warn'),
      error: line('error'),
      with: fields => recorder({ ...context, ...fields }),
    }
  }
  return Object.freeze({ ...recorder({}), lines })
}
