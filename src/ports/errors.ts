import { failure } from './failure.ts'

/** Time was up before the work was done. Whether the other side did it is not known. */
export const DeadlineExceeded = failure('DEADLINE_EXCEEDED', ({ milliseconds }: { milliseconds: number }) => ({
  message: `not done after ${milliseconds} ms`,
}))

/** No answer came back. `sent` is false only if the request certainly did not reach the other side. */
export const Unreachable = failure('UNREACHABLE', ({ target, why }: { target: string; why: string; sent: boolean }) => ({
  message: `${target} did not answer: ${why}`,
}))

export const ResponseTooLarge = failure('RESPONSE_TOO_LARGE', ({ target, maxBytes }: { target: string; maxBytes: number }) => ({
  message: `${target} answered with more than ${maxBytes} bytes`,
}))

export const FileNotFound = failure('FILE_NOT_FOUND', ({ path }: { path: string }) => ({ message: `there is no file ${path}` }))

export const FileNotReadable = failure('FILE_NOT_READABLE', ({ path, why }: { path: string; why: string }) => ({
  message: `cannot read ${path}: ${why}`,
}))

export const FileNotWritable = failure('FILE_NOT_WRITABLE', ({ path, why }: { path: string; why: string }) => ({
  message: `cannot write ${path}: ${why}`,
}))

export const CommandNotFound = failure('COMMAND_NOT_FOUND', ({ command }: { command: string }) => ({
  message: `there is no command ${command}`,
  fix: `install it, or give its full path`,
}))

export const CommandNotStarted = failure('COMMAND_NOT_STARTED', ({ command, why }: { command: string; why: string }) => ({
  message: `cannot start ${command}: ${why}`,
}))
