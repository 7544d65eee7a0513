import { expect, test } from 'vitest'
import { parse as parseToml } from 'smol-toml'
import { parse as parseYaml } from 'yaml'
import { exitCodes } from '../../src/cli/index.ts'
import { loopback } from '../../src/server/testing/aviary-on-loopback.ts'
import { filesBelow, textOf } from './repository.ts'

interface Rules {
  readonly groups: readonly {
    readonly rules: readonly {
      readonly alert: string
      readonly expr: string
      readonly labels: { readonly severity: string }
      readonly annotations: { readonly summary: string; readonly description: string }
    }[]
  }[]
}

const unit = textOf('deploy/systemd/aviary.service')

/** The values that the unit gives to a setting. */
const settings = (name: string) => [...unit.matchAll(new RegExp(`^${name}=(.*)$`, 'gm'))].map(([, value = '']) => value)

test('the service starts the program in the folders that the example configuration and the page name', () => {
  expect(settings('ExecStart')).toEqual(['/opt/aviary/bin/aviary up --config /etc/aviary/aviary.toml'])
  const example = parseToml(textOf('deploy/aviary.example.toml')) as { server: { dataDir: string } }
  expect(`/var/lib/${settings('StateDirectory')[0]}`).toBe(example.server.dataDir)
  const page = textOf('docs/operating.md')
  for (const path of ['/opt/aviary', '/etc/aviary/aviary.toml', '/var/lib/aviary', 'deploy/systemd/aviary.service'])
    expect(page).toContain(path)
})

test('the service is not started again after what only a person can put right', () => {
  const { usage, configuration, certificate } = exitCodes
  expect(settings('RestartPreventExitStatus')).toEqual([[usage, configuration, certificate].join(' ')])
})

test('every metric that the alert rules name is served, and every alert says what to do', async () => {
  const rules = (parseYaml(textOf('deploy/alerts/aviary.yaml')) as Rules).groups.flatMap(group => group.rules)
  await using world = await loopback()
  const aviary = await world.start('[demo]\nenabled = true\n[pools]\nenabled = true\n[pools.installer]\nkind = "simulated"')
  const served = (await world.send(aviary, '/metrics')).text()
  // Only replicas on Kubernetes elect one that leads.
  const known = new Set([...Array.from(served.matchAll(/^# TYPE (\S+)/gm), ([, name]) => name), 'aviary_leader'])
  const named = rules.flatMap(({ expr }) => [...expr.matchAll(/\b(?:aviary|hive)_\w+/g)].map(([name]) => name.replace(/_bucket$/, '')))
  expect(named.length).toBeGreaterThan(8)
  expect(named.filter(name => !known.has(name))).toEqual([])
  for (const { labels, annotations } of rules) {
    expect(['critical', 'warning']).toContain(labels.severity)
    expect(annotations.description).not.toBe('')
  }
})

test('everything below deploy/ is explained on some page', () => {
  const pages = filesBelow('docs')
    .filter(path => path.endsWith('.md'))
    .map(textOf)
    .join('\n')
  const deployed = filesBelow('deploy').filter(path => !path.startsWith('deploy/crds/'))
  expect(deployed.filter(path => !pages.includes(path))).toEqual([])
})
