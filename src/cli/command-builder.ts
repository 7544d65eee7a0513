import type { Command } from 'commander'
import type { Io } from './io.ts'

/** What a command does: its own module, loaded when it is called, so that the others cost nothing. */
export type Load = () => Promise<{ readonly run: (args: readonly string[], options: never, io: Io) => Promise<number | void> }>

/** How the command line is built: by the functions that all its commands share. */
export interface CommandBuilder {
  readonly add: (name: string, description: string, load: Load, examples: readonly string[], parent?: Command) => Command
  /** Adds the options that say which server, as whom, and where. */
  readonly connecting: (command: Command) => Command
  /** Adds the option that says how to print. */
  readonly output: (command: Command) => Command
}
