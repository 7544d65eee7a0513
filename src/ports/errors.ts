import { failure } from './failure.ts'

/** Time was up before the work was done. Whether the other side did it is not known. */
export const DeadlineExceeded = failure('DEADLINE_EXCEEDED', ({ milliseconds }: { milliseconds: number }) => ({
  message: `not done after ${milliseconds} ms`,
}))

/** No answer came back. `sent` is false only if the request certainly did not reach the other side. */
export const Unreachable = failure('UNREACHABLE', ({ target, why, fix }: UnreachableDetails) => ({
  message: `${target} did not answer: ${why}`,
  ...(fix !== undefined && { fix }),
}))

interface UnreachableDetails {
  readonly target: string
  readonly why: string
  readonly sent: boolean
  /** The status with which a web socket was refused. */
  readonly status?: number
  readonly fix?: string
}

/** The answer is larger than the caller wanted to read. The other side did what was asked. */
export const ResponseTooLarge = failure('RESPONSE_TOO_LARGE', ({ target, maxBytes }: { target: string; maxBytes: number }) => ({
  message: `${target} answered with more than ${maxBytes} bytes`,
}))

/** Nothing is there under that path. */
export const FileNotFound = failure('FILE_NOT_FOUND', ({ path }: { path: string }) => ({ message: `there is no file ${path}` }))

/** Something is there, but cannot be read. */
export const FileNotReadable = failure('FILE_NOT_READABLE', ({ path, why }: { path: string; why: string }) => ({
  message: `cannot read ${path}: ${why}`,
}))

/** The file is what it was before. */
export const FileNotWritable = failure('FILE_NOT_WRITABLE', ({ path, why }: { path: string; why: string }) => ({
  message: `cannot write ${path}: ${why}`,
  fix: 'name a file in a folder that exists, is writable and has room, or change that',
}))

/** No program of that name was found; nothing ran. */
export const CommandNotFound = failure('COMMAND_NOT_FOUND', ({ command }: { command: string }) => ({
  message: `there is no command ${command}`,
  fix: `install it, or give its full path`,
}))

/** The program was found but could not be started; nothing ran. */
export const CommandNotStarted = failure('COMMAND_NOT_STARTED', ({ command, why }: { command: string; why: string }) => ({
  message: `cannot start ${command}: ${why}`,
}))

/** A text that should be a time is none. */
export const TimeNotValid = failure('TIME_NOT_VALID', ({ text }: { text: string }) => ({
  message: `"${text}" is not a time`,
  fix: 'write it as RFC 3339 says: 2026-11-15T23:21:43Z',
}))

/** A text that should be a duration is none. */
export const DurationNotValid = failure('DURATION_NOT_VALID', ({ text }: { text: string }) => ({
  message: `"${text}" is not a duration`,
  fix: 'write numbers with the units h, m, s or ms: 90s, 1h30m, 1.5h',
}))

/** A request that cannot be sent as it is. Nothing was sent. */
export const RequestNotValid = failure('REQUEST_NOT_VALID', ({ what, fix }: { what: string; fix: string }) => ({
  message: `the request cannot be sent: ${what}`,
  fix,
}))

/** What a client is told to trust cannot work. */
export const TrustNotValid = failure('TRUST_NOT_VALID', ({ field, why, fix }: { field: string; why: string; fix: string }) => ({
  message: `${field} cannot be used to make sure of a server: ${why}`,
  fix,
}))
