import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { operatorFile } from '../hatchery/testing/operator-file.ts'
import { servedCds } from '../hatchery/testing/served-cds.ts'
import { testAuthority } from '../ports/testing/certificates.ts'
import { httpsServer } from '../ports/testing/server.ts'
import { exitCodes } from './exit-codes.ts'
import { play } from './testing/played-io.ts'

/** A vCenter that refuses every connection at once. */
const vcenterAway = { CDS_HATCHERY_VSPHERE_ENDPOINT: '127.0.0.1:1' }

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
  await using there = await servedCds()
  const { code, out } = await check(operatorFile(), { environment: { ...vcenterAway, ...there.environment } })
  expect(code).toBe(exitCodes.failed)
  expect(out).toMatch(/FAILED +signing in to vCenter 127\.0\.0\.1:1 as admin@vsphere\.local/)
  expect(out).toContain('breaks: nothing works')
})

test('CDS is asked for one sign-in on each side: who it is there, and until when the token is good', async () => {
  await using there = await servedCds()
  const { out } = await check(operatorFile(), { environment: { ...vcenterAway, ...there.environment } })
  expect(out).toMatch(/ok +signing in to CDS http:\/\/127\.0\.0\.1:\d+ for V1 jobs +as "hv1"; its token does not end/)
  expect(out).toMatch(
    /ok +signing in to CDS http:\/\/127\.0\.0\.1:\d+ for V2 jobs +as "hv1", region "north"; its token ends at \S+, in \d+ days/,
  )
  expect(Object.fromEntries(there.cds.calls())).toEqual({ 'sign in v1': 1, 'sign in v2': 1 })
  for (const token of Object.values(there.environment).slice(1)) expect(out).not.toContain(token)
})

test('a CDS that does not let the hatchery in is a failed check, with what CDS said and what to do', async () => {
  await using there = await servedCds()
  const { CDS_HATCHERY_VSPHERE_API_TOKENV2: swapped = '' } = there.environment
  const environment = { ...vcenterAway, ...there.environment, CDS_HATCHERY_VSPHERE_API_TOKEN: swapped }
  const { code, out } = await check(operatorFile(), { environment })
  expect(code).toBe(exitCodes.failed)
  expect(out).toMatch(/FAILED +signing in to CDS \S+ for V1 jobs/)
  expect(out).toContain('CDS refused POST /auth/consumer/builtin/signin')
  expect(out).toContain('fix:    api.token holds a V2 token: put it into api.tokenV2')
})

test('an API with a certificate that nobody vouches for is believed only if the file says so, which is warned of', async () => {
  await using there = await servedCds()
  const { certificate, key } = await (await testAuthority('nobody')).issue()
  await using door = await httpsServer({ cert: certificate, key }, async (request, response) => {
    const answer = await fetch(`${there.served.url}${request.url}`, { method: 'POST', body: await text(request) })
    response.writeHead(answer.status).end(await answer.text())
  })
  const environment = { ...vcenterAway, ...there.environment, CDS_HATCHERY_VSPHERE_API_HTTP_URL: `https://127.0.0.1:${door.port}` }
  const wary = await check(operatorFile(), { environment })
  expect(wary.out).toContain('Nothing to warn of.')
  expect(wary.out).toMatch(/FAILED +signing in to CDS \S+ for V1 jobs[^]*its certificate is not trusted/)
  const told = await check(operatorFile(), { environment: { ...environment, CDS_HATCHERY_VSPHERE_API_HTTP_INSECURE: 'true' } })
  expect(told.out).toMatch(/CDS_HATCHERY_VSPHERE_API_HTTP_INSECURE: .*its certificate is not checked; add ca or thumbprint/)
  expect(told.out).toMatch(/ok +signing in to CDS \S+ for V1 jobs/)
  expect(told.out).toMatch(/ok +signing in to CDS \S+ for V2 jobs/)
})

test('a check of any configuration tells the same warnings', async () => {
  const file = join(folder, 'other.toml')
  await writeFile(file, `[telemetry]\ntracingEnabled = true\n${operatorFile()}`)
  const { code, out, err } = await play(['config', 'check', file])
  expect([code, out]).toEqual([exitCodes.ok, `${file} is good.\n`])
  expect(err).toContain(`warning: ${file}:1:2: telemetry: is not used`)
})
