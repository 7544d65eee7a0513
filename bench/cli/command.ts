import { spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'

/** A command line, and what must be in its answer for the time to count. */
export interface CommandLine {
  readonly program: string
  readonly args: readonly string[]
  readonly prints: string
}

/** Runs a command as a shell would, and gives the milliseconds until it has ended. */
export async function timeOf({ program, args, prints }: CommandLine): Promise<number> {
  const began = performance.now()
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = new Promise<number>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', () => resolve(performance.now() - began))
  })
  const [printed, milliseconds] = await Promise.all([text(child.stdout), ended])
  if (child.exitCode !== 0 || !printed.includes(prints)) {
    throw new Error(`${program} ${args.join(' ')} ended with code ${child.exitCode} and printed ${JSON.stringify(printed)}`)
  }
  return milliseconds
}
