import type { Clock, Metrics } from '../../ports/index.ts'
import type { WaitingJob } from '../dispatch/waiting-job.ts'
import type { UnderWay } from '../fleet/under-way.ts'
import type { HatcherySettings } from '../settings.ts'
import { GaugeSet } from './gauge-set.ts'
import { hatcheryMetric, queueGauges, queueLabels } from './metric-catalogue.ts'

/** What the metrics are told from. */
export interface QueueMetricsOptions {
  readonly settings: Pick<HatcherySettings, 'name'>
  /** Those that wait, and those whose worker is being started. */
  readonly jobs: () => readonly Pick<WaitingJob, 'job' | 'refusal' | 'isStarting'>[]
  readonly underWay: Pick<UnderWay, 'hasJob'>
  readonly metrics: Metrics
  readonly clock: Clock
}

/** What a job waits for that nobody has looked at yet. */
const undecided = { gate: 'None', reason: 'NotDecidedYet' } as const

/**
 * The gauges of jobs that wait, by what holds them back. There are as many series as reasons that hold at the moment, however many
 * jobs; docs/hatchery.md lists them all.
 */
export class QueueMetrics {
  readonly #options: QueueMetricsOptions
  readonly #gauges

  constructor(options: QueueMetricsOptions) {
    this.#options = options
    this.#gauges = new GaugeSet(options.metrics, queueGauges, hatcheryMetric, queueLabels)
  }

  /** Tells all of it anew. What the platform has does not matter here: that it is not known is one of the reasons. */
  update(): void {
    const { jobs, underWay, clock, settings } = this.#options
    const waiting = jobs().filter(({ job, isStarting }) => !isStarting && !underWay.hasJob(job.id))
    const byReason = Map.groupBy(waiting, ({ refusal: { gate, reason } = undecided }) => `${gate} ${reason}`)
    const series = Array.from(byReason.values(), held => {
      const { gate, reason } = held[0]?.refusal ?? undecided
      const labels = { service_name: settings.name, service_type: 'hatchery', gate, reason }
      return [labels, { waiting_jobs: held.length, waiting_job_oldest_seconds: oldestAge(held, clock.now()) }] as const
    })
    this.#gauges.show(series)
  }
}

/** In seconds; undefined if it is known of none when it was queued. CDS's clock may be ahead of ours. */
function oldestAge(waiting: readonly Pick<WaitingJob, 'job'>[], now: number): number | undefined {
  const queued = waiting.map(({ job }) => job.queued).filter(time => time > 0)
  return queued.length === 0 ? undefined : Math.max(0, now - Math.min(...queued)) / 1000
}
