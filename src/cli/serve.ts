import { aborted } from '../ports/index.ts'
import type { Aviary, Config, ConfigProblem, Override } from '../server/index.ts'
import { exitCodes } from './exit-codes.ts'
import type { Io } from './io.ts'

/** What a command that runs the program wants. */
export interface Serving {
  readonly file: string | undefined
  readonly overrides: readonly Override[]
  /** Throws if the program cannot do with this configuration what the command is for. */
  readonly check?: (config: Config) => void
  /** What is said once it serves, before the line that programs wait for. */
  readonly greeting: (aviary: Aviary, config: Config, seconds: string) => string
  /** Whether the command ends, with the error, when the hatchery cannot go on. */
  readonly endsWithHatchery?: boolean
}

/** Runs the program until Ctrl-C. Rejects with what kept it from starting. */
export async function serve({ file, overrides, check, greeting, endsWithHatchery = false }: Serving, io: Io): Promise<number> {
  const { loadConfig, problemLine, startAviary } = await import('../server/index.ts')
  const { files, environment, folder } = io
  const warn = (warning: ConfigProblem) => io.err(`warning: ${problemLine(file, warning)}\n`)
  const config = await loadConfig(file, { files, environment, folder, overrides, warn })
  check?.(config)
  if (mayBeAnyCluster(config, overrides)) await (await import('./refuse-own-server.ts')).refuseAsCluster(config.engine, io)
  const started = io.clock.monotonic()
  const aviary = await startAviary({ config })
  io.out(greeting(aviary, config, ((io.clock.monotonic() - started) / 1000).toFixed(1)))
  io.out(`ready ${aviary.url}\n`)
  const failure = await Promise.race([aborted(io.signal), ...(endsWithHatchery ? [aviary.hatchery?.failed] : [])])
  // The terminal has just shown ^C.
  if (failure === undefined && io.canRedraw) io.err('\nEnding …\n')
  await aviary.stop()
  if (failure !== undefined) throw failure
  return exitCodes.ok
}

/**
 * Whether the cluster is one that was found, or named in passing. One that stands in the configuration was chosen, even if it is a
 * server of Aviary.
 */
function mayBeAnyCluster({ engine }: Config, overrides: readonly Override[]): boolean {
  if (engine.kind !== 'kubernetes') return false
  return engine.kubeconfig === undefined || overrides.some(({ key }) => key === 'engine.kubeconfig')
}
