/** A value for each label that a metric has. */
export type Labels<L extends string> = Readonly<Record<L, string>>

/** A number that only grows. */
export interface Counter<L extends string = never> {
  add(labels: Labels<L>, by?: number): void
  /** Forgets one series: what it counted is gone and does not come back. */
  remove(labels: Labels<L>): void
}

/** A number that goes up and down. */
export interface Gauge<L extends string = never> {
  set(labels: Labels<L>, value: number): void
  add(labels: Labels<L>, by: number): void
  /** Forgets one series, so that what is gone is not shown with its last value. */
  remove(labels: Labels<L>): void
  /** Forgets all series. */
  clear(): void
}

/** How often values fell into which range. */
export interface Histogram<L extends string = never> {
  observe(labels: Labels<L>, value: number): void
  /** Forgets one series. */
  remove(labels: Labels<L>): void
}

/** What a metric is called, means and distinguishes. */
export interface MetricOptions<L extends string> {
  /** `aviary_…` or the name that a dashboard of the original system expects; unit last (`_seconds`, `_bytes`, `_total`). */
  readonly name: string
  readonly help: string
  readonly labels?: readonly L[]
}

/** A gauge that may be filled when somebody reads it. */
export interface GaugeOptions<L extends string> extends MetricOptions<L> {
  readonly collect?: (gauge: Gauge<L>) => void
  /** Ends `collect` when it is aborted, and takes back what that has set: a registry outlives those who fill its gauges. */
  readonly until?: AbortSignal | undefined
}

/** The registry of one program instance: no metric lives in a global. Asking twice for one name gives the same metric. */
export interface Metrics {
  counter<L extends string = never>(options: MetricOptions<L>): Counter<L>
  gauge<L extends string = never>(options: GaugeOptions<L>): Gauge<L>
  histogram<L extends string = never>(options: MetricOptions<L> & { readonly buckets: readonly number[] }): Histogram<L>
  /** Everything in the Prometheus text format. */
  text(): Promise<string>
}
