import type { Config } from './config/sections.ts'
import type { HatcheryHost } from './hatchery/hatchery-host.ts'
import { realPorts } from './ports.ts'
import type { Ports } from './ports.ts'

/** What the program needs to start. */
export interface AviaryOptions {
  readonly config: Config
  /** The outside world. Default: the real one. */
  readonly ports?: Ports
}

/** The program at work. */
export interface Aviary {
  /** Where it serves: the Kubernetes API on the embedded engine, else health and metrics. */
  readonly url: string
  /** The file for kubectl; undefined on the kubernetes engine, where the cluster's own is used. */
  readonly kubeconfig: string | undefined
  /** The hatchery, if there is to be one. */
  readonly hatchery: HatcheryHost | undefined
  /** Stops in order: no new requests, no new work, what is under way ends, everything is written, the data folder is free. */
  stop(): Promise<void>
}

/** What an engine gives back when it serves. */
export type Serving = Omit<Aviary, 'stop'>

/**
 * Starts the whole program: engine, API, controllers. Resolves when it serves. Rejects with a failure that names the fix, and with
 * everything that had been opened closed again.
 */
export async function startAviary({ config, ports }: AviaryOptions): Promise<Aviary> {
  const outside = ports ?? realPorts({ log: config.log, environment: process.env })
  // What was opened last is closed first.
  const opened = new AsyncDisposableStack()
  try {
    const start = await engineStart(config.engine.kind)
    const serving = await start(config, outside, opened)
    let stopped: Promise<void> | undefined
    return { ...serving, stop: () => (stopped ??= opened.disposeAsync()) }
  } catch (error) {
    await opened.disposeAsync()
    throw error
  }
}

/** The start of one engine, and nothing of the other. */
async function engineStart(
  kind: Config['engine']['kind'],
): Promise<(config: Config, ports: Ports, opened: AsyncDisposableStack) => Promise<Serving>> {
  if (kind === 'embedded') return (await import('./embedded/start-embedded.ts')).startEmbedded
  return (await import('./kubernetes/start-on-kubernetes.ts')).startOnKubernetes
}
