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
} from '../ports/index.ts'
import type {
  Chance,
  Clock,
  Files,
  HttpClient,
  Log,
  LogLevel,
  Metrics,
  Processes,
  ResolveHost,
  TlsTrust,
  WebSockets,
} from '../ports/index.ts'

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
export function realPorts(options: { readonly level: LogLevel; readonly environment: Ports['environment'] }): Ports {
  const clock = realClock()
  return Object.freeze({
    clock,
    chance: realChance(),
    files: realFiles(),
    processes: realProcesses(clock),
    log: calmLog(jsonLog({ level: options.level, clock }), clock),
    metrics: prometheusMetrics({ process: true }),
    environment: options.environment,
    http: (trust: TlsTrust) => httpClient({ clock, trust }),
    webSockets: (trust: TlsTrust) => realWebSockets({ clock, trust }),
    resolve: realResolver(),
  })
}
