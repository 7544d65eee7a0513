import type { Metrics } from '../ports/index.ts'
import { type Lane, lanes } from './queue/work-queue.ts'

/**
 * What a look at one key came to. Done: nothing more to do now. Waiting: a condition says for what. Gone: the object is no
 * longer there. The others are failures: terminal ones are not tried again, conflicts at once, the others after a pause.
 */
export type WorkResult = 'done' | 'waiting' | 'gone' | 'terminal' | 'conflict' | 'timeout' | 'error'

/** How things stand at the moment when somebody reads the metrics. */
export interface WorkGauges {
  readonly depth: (lane: Lane) => number
  /** Keys whose time has not come. */
  readonly delayed: number
  readonly active: number
  readonly stuck: number
  /** How long the oldest piece of work under way has taken so far. */
  readonly unfinishedSeconds: number
}

/** The metrics of one controller. */
export interface WorkMetrics {
  readonly finished: (result: WorkResult, seconds: number) => void
  readonly retried: () => void
  readonly taken: (waitedSeconds: number) => void
  /** Shows the gauges from now on; returns how to take them away. */
  readonly show: (gauges: () => WorkGauges) => () => void
}

/** Results that mean that something went wrong. A conflict does not: it is how writers notice each other. */
const failures: readonly WorkResult[] = ['terminal', 'timeout', 'error']

const passBuckets = [0.001, 0.005, 0.02, 0.1, 0.5, 1, 5, 15, 60]
const waitBuckets = [0.001, 0.01, 0.1, 1, 10, 60, 600]

/**
 * The metrics of a controller, all labelled with its name.
 *
 * | name | type | more labels | what it tells |
 * |---|---|---|---|
 * | `aviary_controller_reconcile_total` | counter | `result` | passes by what they came to |
 * | `aviary_controller_reconcile_duration_seconds` | histogram | | how long passes take |
 * | `aviary_controller_errors_total` | counter | | passes that failed: terminal, timeout, error |
 * | `aviary_controller_retries_total` | counter | | keys put back after a failure or a conflict |
 * | `aviary_controller_queue_depth` | gauge | `lane` | keys that could be taken now |
 * | `aviary_controller_queue_delayed` | gauge | | keys whose time has not come |
 * | `aviary_controller_queue_latency_seconds` | histogram | | how long keys were ready before a worker took them |
 * | `aviary_controller_active_workers` | gauge | | passes under way |
 * | `aviary_controller_unfinished_seconds` | gauge | | age of the oldest pass under way |
 * | `aviary_controller_stuck` | gauge | | passes that ignored their deadline and still hold their key |
 *
 * One more belongs to all controllers together, and has no label:
 *
 * | name | type | what it tells |
 * |---|---|---|
 * | `aviary_controller_events_dropped_total` | counter | events that were not written |
 */
export function workMetrics(metrics: Metrics, controller: string): WorkMetrics {
  const name = { controller }
  const total = metrics.counter({
    name: 'aviary_controller_reconcile_total',
    help: 'Passes by what they came to.',
    labels: ['controller', 'result'],
  })
  const duration = metrics.histogram({
    name: 'aviary_controller_reconcile_duration_seconds',
    help: 'How long passes take.',
    labels: ['controller'],
    buckets: passBuckets,
  })
  const errors = metrics.counter({ name: 'aviary_controller_errors_total', help: 'Passes that failed.', labels: ['controller'] })
  const retries = metrics.counter({
    name: 'aviary_controller_retries_total',
    help: 'Keys put back after a failure or a conflict.',
    labels: ['controller'],
  })
  const latency = metrics.histogram({
    name: 'aviary_controller_queue_latency_seconds',
    help: 'How long keys were ready before a worker took them.',
    labels: ['controller'],
    buckets: waitBuckets,
  })
  return {
    finished: (result, seconds) => {
      total.add({ controller, result })
      duration.observe(name, seconds)
      if (failures.includes(result)) errors.add(name)
    },
    retried: () => retries.add(name),
    taken: waitedSeconds => latency.observe(name, waitedSeconds),
    show: gauges => showGauges(metrics, controller, gauges),
  }
}

function showGauges(metrics: Metrics, controller: string, gauges: () => WorkGauges): () => void {
  const ending = new AbortController()
  const until = ending.signal
  const gauge = (name: string, help: string, value: (now: WorkGauges) => number) =>
    metrics.gauge({
      name: `aviary_controller_${name}`,
      help,
      labels: ['controller'],
      collect: it => it.set({ controller }, value(gauges())),
      until,
    })
  gauge('queue_delayed', 'Keys whose time has not come.', now => now.delayed)
  gauge('active_workers', 'Passes under way.', now => now.active)
  gauge('unfinished_seconds', 'Age of the oldest pass under way.', now => now.unfinishedSeconds)
  gauge('stuck', 'Passes that ignored their deadline and still hold their key.', now => now.stuck)
  metrics.gauge({
    name: 'aviary_controller_queue_depth',
    help: 'Keys that could be taken now.',
    labels: ['controller', 'lane'],
    collect: it => {
      for (const lane of lanes) it.set({ controller, lane }, gauges().depth(lane))
    },
    until,
  })
  return () => ending.abort()
}
