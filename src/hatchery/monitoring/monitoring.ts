import { hostname } from 'node:os'
import type { AddressAuthority, Platform } from '../../platform/index.ts'
import type { Chance, Clock, HttpHandler, Log, Metrics } from '../../ports/index.ts'
import type { StatusLine } from '../cds/cds.ts'
import type { WaitingJob } from '../dispatch/waiting-job.ts'
import type { Fleet } from '../fleet/fleet.ts'
import type { UnderWay } from '../fleet/under-way.ts'
import type { WorkerPool } from '../gates/worker-pool.ts'
import { Rounds } from '../rounds.ts'
import type { HatcherySettings } from '../settings.ts'
import { FleetMetrics } from './fleet-metrics.ts'
import { HappeningCounters } from './happening-counters.ts'
import { monRoutes } from './mon-routes.ts'
import { QueueMetrics } from './queue-metrics.ts'
import { statusLines } from './status-lines.ts'

/** What is looked at. */
export interface MonitoringOptions {
  readonly settings: HatcherySettings
  readonly platform: Pick<Platform, 'inventory' | 'capacity' | 'diskGB'>
  readonly fleet: Fleet
  readonly pool: WorkerPool
  readonly underWay: UnderWay
  readonly addresses: Pick<AddressAuthority, 'counts'>
  /** Those that wait, and those whose worker is being started. */
  readonly jobs: () => readonly Readonly<WaitingJob>[]
  /** The hatchery's own registry: everything in it is shown to anybody. */
  readonly metrics: Metrics
  /** Whether each loop is alive, by the name that CDS shows. That of the metrics is added. */
  readonly health: () => ReadonlyMap<string, boolean>
  readonly clock: Clock
  readonly chance: Chance
  readonly log: Log
  /** What CDS compares with its own version. Default `snapshot`, as every build of CDS that is not a release. */
  readonly version?: string
  /** Default: this machine's name. */
  readonly hostname?: string
}

/** How often the metrics are told anew. */
const metricsEvery = 30_000

/** How the hatchery is: status lines, the `/mon/…` pages, and metrics that are told anew every 30 s. */
export class Monitoring {
  /** Counts what happens. */
  readonly counters: HappeningCounters
  /** The pages, to be put on the hatchery's port. */
  readonly handler: HttpHandler
  readonly #options: MonitoringOptions
  readonly #rounds: Rounds
  readonly #startedAt: number
  readonly #stop = new AbortController()

  constructor(options: MonitoringOptions) {
    const { settings, metrics, clock, chance, log, pool, version = 'snapshot' } = options
    this.#options = options
    this.#startedAt = clock.monotonic()
    this.counters = new HappeningCounters(metrics, settings.name)
    const queue = new QueueMetrics(options)
    const fleet = new FleetMetrics(options)
    const round = async (signal: AbortSignal) => {
      queue.update()
      await fleet.update(signal)
    }
    this.#rounds = new Rounds({ name: 'hatchery-vsphere-metrics', every: metricsEvery, atOnce: true, clock, log, round })
    this.handler = monRoutes({
      name: settings.name,
      hostname: options.hostname ?? hostname(),
      version,
      status: () => this.status(),
      pool,
      metrics,
      clock,
      chance,
      log,
    })
  }

  /** How it is, line by line, as every heartbeat tells CDS. */
  status(): readonly StatusLine[] {
    const { settings, fleet, pool, clock, version = 'snapshot' } = this.#options
    const health = () => new Map([...this.#options.health(), [this.#rounds.name, this.#rounds.isHealthy] as const])
    return statusLines({ settings, fleet, pool, clock, version, health, startedAt: this.#startedAt })
  }

  /** Begins to tell metrics: as soon as the inventory is known, then every 30 s. */
  start(): void {
    this.#rounds.start()
    this.#options.platform.inventory.whenLive(this.#stop.signal).then(
      () => this.#rounds.request(),
      () => {},
    )
  }

  async stop(): Promise<void> {
    this.#stop.abort(new Error('monitoring is stopped'))
    await this.#rounds.stop()
  }
}
