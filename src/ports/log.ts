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
