import { expect, test } from 'vitest'
import type { Gauge } from './metrics.ts'
import { prometheusMetrics } from './prometheus-metrics.ts'

test('counters, gauges and histograms are shown in the Prometheus text format', async () => {
  const metrics = prometheusMetrics()
  const counter = metrics.counter({ name: 'aviary_eggs_total', help: 'Eggs laid.', labels: ['nest'] })
  counter.add({ nest: 'a' })
  counter.add({ nest: 'a' }, 2)
  metrics.gauge({ name: 'aviary_birds', help: 'Birds here.' }).set({}, 4)
  metrics.histogram({ name: 'aviary_flight_seconds', help: 'Flights.', buckets: [1, 5] }).observe({}, 3)
  const lines = (await metrics.text()).split('\n')
  expect(lines).toEqual(
    expect.arrayContaining([
      '# HELP aviary_eggs_total Eggs laid.',
      '# TYPE aviary_eggs_total counter',
      'aviary_eggs_total{nest="a"} 3',
      'aviary_birds 4',
      'aviary_flight_seconds_bucket{le="1"} 0',
      'aviary_flight_seconds_bucket{le="5"} 1',
      'aviary_flight_seconds_bucket{le="+Inf"} 1',
      'aviary_flight_seconds_sum 3',
      'aviary_flight_seconds_count 1',
    ]),
  )
})

test('a gauge forgets what is gone', async () => {
  const metrics = prometheusMetrics()
  const gauge = metrics.gauge({ name: 'aviary_birds', help: 'Birds here.', labels: ['nest'] })
  gauge.set({ nest: 'a' }, 1)
  gauge.add({ nest: 'b' }, 2)
  gauge.add({ nest: 'b' }, -1)
  gauge.remove({ nest: 'a' })
  expect(await metrics.text()).not.toContain('nest="a"')
  expect(await metrics.text()).toContain('aviary_birds{nest="b"} 1')
  gauge.clear()
  expect(await metrics.text()).not.toContain('nest="b"')
})

test('a counter and a histogram forget one series, and the others stay', async () => {
  const metrics = prometheusMetrics()
  const counter = metrics.counter({ name: 'aviary_eggs_total', help: 'Eggs laid.', labels: ['nest'] })
  const histogram = metrics.histogram({ name: 'aviary_flight_seconds', help: 'Flights.', labels: ['nest'], buckets: [1] })
  for (const nest of ['a', 'b']) {
    counter.add({ nest })
    histogram.observe({ nest }, 2)
  }
  counter.remove({ nest: 'a' })
  histogram.remove({ nest: 'a' })
  const text = await metrics.text()
  expect(text).not.toContain('nest="a"')
  expect(text).toContain('aviary_eggs_total{nest="b"} 1')
  expect(text).toContain('aviary_flight_seconds_count{nest="b"} 1')
})

test('a gauge can be filled when it is read, by everyone who asked for it', async () => {
  const metrics = prometheusMetrics()
  let birds = 0
  for (const nest of ['a', 'b']) {
    metrics.gauge({ name: 'aviary_birds', help: 'Birds here.', labels: ['nest'], collect: gauge => gauge.set({ nest }, ++birds) })
  }
  expect(await metrics.text()).toContain('aviary_birds{nest="a"} 1\naviary_birds{nest="b"} 2')
  expect(await metrics.text()).toContain('aviary_birds{nest="a"} 3\naviary_birds{nest="b"} 4')
})

test('who fills a gauge may end: it is asked no more, what it showed goes, and the others go on', async () => {
  const metrics = prometheusMetrics()
  const ending = new AbortController()
  const asked: string[] = []
  for (const [nest, until] of [['a', ending.signal] as const, ['b', undefined] as const]) {
    const collect = (gauge: Gauge<'nest'>) => {
      asked.push(nest)
      gauge.set({ nest }, 1)
    }
    metrics.gauge({ name: 'aviary_birds', help: 'Birds here.', labels: ['nest'], collect, until })
  }
  await metrics.text()
  ending.abort()
  const text = await metrics.text()
  expect(asked).toEqual(['a', 'b', 'b'])
  expect(text).not.toContain('nest="a"')
  expect(text).toContain('aviary_birds{nest="b"} 1')
})

test('who has ended already never fills a gauge', async () => {
  const metrics = prometheusMetrics()
  const collect = () => expect.unreachable()
  metrics.gauge({ name: 'aviary_birds', help: 'Birds here.', collect, until: AbortSignal.abort() })
  expect(await metrics.text()).toContain('aviary_birds')
})

test('asking twice for one name gives the same metric', async () => {
  const metrics = prometheusMetrics()
  const ask = () => metrics.counter({ name: 'aviary_eggs_total', help: 'Eggs laid.', labels: ['nest', 'kind'] })
  expect(ask()).toBe(ask())
})

test('asking for another metric by a name that is taken is refused', () => {
  const metrics = prometheusMetrics()
  metrics.counter({ name: 'aviary_eggs_total', help: 'Eggs laid.', labels: ['nest'] })
  expect(() => metrics.counter({ name: 'aviary_eggs_total', help: 'Eggs laid.' })).toThrow(
    'aviary_eggs_total is already a counter with labels (nest)',
  )
  expect(() => metrics.gauge({ name: 'aviary_eggs_total', help: 'Eggs laid.', labels: ['nest'] })).toThrow('not a gauge')
})

test('two registries know nothing of each other', async () => {
  const [one, other] = [prometheusMetrics(), prometheusMetrics()]
  one.counter({ name: 'aviary_eggs_total', help: 'Eggs laid.' }).add({})
  expect(await other.text()).not.toContain('aviary_eggs_total')
})

test('the metrics of the process itself are there if asked for', async () => {
  expect(await prometheusMetrics({ process: true }).text()).toContain('process_resident_memory_bytes')
  expect(await prometheusMetrics().text()).not.toContain('process_')
})
