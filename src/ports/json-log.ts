import { createRequire } from 'node:module'
import type { Logger, pino as Pino } from 'pino'
import type { Clock } from './clock.ts'
import type { Log, LogFields, LogLevel } from './log.ts'
import { printable } from './printable.ts'

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
