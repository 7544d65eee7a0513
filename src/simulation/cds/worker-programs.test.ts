import { describe, expect, test } from 'vitest'
import { Secret, seededChance, simulatedHttp } from '../../ports/index.ts'
import { startProgram } from '../platform/guest.ts'
import { SimulatedWorld } from '../platform/world.ts'
import { workerTokens } from './contract/hatchery.ts'
import type { JobV1, JobV2 } from './records.ts'
import { type CdsBench, cdsBench } from './testing/cds-bench.ts'
import { workerPrograms, type WorkerProgramsOptions } from './worker-programs.ts'

const minute = 60_000
const hour = 60 * minute
const api = 'http://cds.simulated'
const preCmd = `curl -L "${api}/download/worker/linux/amd64" -o /usr/local/bin/worker --retry 10 >> /tmp/cds-worker-setup.log 2>&1 && chmod +x /usr/local/bin/worker`
const script = `#!/bin/sh\n${preCmd}\nPATH=$PATH worker 1>/tmp/worker.log 2>&1;\nsudo shutdown -h now`

interface GuestBench extends CdsBench {
  readonly world: SimulatedWorld
  readonly said: string[]
  /** Starts a program in a running guest, as a hatchery does. */
  start(args: string, environment?: Readonly<Record<string, string>>): number
  exitOf(process: number): number | undefined
  power(): string | undefined
  config(worker: string, job: JobV1 | JobV2, more?: object): Readonly<Record<string, string>>
}

async function guestBench(options: Partial<WorkerProgramsOptions> = {}): Promise<GuestBench> {
  const bench = await cdsBench()
  const { clock, cds, hatchery } = bench
  const chance = seededChance('guests')
  const world = new SimulatedWorld({ clock, chance })
  const said: string[] = []
  const http = simulatedHttp(cds.handler, { clock })
  world.onProgram(workerPrograms({ clock, chance, http, report: line => said.push(line), ...options }))
  const { id } = world.addVm({ name: 'w1' })
  world.switchPower(id, 'on')
  await clock.advance(minute)
  return {
    ...bench,
    world,
    said,
    start: (args, environment = {}) =>
      startProgram(world, world.mustFind(id), { program: '/bin/echo', args, user: 'root', password: new Secret('any'), environment }, args),
    exitOf: process => world.mustFind(id).processes.get(process)?.exit,
    power: () => world.byName('w1')?.power,
    config(worker, job, more = {}) {
      const isV2 = typeof job.id === 'string'
      const claims = isV2 ? { model_name: 'deb', run_job_id: job.id } : { model: {}, job_id: job.id }
      const token = workerTokens(clock, hatchery)(worker, claims)
      const about = isV2 ? { run_job_id: job.id, region: 'eu' } : { booked_job_id: job.id }
      const config = { name: worker, api_endpoint: api, api_token: token, ...about, ...more }
      return { CDS_CONFIG: Buffer.from(JSON.stringify(config)).toString('base64') }
    },
  }
}

