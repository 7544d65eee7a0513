import { describe, expect, test } from 'vitest'
import { addressNetwork } from '../platform/index.ts'
import { simulatedHttp } from '../ports/index.ts'
import { HatcheryRejected } from './errors.ts'
import { hatcheryName, HatcheryWorld } from './testing/hatchery-world.ts'

const nothingWrong = { onTwoWorkers: [], startedAgain: [], resurrected: [], takenFromWorker: [] }

describe('a job that cannot start', () => {
  test('says why on its record, with numbers, and starts as soon as it can', async () => {
    const world = new HatcheryWorld({ provision: { maxWorker: 1, maxConcurrentProvisioning: 1 } })
    const { hatchery } = await world.start()
    const first = world.addJob()
    await world.until(() => first.status === 'Building')
    const second = world.addJob()
    await world.until(() => hatchery.why(second.id)?.reason === 'MaxWorkerReached', 30)
    const [spawn] = await world.spawns()
    expect(spawn).toMatchObject({
      metadata: { name: `job-${second.id}` },
      spec: { purpose: 'Job', job: second.id, version: 2, hatchery: hatcheryName },
      status: { phase: 'Waiting', conditions: [{ type: 'Ready', status: 'False', reason: 'MaxWorkerReached' }] },
    })
    expect(spawn!.status!.conditions![0]!.message).toContain('maxWorker is 1')
    expect(hatchery.why(second.id)).toMatchObject({ phase: 'Waiting', unblock: expect.stringContaining('raise provision.maxWorker') })
    const ended = () => world.vms().length === 0
    await world.until(() => first.status === 'Success')
    await world.until(() => second.status === 'Building' || ended(), 600)
    await world.until(() => second.status === 'Success')
    expect(await world.spawns()).toEqual([])
  })

  test('is written down when its reason changes, and not otherwise', async () => {
    const world = new HatcheryWorld({
      provision: { maxWorker: 1, maxConcurrentProvisioning: 1 },
      workers: { work: [1_200_000, 1_200_000] },
    })
    await world.start()
    const first = world.addJob()
    await world.until(() => first.status === 'Building')
    const second = world.addJob()
    await world.minutes(2)
    const version = (await world.spawns()).find(({ spec }) => spec.job === second.id)?.metadata.resourceVersion
    expect(version).toBeDefined()
    await world.minutes(5)
    expect((await world.spawns()).find(({ spec }) => spec.job === second.id)?.metadata.resourceVersion).toBe(version)
  })

  test('loses its record when it leaves the queue', async () => {
    const world = new HatcheryWorld({
      settings: { networks: [addressNetwork({ name: 'none', ranges: '10.0.0.1/32', gateway: '10.0.0.1' })] },
    })
    const { hatchery } = await world.start()
    const job = world.addJob()
    await world.until(() => hatchery.why(job.id)?.reason === 'NoAddressFree', 30)
    expect(world.events.some(({ what }) => what === 'job taken')).toBe(false)
    world.cds.stopJob(job.id)
    await world.until(async () => (await world.spawns()).length === 0, 120)
    expect(hatchery.why(job.id)).toBeUndefined()
  })

  test('costs the platform nothing, however many wait', async () => {
    const world = new HatcheryWorld({
      provision: { maxWorker: 1, maxConcurrentProvisioning: 1 },
      workers: { work: [1_200_000, 1_200_000] },
    })
    const calls: string[] = []
    await world.start(world.begin(call => calls.push(call)))
    const first = world.addJob()
    await world.until(() => first.status === 'Building')
    for (let count = 0; count < 20; count++) world.addJob()
    await world.minutes(2)
    calls.length = 0
    await world.minutes(5)
    const isOfPlatform = (call: string) => !/^(GET|POST|PUT|DELETE|create|update|delete) /.test(call) && !call.startsWith('capacity')
    expect(calls.filter(isOfPlatform)).toEqual([])
  })

  test('while vCenter is away waits, and nothing is disabled or made meanwhile', async () => {
    const world = new HatcheryWorld({ settings: { provisioning: [{ version: 2, model: 'debian12', number: 2, flavor: undefined }] } })
    const { hatchery } = await world.start()
    await world.until(() => hatchery.pools()[0]?.ready === 2)
    world.vcenter.setReachable(false)
    await world.seconds(5)
    const job = world.addJob()
    await world.until(() => hatchery.why(job.id)?.reason === 'InventoryNotLive', 60)
    await world.minutes(3)
    expect(job.status).toBe('Waiting')
    world.vcenter.setReachable(true)
    await world.until(() => job.status === 'Success')
    expect(world.vms().filter(({ name }) => name.startsWith('provision-')).length).toBeLessThanOrEqual(2)
  })
})

