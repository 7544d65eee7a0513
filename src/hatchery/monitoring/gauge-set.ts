import type { Gauge, Metrics } from '../../ports/index.ts'

type Labels = Readonly<Record<string, string>>

/** Gauges that are set together, of which each has one series for each of some labels. */
export class GaugeSet<N extends string> {
  readonly #gauges: ReadonlyMap<N, Gauge<string>>

  constructor(
    metrics: Metrics,
    table: Readonly<Record<N, readonly [help: string, unit: string]>>,
    whole: (name: string) => string,
    labels: readonly string[],
  ) {
    const entries = Object.entries<readonly [string, string]>(table) as [N, readonly [string, string]][]
    this.#gauges = new Map(entries.map(([name, [help]]) => [name, metrics.gauge<string>({ name: whole(name), help, labels })]))
  }

  /**
   * Shows exactly these series from now on. Nothing is read between the going of the old and the coming of the new: no scrape ever
   * finds a gap.
   */
  show(series: Iterable<readonly [Labels, Readonly<Partial<Record<N, number | undefined>>>]>): void {
    this.clear()
    for (const [labels, values] of series) {
      for (const [name, value] of Object.entries<number | undefined>(values)) {
        if (value !== undefined) this.#gauges.get(name as N)?.set(labels, value)
      }
    }
  }

  /** Shows nothing: what is not known is not 0. */
  clear(): void {
    for (const gauge of this.#gauges.values()) gauge.clear()
  }
}
