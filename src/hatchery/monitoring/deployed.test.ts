import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { metricCatalogue } from './metric-catalogue.ts'

const deployed = (path: string) => readFileSync(new URL(`../../../deploy/${path}`, import.meta.url), 'utf8')

interface Dashboard {
  readonly panels: readonly { readonly title: string; readonly targets?: readonly { readonly expr: string }[] }[]
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
