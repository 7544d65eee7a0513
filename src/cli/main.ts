import { CommanderError } from 'commander'
import { exitCodes } from './exit-codes.ts'
import type { Io } from './io.ts'
import { errorText } from './output/error-text.ts'
import { aviaryCommand } from './program.ts'
import { realIo } from './real-io.ts'

/** The `aviary` command: does what the arguments say and resolves to the exit code. Never rejects. */
export async function main(args: readonly string[], io: Io = realIo()): Promise<number> {
  let code: number = exitCodes.ok
  const program = aviaryCommand(io, result => (code = result))
  try {
    await program.parseAsync(args, { from: 'user' })
    return code
  } catch (error) {
    // Commander has said what is wrong by itself; help and version are no errors.
    if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.ok : exitCodes.usage
    if (io.signal.aborted) return exitCodes.interrupted
    io.err(errorText(error))
    // Loaded only now: what it needs to know would slow the start of every command that goes well.
    const { exitCodeOf } = await import('./exit-code-of.ts')
    return exitCodeOf(error)
  }
}
