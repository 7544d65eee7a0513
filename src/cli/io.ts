import type { Chance, Clock, Files, Processes, ResolveHost } from '../ports/index.ts'

/** Everything that a command touches besides the server: the terminal, the environment, and the ports. */
export interface Io {
  readonly out: (text: string) => void
  readonly err: (text: string) => void
  /** All of standard input. */
  readonly input: () => Promise<string>
  /** Columns of the terminal; undefined if standard output is none. */
  readonly columns: number | undefined
  /** Whether standard error is a terminal, so that a line there may be written over. */
  readonly canRedraw: boolean
  readonly environment: Readonly<Record<string, string | undefined>>
  /** The working folder. */
  readonly folder: string
  /** Aborted by Ctrl-C or SIGTERM. */
  readonly signal: AbortSignal
  readonly clock: Clock
  readonly chance: Chance
  readonly files: Files
  readonly processes: Processes
  readonly resolve: ResolveHost
}