test('with the documented defaults workers that are done make room for the next within seconds, however short their jobs are', async () => {
  // Without addresses to run out of.
  const world = new HatcheryWorld({ settings: { networks: [] }, workers: { work: [15_000, 15_000] } })
  const { hatchery } = await world.start()
  const jobs = Array.from({ length: 40 }, () => world.addJob())
  let most = 0
  const isOver = () => {
    most = Math.max(most, hatchery.pool.counts().size)
    return jobs.every(({ status }) => status === 'Success')
  }
  await world.until(isOver, 360)
  expect(most).toBe(10)
})

describe('starting', () => {
  test('signs in on both sides, tells CDS how it is, and makes VMs ready at once', async () => {
    const world = new HatcheryWorld({ settings: { provisioning: [{ version: 2, model: 'debian12', number: 1, flavor: undefined }] } })
    const { hatchery } = await world.start()
    await world.seconds(35)
    expect(world.vcenter.tasks().map(({ operation }) => operation)).toContain('clone')
    const { v1, v2 } = world.cds.statusOf(hatcheryName)
    for (const lines of [v1, v2]) {
      expect(lines).toContainEqual(expect.objectContaining({ component: 'Workers', value: '0/10', status: 'OK' }))
      expect(lines).toContainEqual(expect.objectContaining({ component: 'goroutine/mainRoutine', value: 'Running' }))
    }
    expect(Array.from(hatchery.health.values()).every(Boolean)).toBe(true)
  })

  test('waits for a CDS that is not there yet, and gives up after five minutes', async () => {
    const world = new HatcheryWorld()
    world.cds.setReachable(false)
    const patient = world.begin()
    let works = false
    patient.hatchery.start().then(
      () => (works = true),
      () => {},
    )
    await world.minutes(2)
    world.cds.setReachable(true)
    await world.until(() => works, 60)
    world.cds.setReachable(false)
    await expect(world.start()).rejects.toThrow('did not answer')
  })

  test('waits until CDS knows where logs go, because no worker could be told', async () => {
    const world = new HatcheryWorld()
    world.cds.setCdn(undefined)
    const { hatchery } = world.begin()
    let works = false
    expect(hatchery.startLine).toBeUndefined()
    void hatchery.start().then(() => (works = true))
    await world.minutes(1)
    expect(works).toBe(false)
    expect(hatchery.startLine).toMatch(/^The hatchery is starting .* since 2026-01-01 00:00:\d\dZ it waits until CDS says where its CDN is/)
    world.cds.setCdn({ http_url: 'http://cdn', tcp_url: 'cdn:1', tcp_url_enable_tls: true })
    await world.until(() => works, 10)
    expect(hatchery.startLine).toBeUndefined()
  })

  test('says what it waits for until it works', async () => {
    const world = new HatcheryWorld()
    world.cds.setReachable(false)
    world.vcenter.setReachable(false)
    const { hatchery } = world.begin()
    void hatchery.start()
    await world.seconds(5)
    expect(hatchery.startLine).toContain('it waits until CDS signs it in')
    world.cds.setReachable(true)
    await world.seconds(30)
    expect(hatchery.startLine).toContain('everything that is in the vCenter')
    world.vcenter.setReachable(true)
    await world.until(() => hatchery.startLine === undefined, 60)
  })

  test('shows its pages to anybody', async () => {
    const world = new HatcheryWorld()
    const { hatchery } = await world.start()
    const http = simulatedHttp(hatchery.pages, { clock: world.clock })
    let status = 0
    void http.send({ method: 'GET', url: 'http://hatchery/mon/status' }).then(answer => (status = answer.status))
    await world.seconds(1)
    expect(status).toBe(200)
  })
})

