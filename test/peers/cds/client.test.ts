import { generateKeyPairSync } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { HatcherySettings } from '../../../src/hatchery/index.ts'
import { connectCds, type ConnectedCds, type Job, jobSource, signInPatiently } from '../../../src/hatchery/testing/cds-client.ts'
import { plainSettings } from '../../../src/hatchery/testing/plain-settings.ts'
import {
  type HttpClient,
  httpClient,
  type HttpRequest,
  realChance,
  realClock,
  realWebSockets,
  recordingLog,
  Secret,
} from '../../../src/ports/index.ts'
import { until } from '../hatchery/ground.ts'
import { Administrator } from './administrator.ts'
import { callApi } from './call-api.ts'
import { type RealCds, startCds } from './start.ts'

const clock = realClock()
const chance = realChance()
const wire = httpClient({ clock })
const sent: HttpRequest[] = []
const http: HttpClient = {
  ...wire,
  send: request => {
    sent.push(request)
    return wire.send(request)
  },
}
const webSockets = realWebSockets({ clock })
const { signal } = new AbortController()
const region = 'north'
const name = 'client1'

let real: RealCds
let administrator: Administrator
let settings: HatcherySettings
let cds: ConnectedCds
const log = recordingLog()

function connect(given: HatcherySettings): ConnectedCds {
  return connectCds({ settings: given, http, webSockets, clock, chance, log })
}

const signIns = () => sent.filter(({ url }) => url.endsWith('/auth/consumer/builtin/signin')).length
const v1 = () => cds.v1 ?? expect.unreachable()
const v2 = () => cds.v2 ?? expect.unreachable()

beforeAll(async () => {
  real = await startCds()
  administrator = new Administrator(real)
  const tokens = await administrator.addHatchery(name, { region })
  const { privateKey } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
    publicKeyEncoding: { type: 'pkcs1', format: 'pem' },
  })
  const plain = plainSettings()
  settings = plainSettings({
    name,
    key: new Secret(privateKey),
    api: { ...plain.api, url: real.url, tokenV1: new Secret(tokens.v1), tokenV2: new Secret(tokens.v2) },
  })
  cds = connect(settings)
})
afterAll(async () => {
  await http.close()
  await real?.stop()
})

test('both sides sign in, and the region of V2 comes from the API', async () => {
  await signInPatiently(cds, { clock, log }, signal)
  expect(v2().region).toBe(region)
})

test('the API sees heartbeats of both sides, and tells where the CDN is', async () => {
  const lines = [{ status: 'OK', component: 'Workers', value: '0/unlimited' }] as const
  await Promise.all([v1().heartbeat(lines, signal), v2().heartbeat(lines, signal)])
  expect(JSON.stringify(await administrator.ask('GET', '/mon/status'))).toContain('0/unlimited')
  expect(await v1().cdn(signal)).toMatchObject({ http: expect.any(String), tcp: expect.any(String) })
  expect(await v2().cdn(signal)).toEqual(await v1().cdn(signal))
})

test('a V1 job is listed, booked once, given back, and ended', async () => {
  const id = String(await administrator.startJobV1({ project: 'CLIENTA' }))
  expect((await v1().waitingJobs(signal)).find(job => job.id === id)).toMatchObject({ project: 'CLIENTA', status: 'Waiting', takenBy: '' })
  expect(await v1().book(id, 600, signal)).toBe(true)
  expect(await v1().book(id, 600, signal)).toBe(false)
  expect(await v1().job(id, signal)).toMatchObject({ takenBy: name })
  await v1().spawnInfo(id, 'MsgSpawnInfoHatcheryStarts', [name, 'w', 'm'], signal)
  await v1().release(id, signal)
  await v1().release(id, signal)
  expect(await v1().job(id, signal)).toMatchObject({ takenBy: '' })
  await v1().fail(id, `hatchery "${name}" failed to start worker after 5 attempts`, signal)
  expect((await v1().job(id, signal))?.status).not.toBe('Waiting')
  await v1().fail(id, 'again', signal)
  expect(await v1().job('999999', signal)).toBeUndefined()
  expect(await v1().book('999999', 600, signal)).toBe(false)
})

