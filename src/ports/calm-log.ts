import type { Clock } from './clock.ts'
import { Failure } from './failure.ts'
import type { Log, LogFields } from './log.ts'

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
