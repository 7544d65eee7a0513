import {
  calmLog,
  httpClient,
  jsonLog,
  prometheusMetrics,
  realChance,
  realClock,
  realFiles,
  realProcesses,
  realResolver,
  realWebSockets,
  silentLog,
  textLine,
} from '../ports/index.ts'
import type { Chance, Clock, Files, HttpClient, Log, Metrics, Processes, ResolveHost, TlsTrust, WebSockets } from '../ports/index.ts'

import type { Config } from './config/sections.ts'

/** The outside world, as the whole program sees it. */
export interface Ports {
  readonly clock: Clock
  readonly chance: Chance
  readonly files: Files
  readonly processes: Processes
  readonly log: Log
  readonly metrics: Metrics
  readonly environment: Readonly<Record<string, string | undefined>>
  /** A client that trusts what `trust` says. */
  readonly http: (trust: TlsTrust) => HttpClient
  readonly webSockets: (trust: TlsTrust) => WebSockets
  /** Finds the addresses of hosts. */
  readonly resolve: ResolveHost
}

/** The real outside: this machine, its network, and standard error for the log. */
export function realPorts({ log, environment }: { readonly log: Config['log']; readonly environment: Ports['environment'] }): Ports {
  const clock = realClock()
  return Object.freeze({
    clock,
    chance: realChance(),
    files: realFiles(),
    processes: realProcesses(clock),
    log: calmLog(realLog(log, clock), clock),
    metrics: prometheusMetrics({ process: true }),
    environment,
    http: (trust: TlsTrust) => httpClient({ clock, trust }),
    webSockets: (trust: TlsTrust) => realWebSockets({ clock, trust }),
    resolve: realResolver(),
  })
}

function realLog({ level, format }: Config['log'], clock: Clock): Log {
  if (format === 'discard') return silentLog
  const isText = format === 'text' || (format === 'auto' && process.stderr.isTTY)
  return jsonLog({ level, clock, ...(isText && { write: line => void process.stderr.write(textLine(line)) }) })
}