test('a V2 job is listed, taken once, and given back', async () => {
  const id = await administrator.startJobV2({ project: 'CLIENTB', region, image: 'debian12', flavor: 'large' })
  expect((await v2().waitingJobs(signal)).find(job => job.id === id)).toMatchObject({ project: 'CLIENTB', model: undefined })
  expect(await v2().job(id, signal)).toMatchObject({
    status: 'Waiting',
    model: { type: 'vsphere', image: 'debian12' },
    runsOn: { flavor: 'large' },
  })
  expect(await v2().take(id, signal)).toBe(true)
  expect(await v2().take(id, signal)).toBe(false)
  await v2().info(id, 'info', `Hatchery "${name}" is starting the worker`, signal)
  expect(await v2().job(id, signal)).toMatchObject({ status: 'Scheduling', takenBy: name })
  await v2().release(id, signal)
  await v2().release(id, signal)
  expect(await v2().job(id, signal)).toMatchObject({ status: 'Waiting', takenBy: '' })
  expect(await v2().job('00000000-0000-4000-8000-000000000000', signal)).toBeUndefined()
})

test('workers sign in with the tokens that are made for them, V1 and V2, and are listed', async () => {
  const program = { BinaryCapabilities: ['git'], Version: '', OS: 'linux', Arch: 'amd64' }
  const machine = { image: 'debian12', user: 'root', password: 'x', pre_cmd: 'true', cmd: './worker', post_cmd: 'shutdown -h now' }
  const { id: modelId } = await administrator.addModelV1('client-deb', machine)
  const one = String(await administrator.startJobV1({ project: 'CLIENTA' }))
  await v1().book(one, 600, signal)
  const first = cds.workerToken({ worker: 'brave-owl', version: 1, jobId: one, registerOnly: false, modelId, modelName: 'client-deb' })
  const signIn = await callApi(real.url, { method: 'POST', path: '/auth/consumer/worker/signin', body: program, token: first.reveal() })
  expect(signIn.status).toBeLessThan(300)
  const [worker] = await v1().workers(signal)
  expect(worker).toMatchObject({ name: 'brave-owl', version: 1 })
  const two = await administrator.startJobV2({ project: 'CLIENTB', region, image: 'debian12' })
  await v2().take(two, signal)
  const second = cds.workerToken({
    worker: 'calm-owl',
    version: 2,
    jobId: two,
    registerOnly: false,
    modelId: undefined,
    modelName: 'debian',
  })
  const path = `/v2/queue/${region}/job/${two}/worker/signin`
  expect((await callApi(real.url, { method: 'POST', path, body: program, token: second.reveal() })).status).toBeLessThan(300)
  expect(await v2().workers(signal)).toMatchObject([{ name: 'calm-owl', version: 2, jobId: two }])
  await v1().disableWorker(worker?.id ?? '', signal)
  await v1().disableWorker(worker?.id ?? '', signal)
  expect((await v1().workers(signal)).filter(each => each.status !== 'Disabled')).toEqual([])
})

test('V1 models are read, with secrets, booked by one, and their errors told', async () => {
  const machine = { image: 'debian12', user: 'root', password: 'guestpw', pre_cmd: 'true', cmd: './worker', post_cmd: 'shutdown -h now' }
  await administrator.addModelV1('client-model', machine)
  const path = 'shared.infra/client-model'
  const model = (await v1().models(signal)).find(each => each.name === 'client-model')
  expect(model).toMatchObject({ group: 'shared.infra', type: 'vsphere', image: 'debian12', needRegistration: true, user: 'root' })
  expect(await v1().model(path, signal)).toEqual(model)
  expect(await v1().model('shared.infra/none', signal)).toBeUndefined()
  const secrets = await v1().modelSecrets(path, signal)
  expect(secrets.get('secrets.vsphere_password')?.reveal()).toBe('guestpw')
  expect(await v1().bookModel(path, signal)).toBe(true)
  expect(await v1().bookModel(path, signal)).toBe(false)
  await v1().modelError(path, 'it broke', signal)
  expect(await v1().model(path, signal)).toMatchObject({ spawnErrors: 1 })
  expect(await v2().model('CLIENTB/none/none/none', signal)).toBeUndefined()
})

