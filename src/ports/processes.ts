import type { Secret } from './secret.ts'

/** What to run, with what, and for how long at most. */
export interface ProcessRequest {
  readonly command: string
  readonly args?: readonly string[]
  /** The whole environment of the process. Default: this program's own. */
  readonly environment?: Readonly<Record<string, string | Secret>>
  readonly folder?: string
  readonly input?: string | Uint8Array
  /** Milliseconds until it is asked to end (SIGTERM) and, 5 s later, made to (SIGKILL). */
  readonly timeout: number
  /** Bytes of each output that are kept; the oldest go first. Default 1 MiB. */
  readonly maxOutput?: number
  readonly signal?: AbortSignal
  /** Called with each whole line that it prints, as it is printed. */
  readonly onLine?: (line: string, source: 'stdout' | 'stderr') => void
}

/** How a process ended and what it said. */
export interface ProcessResult {
  /** The exit code; undefined if a signal ended it. */
  readonly code: number | undefined
  readonly signal: string | undefined
  readonly stdout: string
  readonly stderr: string
}

/**
 * Other programs. Any exit code is a result. What a process leaves running in its process group is ended with it. Rejects with
 * `CommandNotFound`, `CommandNotStarted`, `DeadlineExceeded`, or the caller's reason to abort; then the process and its children
 * have ended.
 */
export interface Processes {
  run(request: ProcessRequest): Promise<ProcessResult>
}
