import type { Counter, Metrics } from '../../ports/index.ts'
import { happenings, hatcheryMetric, serviceLabels } from './metric-catalogue.ts'

/** What is counted. */
export type Happening = keyof typeof happenings

/** Counts what happens, under the names that dashboards of the original know. All begin at 0, so that rates can be told at once. */
export class HappeningCounters {
  readonly #counters: ReadonlyMap<Happening, Counter<(typeof serviceLabels)[number]>>
  readonly #labels: { readonly service_name: string; readonly service_type: string }

  constructor(metrics: Metrics, hatchery: string) {
    this.#labels = { service_name: hatchery, service_type: 'hatchery' }
    const names = Object.keys(happenings) as Happening[]
    this.#counters = new Map(
      names.map(name => [name, metrics.counter({ name: hatcheryMetric(name), help: happenings[name], labels: serviceLabels })]),
    )
    for (const name of names) this.count(name, 0)
  }

  count(name: Happening, by = 1): void {
    this.#counters.get(name)?.add(this.#labels, by)
  }
}
