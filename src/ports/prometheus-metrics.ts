import { createRequire } from 'node:module'
import type * as Prometheus from '@prometheus-io/client'
import type { Counter, Gauge, GaugeOptions, Histogram, Labels, MetricOptions, Metrics } from './metrics.ts'

/** Loads the library with the first registry: a command that counts nothing starts faster without it. */
const load = createRequire(import.meta.url)
const library = () => load('@prometheus-io/client') as typeof Prometheus

/** A registry of its own. With `process` it also tells of this process: memory, CPU, garbage collection, event loop. */
export function prometheusMetrics(options: { readonly process?: boolean } = {}): Metrics {
  const prometheus = library()
  const registry = new prometheus.Registry()
  if (options.process) prometheus.collectDefaultMetrics({ register: registry })
  return new PrometheusMetrics(prometheus, registry)
}

/** What is known of a metric: enough to see whether somebody else means another one by the same name. */
interface Registered {
  readonly type: string
  readonly labels: string
  readonly metric: unknown
}

class PrometheusMetrics implements Metrics {
  readonly #prometheus: typeof Prometheus
  readonly #registry: Prometheus.Registry
  readonly #registered = new Map<string, Registered>()
  /** By the gauge's name: everybody who fills it when it is read. */
  readonly #collectors = new Map<string, Set<() => void>>()

  constructor(prometheus: typeof Prometheus, registry: Prometheus.Registry) {
    this.#prometheus = prometheus
    this.#registry = registry
  }

  counter<L extends string = never>(options: MetricOptions<L>): Counter<L> {
    return this.#once('counter', options, settings => {
      const counter = new this.#prometheus.Counter<string>(settings)
      return { add: (labels, by = 1) => counter.inc(labels, by), remove: labels => counter.remove(labels) }
    })
  }

  gauge<L extends string = never>(options: GaugeOptions<L>): Gauge<L> {
    const gauge = this.#once<L, Gauge<L>>('gauge', options, settings => {
      const collectors = new Set<() => void>()
      this.#collectors.set(options.name, collectors)
      const raw = new this.#prometheus.Gauge<string>({ ...settings, collect: () => collectors.forEach(collect => collect()) })
      return {
        set: (labels, value) => raw.set(labels, value),
        add: (labels, by) => raw.inc(labels, by),
        remove: labels => raw.remove(labels),
        clear: () => raw.reset(),
      }
    })
    this.#collect(gauge, options)
    return gauge
  }

  histogram<L extends string = never>(options: MetricOptions<L> & { readonly buckets: readonly number[] }): Histogram<L> {
    return this.#once('histogram', options, settings => {
      const histogram = new this.#prometheus.Histogram<string>({ ...settings, buckets: [...options.buckets] })
      return { observe: (labels, value) => histogram.observe(labels, value), remove: labels => histogram.remove(labels) }
    })
  }

  text(): Promise<string> {
    return this.#registry.metrics()
  }

  #collect<L extends string>(gauge: Gauge<L>, { name, collect, until }: GaugeOptions<L>): void {
    if (collect === undefined || until?.aborted === true) return
    const shown = new Map<string, Labels<L>>()
    const own: Gauge<L> = {
      ...gauge,
      set: (labels, value) => {
        if (until !== undefined) shown.set(JSON.stringify(labels), labels)
        gauge.set(labels, value)
      },
    }
    const collector = () => collect(own)
    this.#collectors.get(name)?.add(collector)
    const end = () => {
      this.#collectors.get(name)?.delete(collector)
      for (const labels of shown.values()) gauge.remove(labels)
    }
    until?.addEventListener('abort', end, { once: true })
  }

  /** The metric of that name; made by `make` the first time. */
  #once<L extends string, M extends object>(
    type: string,
    { name, help, labels = [] }: MetricOptions<L>,
    make: (settings: { name: string; help: string; labelNames: string[]; registers: Prometheus.Registry[] }) => M,
  ): M {
    const signature = labels.toSorted().join()
    const known = this.#registered.get(name)
    if (known === undefined) {
      const metric = Object.freeze(make({ name, help, labelNames: [...labels], registers: [this.#registry] }))
      this.#registered.set(name, { type, labels: signature, metric })
      return metric
    }
    if (known.type !== type || known.labels !== signature) {
      throw new Error(`metric ${name} is already a ${known.type} with labels (${known.labels}), not a ${type} with (${signature})`)
    }
    return known.metric as M
  }
}
