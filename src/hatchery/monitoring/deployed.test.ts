import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { metricCatalogue } from './metric-catalogue.ts'

const deployed = (path: string) => readFileSync(new URL(`../../../deploy/${path}`, import.meta.url), 'utf8')

interface Panel {
  readonly id: number
  readonly type: string
  readonly title: string
  readonly description?: string
  readonly datasource?: unknown
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number }
  readonly fieldConfig?: { readonly defaults: { readonly unit: string }; readonly overrides: readonly unknown[] }
  readonly options?: object
  readonly targets?: readonly {
    readonly refId: string
    readonly expr: string
    readonly legendFormat: string
    readonly datasource: unknown
  }[]
}

interface Dashboard {
  readonly uid: string
  readonly title: string
  readonly schemaVersion: number
  readonly refresh: string
  readonly time: { readonly from: string; readonly to: string }
  readonly templating: { readonly list: readonly { readonly name: string; readonly type: string; readonly query: unknown }[] }
  readonly panels: readonly Panel[]
}

interface Rules {
  readonly groups: readonly {
    readonly rules: readonly {
      readonly alert: string
      readonly expr: string
      readonly labels: { readonly severity: string }
      readonly annotations: Readonly<Record<string, string>>
    }[]
  }[]
}

const dashboard: Dashboard = JSON.parse(deployed('grafana/hatchery.json'))
const rules = (parse(deployed('alerts/hatchery.yaml')) as Rules).groups.flatMap(group => group.rules)
const known = new Set(metricCatalogue().map(({ name }) => name))

/** The metrics that an expression names. */
function metricsIn(text: string): readonly string[] {
  return [...text.matchAll(/\bcds_\w+/g)].map(([name]) => name.replace(/_(bucket|sum|count)$/, suffix => (known.has(name) ? suffix : '')))
}

test('every metric that the dashboard shows exists', () => {
  const shown = dashboard.panels.flatMap(({ targets = [] }) => targets.flatMap(({ expr }) => metricsIn(expr)))
  expect(shown.length).toBeGreaterThan(30)
  expect(shown.filter(name => !known.has(name))).toEqual([])
})

test('every metric about vSphere is on the dashboard', () => {
  const shown = new Set(dashboard.panels.flatMap(({ targets = [] }) => targets.flatMap(({ expr }) => metricsIn(expr))))
  expect([...known].filter(name => name.startsWith('cds_hatchery_vsphere_') && !shown.has(name))).toEqual([])
})

describe('the dashboard is one that Grafana takes', () => {
  const shown = dashboard.panels.filter(({ type }) => type !== 'row')

  test('it is known by a name of its own, and finds Prometheus and the hatcheries by variables', () => {
    expect(dashboard).toMatchObject({ uid: expect.stringMatching(/^[\w-]{1,40}$/), schemaVersion: expect.any(Number), refresh: '30s' })
    expect(dashboard.templating.list.map(({ name, type }) => [name, type])).toEqual([
      ['datasource', 'datasource'],
      ['hatchery', 'query'],
    ])
    expect(metricsIn(JSON.stringify(dashboard.templating)).every(name => known.has(name))).toBe(true)
    const variables = [...JSON.stringify(dashboard.panels).matchAll(/\$\{?(\w+)/g)].map(([, name]) => name)
    expect(new Set(variables)).toEqual(new Set(['datasource', 'hatchery']))
  })

  test('every panel has a number of its own, a sort that every Grafana has, a place that no other covers, and says what it shows', () => {
    expect(new Set(dashboard.panels.map(({ id }) => id)).size).toBe(dashboard.panels.length)
    const cells = new Set<string>()
    for (const { title, type, gridPos, description } of dashboard.panels) {
      expect(['row', 'stat', 'gauge', 'timeseries']).toContain(type)
      expect(title).not.toBe('')
      if (type !== 'row') expect(description, title).toBeTruthy()
      expect(gridPos.x >= 0 && gridPos.w > 0 && gridPos.x + gridPos.w <= 24, title).toBe(true)
      for (let x = gridPos.x; x < gridPos.x + gridPos.w; x++) {
        for (let y = gridPos.y; y < gridPos.y + gridPos.h; y++) {
          expect(cells.has(`${x} ${y}`), title).toBe(false)
          cells.add(`${x} ${y}`)
        }
      }
    }
  })

  test('every panel asks the chosen Prometheus about the chosen hatcheries, and tells them apart', () => {
    const source = { type: 'prometheus', uid: '${datasource}' }
    for (const { title, datasource, targets = [], fieldConfig, options } of shown) {
      expect(datasource, title).toEqual(source)
      expect(targets.length, title).toBeGreaterThan(0)
      expect(new Set(targets.map(({ refId }) => refId)).size, title).toBe(targets.length)
      expect([fieldConfig?.overrides, typeof options], title).toEqual([[], 'object'])
      for (const { expr, legendFormat, datasource: asked } of targets) {
        expect(asked, title).toEqual(source)
        expect(expr.match(/\bcds_\w+/g)?.length, expr).toBe(expr.match(/\bcds_\w+\{service_name=~"\$hatchery"\}/g)?.length)
        expect(legendFormat, title).toMatch(/\{\{(service_name|worker_model)\}\}/)
      }
    }
  })

  test('units are those in which vSphere counts', () => {
    for (const { title, fieldConfig, targets = [] } of shown) {
      const exprs = targets.map(({ expr }) => expr).join()
      const isShare = exprs.includes('* 100')
      const unit = fieldConfig?.defaults.unit ?? ''
      expect(unit, title).not.toBe('')
      if (!isShare && exprs.includes('_memory_mb')) expect(unit, title).toBe('mbytes')
      if (exprs.includes('_disk_gb')) expect(unit, title).toBe('gbytes')
      if (!isShare && exprs.includes('_mhz')) expect(unit, title).toBe('rotmhz')
      if (isShare) expect(unit, title).toBe('percent')
    }
  })
})

test('every metric that an alert looks at exists, and every alert says what is wrong and what to do', () => {
  expect(rules.length).toBeGreaterThan(8)
  const looked = rules.flatMap(({ expr }) => metricsIn(expr))
  expect(looked.filter(name => !known.has(name))).toEqual([])
  for (const { labels, annotations } of rules) {
    expect(['warning', 'critical']).toContain(labels.severity)
    expect(Object.keys(annotations)).toEqual(['summary', 'description'])
  }
  expect(new Set(rules.map(({ alert }) => alert)).size).toBe(rules.length)
})
