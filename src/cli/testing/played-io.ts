import { realChance, realClock, realFiles, realProcesses } from '../../ports/index.ts'
import type { ResolveHost } from '../../ports/index.ts'
import type { Io } from '../io.ts'
import { main } from '../main.ts'

/** What a command printed, and how it ended. */
export interface Played {
  readonly code: number
  readonly out: string
  readonly err: string
}

/** What differs from a plain call in an empty environment, not on a terminal. */
export interface PlayOptions {
  readonly folder?: string
  readonly environment?: Io['environment']
  readonly input?: string
  readonly columns?: number
  readonly signal?: AbortSignal
  /** The DNS; by default it knows no name. */
  readonly resolve?: ResolveHost
  /** Called with all that is on standard output, each time that more comes. */
  readonly onOut?: (sofar: string) => void
}

/** Runs command lines beside a server whose data folder is `data` in `folder`, as for a newcomer. */
export function playIn(folder: string): (line: string, options?: PlayOptions) => Promise<Played> {
  return (line, options = {}) => play(line.split(' '), { folder, ...options })
}

/** Runs `aviary` in this process and gives what it printed. */
export async function play(args: readonly string[], options: PlayOptions = {}): Promise<Played> {
  const clock = realClock()
  let [out, err] = ['', '']
  const code = await main(args, {
    out: text => {
      out += text
      options.onOut?.(out)
    },
    err: text => void (err += text),
    input: async () => options.input ?? '',
    columns: options.columns,
    canRedraw: false,
    environment: options.environment ?? {},
    folder: options.folder ?? '/',
    signal: options.signal ?? new AbortController().signal,
    clock,
    chance: realChance(),
    files: realFiles(),
    processes: realProcesses(clock),
    resolve: options.resolve ?? (async () => []),
  })
  return { code, out, err }
}