describe('programs that a hatchery starts in a simulated guest', () => {
  test('the probe ends well, and the guest stays on', async () => {
    const { clock, start, exitOf, power } = await guestBench()
    const process = start('-n ;env')
    await clock.advance(1_000)
    expect([exitOf(process), power()]).toEqual([0, 'on'])
  })

  test('a V2 worker signs in with its token, does its job, signs out, and its guest goes down', async () => {
    const { clock, cds, addJobV2, take, start, config, said, power } = await guestBench({ work: [2 * minute, 2 * minute] })
    const job = addJobV2()
    await take(job)
    start(`-n ;${script}`, config('w1', job))
    await clock.advance(minute)
    expect(job).toMatchObject({ status: 'Building', worker: 'w1' })
    expect(cds.workers()).toMatchObject([{ name: 'w1', status: 'Building' }])
    await clock.advance(2 * minute)
    expect(job.status).toBe('Success')
    expect([said, power(), cds.workers()]).toEqual([['done'], 'off', []])
    expect(cds.calls().get('worker refresh v2')).toBe(3)
  })

  test('a worker in the middle of its job does not outlive its world', async () => {
    const world = new AbortController()
    const { clock, addJobV2, take, start, config, said } = await guestBench({ work: [hour, hour], signal: world.signal })
    const job = addJobV2()
    await take(job)
    start(`-n ;${script}`, config('w1', job))
    await clock.advance(minute)
    expect(job.status).toBe('Building')
    world.abort()
    await clock.advance(0)
    expect(said).toEqual(['its world has ended'])
  })

  test('a V1 worker does the same', async () => {
    const { clock, cds, start, config, said, power } = await guestBench()
    const job = cds.addJobV1()
    start(`-n ;${script}`, config('w1', job))
    await clock.advance(8 * minute)
    expect([job.status, said, power()]).toEqual(['Success', ['done'], 'off'])
  })

  test('a worker that registers shows what its model can do', async () => {
    const { clock, cds, hatchery, start, said, power } = await guestBench()
    const model = cds.addModelV1({ name: 'deb', machine: { image: 'debian12' } })
    const claims = { model: { id: model.id, name: 'deb' }, register_only: true }
    const token = workerTokens(clock, hatchery)('register-w1', claims)
    const config = Buffer.from(JSON.stringify({ name: 'register-w1', api_endpoint: api, api_token: token })).toString('base64')
    start('-n ;./worker register 1>/tmp/worker.register.log 2>&1\nsudo shutdown -h now', { CDS_CONFIG: config })
    await clock.advance(minute)
    expect(model).toMatchObject({
      needRegistration: false,
      registeredOs: 'linux',
      capabilities: [{ value: 'bash' }, { value: 'git' }, { value: 'gpg' }],
    })
    expect([said, power()]).toEqual([['done'], 'off'])
  })

  test('a command that builds a template shuts the guest down without any worker', async () => {
    const { clock, cds, start, said, power } = await guestBench()
    start('-n ;apt-get -y install git && sudo shutdown -h now')
    await clock.advance(minute)
    expect([said, power(), cds.workers()]).toEqual([['no worker'], 'off', []])
  })

  test('a script that was escaped as HTML, or whose variables were not filled in, does not run', async () => {
    const { clock, start, exitOf, said, power } = await guestBench()
    const processes = [start(`-n ;${script.replaceAll('&&', '&amp;&amp;')}`), start(`-n ;${script.replaceAll(api, '{{.API}}')}`)]
    await clock.advance(minute)
    expect(processes.map(exitOf)).toEqual([2, 2])
    expect(said).toHaveLength(2)
    expect(power()).toBe('on')
  })

  test('a worker without a configuration, or whose program is not to be had, leaves its job alone', async () => {
    const { clock, addJobV2, take, start, config, said } = await guestBench()
    const job = addJobV2()
    await take(job)
    start(`-n ;${script}`, { CDS_CONFIG: 'nonsense!' })
    start(`-n ;${script.replace('linux/amd64', 'linux/aarch64')}`, config('w1', job))
    await clock.advance(minute)
    expect(said.toSorted()).toEqual(['the worker could not be downloaded (400)', 'there is no CDS_CONFIG that can be read'])
    expect(job.status).toBe('Scheduling')
  })

  test('a worker whose job was given to somebody else is refused, and its guest goes down', async () => {
    const { clock, cds, addJobV2, take, release, start, config, said, power } = await guestBench()
    const job = addJobV2()
    await take(job)
    const environment = config('w1', job)
    await release(job)
    start(`-n ;${script}`, environment)
    await clock.advance(minute)
    expect(said[0]).toContain('worker/signin was refused with 403')
    expect([power(), cds.workers()]).toEqual(['off', []])
  })

  test('a worker whose VM is removed tells nobody; CDS finds out by itself', async () => {
    const { clock, cds, world, addJobV2, take, start, config } = await guestBench({ work: [30 * minute, 30 * minute] })
    const job = addJobV2()
    await take(job)
    start(`-n ;${script}`, config('w1', job))
    await clock.advance(minute)
    world.removeVm(world.byName('w1')?.id ?? '')
    await clock.advance(4 * minute)
    expect([job.status, cds.workers().length]).toEqual(['Building', 1])
    await clock.advance(5 * minute)
    expect([job.status, cds.workers().length]).toEqual(['Stopped', 0])
  })

  test('an API that is away for a minute costs a worker nothing but time', async () => {
    const { clock, cds, addJobV2, take, start, config, said } = await guestBench({ work: [minute, minute], start: [1_000, 1_000] })
    const job = addJobV2()
    await take(job)
    start(`-n ;${script.replace(preCmd, 'true')}`, config('w1', job))
    cds.setReachable(false)
    await clock.advance(20_000)
    cds.setReachable(true)
    await clock.advance(minute)
    cds.setReachable(false)
    await clock.advance(20_000)
    cds.setReachable(true)
    await clock.advance(minute)
    expect([job.status, said]).toEqual(['Success', ['done']])
  })

  test('a worker that freezes keeps its guest on and says nothing', async () => {
    const { clock, cds, addJobV2, take, start, config, said, power } = await guestBench({ mishaps: { silent: 1 } })
    const job = addJobV2()
    await take(job)
    start(`-n ;${script}`, config('w1', job))
    await clock.advance(30 * minute)
    expect([said, power(), cds.workers(), job.status]).toEqual([['frozen'], 'on', [], 'Waiting'])
  })
})
