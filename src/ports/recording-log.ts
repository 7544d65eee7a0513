import type { Log, LogFields, LogLevel } from './log.ts'
import { printable } from './printable.ts'

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