test('jobs of both sides come by web socket at once, and those that no event tells of by asking', { timeout: 300_000 }, async () => {
  const heard = new Set<string>()
  const source = jobSource({ cds, settings, isPending: () => false, clock, chance, log })
  source.start((jobs: readonly Job[]) => jobs.forEach(job => heard.add(job.id)))
  // One by one only those jobs are looked up that a web socket tells of.
  const isAnnounced = (id: string) => sent.some(({ url }) => url.endsWith(`/queue/workflows/${id}/infos`) || url.endsWith(`/job/${id}`))
  /** A job that a web socket told of. The API may find later than we do that a connection stands; then another job is tried. */
  const announced = async (start: () => Promise<string>) => {
    for (let tries = 0; tries < 5; tries++) {
      const id = await start()
      await until(() => isAnnounced(id), 10).catch(() => {})
      if (isAnnounced(id)) return id
    }
    return expect.unreachable('no web socket told of any of five jobs')
  }
  const one = await announced(async () => String(await administrator.startJobV1({ project: 'CLIENTA' })))
  const two = await announced(() => administrator.startJobV2({ project: 'CLIENTB', region, image: 'debian12' }))
  await until(() => heard.has(one) && heard.has(two))
  const silent = await administrator.startJobV2({ project: 'CLIENTB', region, image: 'debian12', announced: false })
  await until(() => heard.has(silent))
  expect(isAnnounced(silent)).toBe(false)
  expect(source.health).toEqual(
    new Map([
      ['queuePolling', true],
      ['V2QueuePolling', true],
    ]),
  )
  await source.stop()
})

test('a session that the API revokes is replaced without anybody noticing', async () => {
  await v1().workers(signal)
  const sessions = (await administrator.ask('GET', '/user/me/auth/session')) as { id: string; current?: boolean }[]
  for (const session of sessions.filter(each => each.current !== true)) {
    await callApi(real.url, { method: 'DELETE', path: `/user/me/auth/session/${session.id}`, token: real.admin })
  }
  const before = signIns()
  await v1().waitingJobs(signal)
  expect(signIns()).toBe(before + 1)
})

test('a wrong name is refused with all that may be wrong, and a token on the wrong side is recognised', async () => {
  const wrong = connect({ ...settings, name: 'nobody' })
  await expect(wrong.v1?.signIn(signal)).rejects.toMatchObject({
    details: { status: 403, id: 11 },
    fix: expect.stringContaining('"nobody"'),
  })
  await expect(wrong.v2?.signIn(signal)).rejects.toMatchObject({ details: { status: 403, id: 11 }, fix: expect.stringContaining('region') })
  const swapped = connect({ ...settings, api: { ...settings.api, tokenV1: settings.api.tokenV2, tokenV2: settings.api.tokenV1 } })
  await expect(swapped.v1?.signIn(signal)).rejects.toMatchObject({ fix: expect.stringContaining('V2 token') })
  await expect(swapped.v2?.signIn(signal)).rejects.toMatchObject({ fix: expect.stringContaining('V1 token') })
})

test('the hatchery signs out, and its session is good for nothing any more', async () => {
  await v1().workers(signal)
  const session = sent.at(-1)?.headers?.['Authorization']
  await v1().signOut(signal)
  const token = session instanceof Secret ? session.reveal().replace('Bearer ', '') : ''
  expect((await callApi(real.url, { method: 'GET', path: '/worker', token })).status).toBe(401)
})
