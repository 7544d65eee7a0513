import { describe, expect, test } from 'vitest'
import { operatorFile } from '../../hatchery/testing/operator-file.ts'
import { memoryFiles } from '../../ports/index.ts'
import { problemLine } from '../errors.ts'
import { checkConfig, loadConfig } from './load-config.ts'
import { showConfig } from './show-config.ts'

async function load(toml: string, environment: Record<string, string> = {}) {
  const warnings: string[] = []
  const sources = {
    files: memoryFiles({ '/etc/cds.toml': toml }),
    environment,
    warn: (warning: Parameters<typeof problemLine>[1]) => void warnings.push(problemLine('cds.toml', warning)),
  }
  const problems = (await checkConfig('/etc/cds.toml', sources)).map(problem => problemLine('cds.toml', problem))
  warnings.length = 0
  const config = problems.length > 0 ? undefined : await loadConfig('/etc/cds.toml', sources)
  return { config, problems, warnings }
}

describe('a CDS operator’s own file', () => {
  test('is a configuration as it is', async () => {
    const { config, problems, warnings } = await load(operatorFile())
    expect([problems, warnings]).toEqual([[], []])
    expect(config?.hatchery.vsphere).toMatchObject({ name: 'hv1', provision: { maxWorker: 10 } })
    expect(config?.demo.enabled).toBe(false)
  })

  test('may hold what other services of CDS need; it is told that nothing is done with it', async () => {
    const others =
      '[log]\nlevel = "warning"\nformat = "text"\n[log.graylog]\nhost = "g"\n[telemetry]\ntracingEnabled = true\n[api]\nname = "x"\n'
    const { config, warnings } = await load(`${others}[hatchery.openstack]\ntenant = "t"\n${operatorFile()}`)
    expect(config?.log).toMatchObject({ level: 'warn', format: 'text' })
    expect(warnings).toEqual([
      'cds.toml:4:2: log.graylog: is not used; lines go to standard error; let what collects it send them to Graylog',
      'cds.toml:6:2: telemetry: is not used; metrics are always at /mon/metrics of the hatchery; traces are not sent',
      'cds.toml:8:2: api: is not used; it belongs to another service of CDS; this program is its hatchery for vSphere only',
      'cds.toml:10:2: hatchery.openstack: is not used; this program is a hatchery for vSphere only; go on running CDS’s own for OpenStack',
    ])
  })

  test('may write its headers in any case', async () => {
    const { config } = await load(operatorFile().replaceAll('[hatchery.vsphere', '[Hatchery.vSphere'))
    expect(config?.hatchery.vsphere?.name).toBe('hv1')
  })
})

test('everything that is wrong is told at once, with line and column, in the order of the file', async () => {
  const toml = operatorFile({
    more: 'WorkerTtl = "soon"\nmaxCpu = 4',
    provision: 'maxworker = 1\nmaxConcurrentProvisioning = 10\nmaxConcurrentRegistering = 2',
  })
  const { problems } = await load(toml, { CDS_HATCHERY_VSPHERE_MAXMEMORYMB: 'x' })
  expect(problems).toEqual([
    'cds.toml: CDS_HATCHERY_VSPHERE_MAXMEMORYMB: must be a whole number, not a text; write a number, without a unit',
    'cds.toml:6:1: hatchery.vsphere.workerTTL: must be a whole number, not a text; write a number such as 120',
    'cds.toml:7:1: hatchery.vsphere.maxCpu: there is no such key; did you mean "maxCpus"?',
    expect.stringMatching(
      /^cds.toml:\d+:1: hatchery.vsphere.commonConfiguration.provision.maxConcurrentProvisioning: is 10, more than maxWorker/,
    ),
    expect.stringMatching(
      /^cds.toml:\d+:1: hatchery.vsphere.commonConfiguration.provision.maxConcurrentRegistering: is 2, more than maxWorker/,
    ),
  ])
})

test('other sections’ mistakes do not hide the hatchery’s', async () => {
  const { problems } = await load(`[log]\nlevl = "info"\n${operatorFile({ more: 'maxCpu = 4' })}`)
  expect(problems).toHaveLength(2)
})

test('what is in force is shown with every default and no secret', async () => {
  const { config } = await load(operatorFile())
  const shown = await showConfig(config!)
  expect(shown).toContain('[hatchery.vsphere.commonConfiguration.provision]')
  expect(shown).toContain('maxConcurrentProvisioning = 10')
  expect(shown).not.toMatch(/vc-secret|token-of|PRIVATE/)
})

test('a hatchery that is no table is refused', async () => {
  expect((await load('[hatchery]\nvsphere = 5')).problems).toEqual(['cds.toml:2:1: hatchery.vsphere: must be a table, not a number'])
})
