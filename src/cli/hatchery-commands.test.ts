import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { operatorFile } from '../hatchery/testing/operator-file.ts'
import { exitCodes } from './exit-codes.ts'
import { play } from './testing/played-io.ts'

let folder: string

beforeAll(async () => void (folder = await mkdtemp(join(tmpdir(), 'aviary-hatchery-check-'))))
afterAll(() => rm(folder, { recursive: true }))

async function check(toml: string, { args = [] as string[], environment = {} } = {}) {
  const file = join(folder, 'cds.toml')
  await writeFile(file, toml)
  return await play(['hatchery', 'check', '--config', file, ...args], { folder, environment, columns: 200 })
}

test('a CDS operator sees what their file comes to, without secrets, and that there is nothing to warn of', async () => {
  const { code, out, err } = await check(operatorFile({ provision: 'maxWorker = 0' }), { args: ['--offline'] })
  expect([code, err]).toEqual([exitCodes.ok, ''])
  expect(out).toContain('[hatchery.vsphere.commonConfiguration.provision]')
  expect(out).toContain('maxWorker = 0\nmaxConcurrentProvisioning = 10')
  expect(out).toContain('password = "***"')
  expect(out).toContain('Nothing to warn of.')
  expect(out).not.toMatch(/vc-secret|token-of|PRIVATE/)
})

test('what may not be meant so is said with its line', async () => {
  const { code, out } = await check(operatorFile({ more: 'countSmallerFlavorToKeep = 2' }), { args: ['--offline'] })
  expect(code).toBe(exitCodes.ok)
  expect(out).toContain('1 warning:\n')
  expect(out).toMatch(/cds\.toml:6:1: hatchery\.vsphere\.countSmallerFlavorToKeep: has no effect: maxCpus is 0/)
})

test('a file that cannot be used ends with the code for that, and says everything that is wrong', async () => {
  const { code, out, err } = await check(operatorFile({ more: 'maxCpu = 4', provision: 'maxWorker = 1\nmaxConcurrentRegistering = 2' }))
  expect([code, out]).toEqual([exitCodes.configuration, ''])
  expect(err).toContain('did you mean "maxCpus"?')
  expect(err).toContain('maxConcurrentRegistering')
})

test('a file without a hatchery is told what is missing', async () => {
  const { code, err } = await check('[log]\nlevel = "warning"')
  expect(code).toBe(exitCodes.configuration)
  expect(err).toContain('hatchery.vsphere: is missing; add the section of your CDS hatchery')
})

test('a vCenter that does not answer is a failed check, with what breaks and what to do', async () => {
  const environment = { CDS_HATCHERY_VSPHERE_ENDPOINT: '127.0.0.1:1' }
  const { code, out } = await check(operatorFile(), { environment })
  expect(code).toBe(exitCodes.failed)
  expect(out).toMatch(/FAILED +signing in to vCenter 127\.0\.0\.1:1 as admin@vsphere\.local/)
  expect(out).toContain('breaks: nothing works')
})

test('a check of any configuration tells the same warnings', async () => {
  const file = join(folder, 'other.toml')
  await writeFile(file, `[telemetry]\ntracingEnabled = true\n${operatorFile()}`)
  const { code, out, err } = await play(['config', 'check', file])
  expect([code, out]).toEqual([exitCodes.ok, `${file} is good.\n`])
  expect(err).toContain(`warning: ${file}:1:2: telemetry: is not used`)
})