describe('ending', () => {
  test('in the middle of a clone leaves the task to vCenter; the next start takes it up, and the job runs once', async () => {
    const world = new HatcheryWorld()
    const run = await world.start()
    const job = world.addJob()
    await world.until(() => world.vcenter.tasks().some(({ operation, state }) => operation === 'clone' && state === 'running'))
    await world.stop(run)
    expect(world.vcenter.tasks().some(({ operation, state }) => operation === 'clone' && state === 'running')).toBe(true)
    expect((await world.spawns())[0]?.status?.phase).toBe('Cloning')
    await world.start()
    await world.until(() => job.status === 'Success')
    await world.until(() => world.vms().length === 0)
    expect(world.cds.wrongs()).toEqual(nothingWrong)
    expect(await world.spawns()).toEqual([])
  })

  test('does not touch workers that run', async () => {
    const world = new HatcheryWorld()
    const run = await world.start()
    const job = world.addJob()
    await world.until(() => job.status === 'Building')
    await world.stop(run)
    await world.until(() => job.status !== 'Building')
    expect(job.status).toBe('Success')
  })

  test('comes by itself when too many heartbeats do not arrive', async () => {
    const world = new HatcheryWorld({ settings: {} })
    const run = await world.start()
    let why: unknown
    run.hatchery.ended.catch((error: unknown) => (why = error))
    world.cdsAway = true
    await world.minutes(4)
    expect(why).toBeUndefined()
    await world.minutes(4)
    expect(HatcheryRejected.is(why)).toBe(true)
    expect((why as Error).message).toContain('11 heartbeats in a row')
  })
})

describe('what people see', () => {
  test('workers, pools, jobs and addresses', async () => {
    const world = new HatcheryWorld({ settings: { provisioning: [{ version: 2, model: 'debian12', number: 1, flavor: undefined }] } })
    const { hatchery } = await world.start()
    await world.until(() => hatchery.pools()[0]?.ready === 1)
    const job = world.addJob({ flavor: 'large' })
    await world.until(() => hatchery.jobs()[0]?.phase === 'Booting')
    expect(hatchery.jobs()[0]).toMatchObject({
      job: job.id,
      version: 2,
      reason: 'Booting',
      message: expect.stringContaining('has its address'),
    })
    await world.until(() => job.status === 'Building')
    await world.seconds(15)
    const [worker] = hatchery.workers()
    expect(worker).toMatchObject({ name: job.worker, job: job.id, flavor: 'large', cpus: 8, power: 'on' })
    expect(hatchery.jobs()).toEqual([])
    expect(hatchery.addresses()).toMatchObject([{ network: 'workers', total: 13 }])
    expect(JSON.parse(JSON.stringify([hatchery.workers(), hatchery.pools(), hatchery.addresses()]))).toHaveLength(3)
  })
})

test('two hatcheries on one vCenter and one CDS do not disturb each other', async () => {
  const world = new HatcheryWorld()
  const foreign = world.vcenter.addVm({
    name: 'other-worker',
    power: 'on',
    annotation: JSON.stringify({
      hatchery_name: 'hv2',
      worker_name: 'other-worker',
      job_id: 'x',
      ip_address: '10.0.0.1',
      created: '2020-01-01T00:00:00Z',
    }),
  })
  await world.start()
  const job = world.addJob()
  await world.until(() => job.status === 'Building')
  expect(world.workerNotes().find(({ workerName }) => workerName === job.worker)?.ipAddress).toBe('10.0.0.2')
  await world.until(() => job.status === 'Success')
  await world.minutes(20)
  expect(world.vcenter.find(foreign.id)?.vm).toEqual(foreign)
})
