import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { realFiles } from '../ports/index.ts'
import { type Aviary, loadConfig, startAviary } from '../server/index.ts'
import { exitCodes } from './exit-codes.ts'
import { play, type Played, type PlayOptions } from './testing/played-io.ts'

let folder: string
let aviary: Aviary

/** The program as a newcomer starts it, with the demo: a hatchery on a simulated vCenter and a simulated CDS. */
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'aviary-test-'))
  const overrides = [
    { key: 'server.listen', value: '127.0.0.1:0', from: 'test' },
    { key: 'server.dataDir', value: join(folder, 'data'), from: 'test' },
    { key: 'log.level', value: 'error', from: 'test' },
  ]
  const config = await loadConfig(undefined, { files: realFiles(), environment: {}, folder, overrides })
  aviary = await startAviary({ config })
})

afterAll(async () => {
  await aviary.stop()
  await rm(folder, { recursive: true, force: true })
})

const aviaryCommand = (line: string, options: PlayOptions = {}): Promise<Played> => play(line.split(' '), { folder, ...options })

test('the job that cannot start is shown with its reason and numbers, and `why` says what would help', async () => {
  await expect
    .poll(async () => (await aviaryCommand('hatchery jobs')).out, { timeout: 20_000 })
    .toMatch(/^1 +Waiting .*64 vCPUs are wanted, \d+ of 32 are in use$/m)
  const { out, code } = await aviaryCommand('why job/1')
  expect(code).toBe(exitCodes.ok)
  expect(out).toContain('Ready is False: MaxCpusReached')
  expect(out).toMatch(/unblock .*maxCpus/)
})

test('jobs become workers while one looks on', async () => {
  const stop = new AbortController()
  const onOut = (sofar: string) => {
    if (/^\S+ +(Pending|Waiting|Building) .*debian/m.test(sofar)) stop.abort()
  }
  const { out } = await aviaryCommand('hatchery workers --watch', { signal: stop.signal, onOut })
  expect(out).toMatch(/^NAME +STATUS +MODEL/)
}, 40_000)

test('beside the workers it is said how many there are and may be, as CDS is told; but not to programs', async () => {
  await expect.poll(async () => (await aviaryCommand('hatchery workers')).out, { timeout: 20_000 }).toMatch(/^Workers: \d+\/8$/m)
  expect(JSON.parse((await aviaryCommand('hatchery workers -o json')).out)).toBeInstanceOf(Array)
  expect((await aviaryCommand('hatchery workers -o name')).out).not.toContain('Workers:')
})

test('the pool and the addresses are shown, also as JSON', async () => {
  expect((await aviaryCommand('hatchery pool')).out).toMatch(/^debian12 +V2 +3 +\d+ +\d+ +\d+/m)
  const { out } = await aviaryCommand('hatchery addresses -o json')
  expect(JSON.parse(out)).toMatchObject([{ total: 253 }])
})

test('what is under way on the platform is shown, with the host that bears it', async () => {
  await expect
    .poll(async () => (await aviaryCommand('hatchery operations -o wide')).out, { timeout: 55_000, interval: 200 })
    .toMatch(/^PLACE +STATE +OPERATION +VM +SINCE +WHY +REASON +HOST +WEIGHT +FOR[^]*^ +Running +\w+ +\S+.* hatchery /m)
}, 60_000)

test('a worker can be asked about by its name, as it is being started and when it has its job', async () => {
  await expect.poll(async () => (await aviaryCommand('hatchery workers -o name')).out, { timeout: 20_000 }).not.toBe('')
  const [worker = ''] = (await aviaryCommand('hatchery workers -o name')).out.split('\n')
  const { code, out } = await aviaryCommand(`why worker/${worker}`)
  expect(code).toBe(exitCodes.ok)
  expect(out).toMatch(/^(Spawn job-|Job .* waits for nothing here|Worker )/)
  expect(out).toContain(worker)
  expect(await aviaryCommand('why worker/nobody')).toMatchObject({
    code: exitCodes.notFound,
    err: expect.stringContaining('aviary hatchery workers'),
  })
}, 40_000)

test('a job that nobody knows is not found, and it is said where to look', async () => {
  const { code, err } = await aviaryCommand('why job/999999')
  expect(code).toBe(exitCodes.notFound)
  expect(err).toContain('aviary hatchery jobs')
})
