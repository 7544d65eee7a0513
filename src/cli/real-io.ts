import { text } from 'node:stream/consumers'
import { realChance, realClock, realFiles, realProcesses, realResolver } from '../ports/index.ts'
import { exitCodes } from './exit-codes.ts'
import type { Io } from './io.ts'

/** The terminal and machine that the command was called on. The first Ctrl-C asks it to end, the second ends it. */
export function realIo(): Io {
  const clock = realClock()
  return {
    out: line => void process.stdout.write(line),
    err: line => void process.stderr.write(line),
    input: () => text(process.stdin),
    columns: process.stdout.isTTY ? process.stdout.columns : undefined,
    canRedraw: process.stderr.isTTY,
    environment: process.env,
    folder: process.cwd(),
    signal: interruption(),
    clock,
    chance: realChance(),
    files: realFiles(),
    processes: realProcesses(clock),
    resolve: realResolver(),
  }
}

function interruption(): AbortSignal {
  const controller = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => {
      if (controller.signal.aborted) process.exit(128 + (signal === 'SIGINT' ? 2 : 15))
      controller.abort(new Error(`ended by ${signal}`))
    })
  }
  // Whoever reads our output may have seen enough: `aviary get nests | head -1` is no error.
  process.stdout.on('error', error => {
    if ((error as NodeJS.ErrnoException).code === 'EPIPE') process.exit(0)
    process.stderr.write(`error: cannot write to standard output: ${error.message}\n`)
    process.exit(exitCodes.failed)
  })
  return controller.signal
}
