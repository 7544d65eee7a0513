import { describe, expect, test } from 'vitest'
import { FlakyStore } from '../../control/testing/flaky-store.ts'
import { addressNetwork, flavors } from '../../platform/index.ts'
import { parseTime, Secret } from '../../ports/index.ts'
import { StoreError } from '../../store/index.ts'
import { readWorkerNote } from '../fleet/worker-note.ts'
import { hatcheryName, HatcheryWorld, v1Machine } from '../testing/hatchery-world.ts'

const nothingWrong = { onTwoWorkers: [], startedAgain: [], resurrected: [], takenFromWorker: [] }

/** What the platform was asked to do, in order, but for VMs that are to stand ready. */
const operations = (world: HatcheryWorld) => {
  const nameOf = (target: string) => world.vcenter.find(target)?.vm.name ?? target
  return world.vcenter.tasks().flatMap(({ operation, target }) => (nameOf(target).startsWith('provision-') ? [] : [operation]))
}

/** So many VMs are to stand ready, of these flavors. */
const standing = (...wanted: readonly string[]) => ({
  settings: { provisioning: wanted.map(flavor => ({ version: 2 as const, model: 'debian12', number: 1, flavor: flavor || undefined })) },
})

/** Starts the hatchery and waits until it has made the one VM that is to stand ready. */
const standsReady = async (world: HatcheryWorld) => {
  const { hatchery } = await world.start()
  await world.until(() => hatchery.pools()[0]?.ready === 1)
  return world.vms()[0]!
}

/** A world in which guests come up quickly. */
const quick = { boot: [2_000, 3_000], address: [2_000, 3_000], linkedClone: [3_000, 4_000] } as const

describe('a fresh clone', () => {
  test('becomes a worker that runs its job to the end, says all about itself, and leaves no record', async () => {
    const world = new HatcheryWorld()
    await world.start()
    const job = world.addJob({ flavor: 'large' })
    await world.until(() => job.status === 'Building')
    const [vm] = world.vms()
    expect(vm).toMatchObject({ cpus: 8, memoryMB: 16_384, power: 'on', name: job.worker, addresses: ['10.0.0.1'] })
    expect(readWorkerNote(vm!)).toMatchObject({
      hatcheryName,
      workerName: vm!.name,
      provisioning: false,
      vmwareModelPath: 'debian12',
      jobId: job.id,
      ipAddress: '10.0.0.1',
      flavor: 'large',
    })
    expect(world.vcenter.find(vm!.id)?.guest).toEqual({
      hostName: vm!.name,
      domain: '',
      address: { kind: 'static', address: '10.0.0.1', subnetMask: '255.255.255.240', gateway: '10.0.0.14', dns: [] },
    })
    expect(operations(world)).toEqual(['clone', 'powerOn'])
    expect(world.told(job)).toEqual([
      `info: Hatchery "hv1" is starting the worker "${vm!.name}" from model "debian-model"`,
      `info: Worker "${vm!.name}" will use flavor "large" (8 vCPUs, 16384 MB RAM)`,
      expect.stringContaining('is starting for job'),
    ])
    expect(await world.spawns()).toEqual([])
    await world.until(() => job.status === 'Success')
    expect(world.cds.wrongs()).toEqual(nothingWrong)
    await world.until(() => world.vms().length === 0)
    expect(world.cds.heldJobs()).toEqual([])
  })

  test('without a flavor is as its template, and with DHCP it takes whatever address it gets', async () => {
    const world = new HatcheryWorld({ settings: { networks: [] } })
    await world.start()
    const job = world.addJob()
    await world.until(() => job.status === 'Building')
    const [vm] = world.vms()
    expect(vm).toMatchObject({ cpus: 2, memoryMB: 4096 })
    expect(readWorkerNote(vm!)?.ipAddress).toBe('')
    expect(world.told(job)[1]).toBe(`info: Worker "${vm!.name}" will use template resources (no flavor)`)
  })

  test('that took long is not held against its worker: its life is counted from then on', async () => {
    const world = new HatcheryWorld()
    world.vcenter.slowNext('clone', 240_000)
    await world.start()
    const job = world.addJob()
    const queued = world.clock.now()
    await world.until(() => job.status === 'Building')
    expect(world.workerNotes()[0]!.workerStartTime! - queued).toBeGreaterThan(200_000)
  })

  test('may have its address on any card, beside those of bridges in the guest', async () => {
    const world = new HatcheryWorld({ world: { templates: [{ name: 'debian12', sick: 'no address' }] } })
    await world.start()
    const job = world.addJob()
    await world.until(() => world.vms()[0]?.guestReady === true)
    world.vcenter.changeVm(world.vms()[0]!.id, { addresses: ['172.17.0.1', 'fe80::1', '10.0.0.1'] })
    await world.until(() => job.status !== 'Scheduling', 30)
    expect(job.status).toBe('Building')
  })
})

describe('a VM that stands ready', () => {
  test('is claimed in one step: name, note and size; nothing else of it changes', async () => {
    const world = new HatcheryWorld(standing(''))
    const ready = await standsReady(world)
    const job = world.addJob({ flavor: 'medium' })
    await world.until(() => job.status === 'Building')
    const vm = world.vcenter.byName(job.worker)
    expect(vm).toMatchObject({ id: ready.id, name: job.worker, cpus: 4, memoryMB: 8192 })
    const { workerStartTime, ...note } = readWorkerNote(vm!)!
    expect(note).toEqual({
      ...readWorkerNote(ready),
      workerStartTime: undefined,
      workerName: vm!.name,
      provisioning: false,
      jobId: job.id,
      flavor: 'medium',
    } satisfies object as never)
    expect(workerStartTime).toBeGreaterThan(0)
    expect(operations(world).slice(-2)).toEqual(['claim', 'powerOn'])
    const leases = await world.leases()
    expect(leases.find(({ spec }) => spec.address === note.ipAddress)?.spec.holder).toBe(job.worker)
  })

  test('is not resized if it fits already', async () => {
    const world = new HatcheryWorld(standing(''))
    const ready = world.addProvision('provision-v2-a', {}, { cpus: 8, memoryMB: 16_384 })
    await world.start()
    const job = world.addJob({ flavor: 'large' })
    await world.until(() => job.status === 'Building')
    expect(world.vcenter.byName(job.worker)).toMatchObject({ id: ready.id, cpus: 8, memoryMB: 16_384 })
  })

  test.each([
    { name: 'one of the same flavor before a neutral one', flavors: ['', 'large'], takes: 'large' },
    { name: 'a neutral one before a clone, though one of another flavor is there', flavors: ['small', ''], takes: '' },
    { name: 'a clone before one of another flavor', flavors: ['small'], takes: 'a clone' },
  ])('is chosen: $name', async ({ flavors: given, takes }) => {
    const world = new HatcheryWorld(standing(...given))
    for (const flavor of given) world.addProvision(`provision-v2-x-${flavor || 'neutral'}`, { flavor })
    await world.start()
    const job = world.addJob({ flavor: 'large' })
    await world.until(() => job.status === 'Building')
    const left = world.vms().map(({ name }) => name)
    const expected = given.filter(flavor => flavor !== takes).map(flavor => `provision-v2-x-${flavor || 'neutral'}`)
    expect(left.filter(name => name.startsWith('provision-v2-x-'))).toEqual(expected)
    expect(operations(world).includes('clone')).toBe(takes === 'a clone')
  })

  test('of another flavor is taken if no clone is possible, and resized', async () => {
    const networks = [addressNetwork({ name: 'one', ranges: '10.0.0.5/32', subnetMask: '255.255.255.0' })]
    const world = new HatcheryWorld({ settings: { ...standing('small').settings, networks } })
    const ready = await standsReady(world)
    expect(ready.cpus).toBe(2)
    const job = world.addJob({ flavor: 'large' })
    await world.until(() => job.status === 'Building')
    expect(world.vcenter.byName(job.worker)).toMatchObject({ id: ready.id, cpus: 8 })
    expect(readWorkerNote(world.vcenter.byName(job.worker)!)?.flavor).toBe('large')
  })

  test('that somebody else took in the meantime is passed over for the next', async () => {
    const { settings } = standing('', '')
    const world = new HatcheryWorld({ settings, world: { timings: { watch: [5_000, 5_000] } } })
    const first = world.addProvision('provision-v2-a', { created: 1 })
    const second = world.addProvision('provision-v2-b', { created: 2 })
    await world.start()
    const job = world.addJob()
    world.vcenter.changeVm(first.id, { name: 'stolen' })
    await world.until(() => job.status === 'Building')
    expect(world.vcenter.find(second.id)?.vm.name).toBe(job.worker)
    expect(world.vcenter.find(first.id)?.vm.name).toBe('stolen')
  })

  test('goes to one of two jobs, and the other gets a clone', async () => {
    const world = new HatcheryWorld(standing(''))
    const ready = world.addProvision('provision-v2-a')
    await world.start()
    const jobs = [world.addJob(), world.addJob()]
    await world.until(() => jobs.every(({ status }) => status === 'Building'))
    const names = world.vms().flatMap(({ name }) => (name.startsWith('provision-') ? [] : [name]))
    expect(new Set(names)).toEqual(new Set(jobs.map(({ worker }) => worker)))
    expect(names).toHaveLength(2)
    expect(names).toContain(world.vcenter.find(ready.id)?.vm.name)
  })

  test('of another hatchery is not touched', async () => {
    const world = new HatcheryWorld()
    const other = world.addProvision('provision-v2-a', { hatcheryName: 'other' })
    await world.start()
    const job = world.addJob()
    await world.until(() => job.status === 'Building')
    expect(world.vcenter.find(other.id)?.vm).toEqual(other)
  })
})

describe('a V1 job', () => {
  test('is booked for longer than a clone takes, told of with CDS’s own messages, and run', async () => {
    const world = new HatcheryWorld()
    world.addV1Model()
    await world.start()
    const job = world.addV1Job()
    await world.until(() => job.booking !== undefined)
    expect(job.booking!.until - world.clock.now()).toBeGreaterThan(600_000)
    await world.until(() => job.status === 'Building')
    const [vm] = world.vms()
    expect(job.infos.map(({ id, args }) => [id, ...args])).toEqual([['MsgSpawnInfoHatcheryStarts', hatcheryName, vm!.name, 'debian']])
    expect(readWorkerNote(vm!)).toMatchObject({ workerModelPath: 'shared.infra/debian', vmwareModelPath: 'debian', jobId: String(job.id) })
    await world.until(() => job.status === 'Success')
  })

  test('on a deprecated model is told so', async () => {
    const world = new HatcheryWorld()
    world.addV1Model({ isDeprecated: true })
    await world.start()
    const job = world.addV1Job()
    await world.until(() => job.status === 'Success')
    expect(job.infos.map(({ id, args }) => [id, ...args])).toContainEqual(['MsgSpawnInfoDeprecatedModel', 'debian'])
  })

  test('that fails too often is ended as failed, with the cause', async () => {
    const world = new HatcheryWorld({ settings: { credentials: [] }, provision: { maxAttempts: 2 } })
    world.addV1Model({ machine: { image: 'debian12', cmd: './worker', post_cmd: 'sudo shutdown -h now' } })
    await world.start()
    const job = world.addV1Job()
    await world.until(() => job.status === 'Fail')
    expect(job.reason).toContain('hatchery "hv1" failed to start worker after 2 attempts')
    expect(job.infos.filter(({ id }) => id === 'MsgSpawnInfoHatcheryErrorSpawn')).toHaveLength(2)
    expect(await world.spawns()).toEqual([])
    expect(world.cds.heldJobs()).toEqual([])
  })

  test('keeps its attempts, when they began, and the pause before the next one, over a restart', async () => {
    const world = new HatcheryWorld({ settings: { credentials: [] }, provision: { maxAttempts: 5 } })
    world.addV1Model({ machine: { image: 'debian12', cmd: './worker', post_cmd: 'sudo shutdown -h now' } })
    const run = await world.start()
    const began = world.clock.now()
    const job = world.addV1Job()
    const tries = () => job.infos.filter(({ id }) => id === 'MsgSpawnInfoHatcheryStarts').length
    await world.until(async () => (await world.spawns())[0]?.status?.attempts === 4)
    await world.stop(run)
    const { attemptsSince, pauseUntil } = (await world.spawns())[0]!.status!
    expect(parseTime(attemptsSince!) - began).toBeLessThan(10_000)
    await world.start()
    await world.until(() => tries() === 5)
    expect(world.clock.now()).toBeGreaterThanOrEqual(parseTime(pauseUntil!))
    await world.until(() => job.status === 'Fail')
    expect(tries()).toBe(5)
  })

  test('whose workers start and never sign in is tried so often, and then ended as failed too', async () => {
    const world = new HatcheryWorld({ provision: { maxAttempts: 2 } })
    world.addV1Model()
    const play = world.vcenter.programHook!
    world.vcenter.onProgram(program => {
      if (program.environment['CDS_CONFIG'] === undefined) play(program)
    })
    await world.start()
    const job = world.addV1Job()
    await world.until(() => job.status === 'Fail', 3_600)
    expect(job.reason).toContain('failed to start worker after 2 attempts')
    expect(job.infos.filter(({ id }) => id === 'MsgSpawnInfoHatcheryStarts')).toHaveLength(2)
    await world.until(() => world.vms().length === 0)
  })
})

test('an interrupted start is taken back even if the store fails at first: its VM, its job and its record do not stay', async () => {
  const world = new HatcheryWorld({ settings: { killAwolInterval: 3_600_000 } })
  const first = await world.start()
  const job = world.addJob()
  await world.until(async () => (await world.spawns())[0]?.status?.phase === 'Booting')
  const [interrupted] = world.vms()
  first.crash()
  const flaky = new FlakyStore(world.store)
  let failures = 0
  flaky.before = (operation, kind) => {
    if (operation === 'update' && kind.name === 'Spawn' && ++failures <= 3) throw new StoreError('ServiceUnavailable', 'no answer')
  }
  world.store = flaky
  await world.start()
  await world.until(() => world.vcenter.find(interrupted!.id) === undefined, 60)
  await world.until(() => job.status === 'Success', 300)
  await world.until(async () => (await world.spawns()).length === 0, 60)
  expect(failures).toBeGreaterThan(3)
  expect(world.cds.wrongs()).toMatchObject(nothingWrong)
})

describe('whoever watches a job reads why it has no worker', () => {
  test('an unknown flavor is named, and the job is given back and tried again with growing pauses', async () => {
    const world = new HatcheryWorld()
    const { hatchery } = await world.start()
    const job = world.addJob({ flavor: 'Gigantic' })
    await world.until(() => world.told(job).some(line => line.startsWith('error')))
    expect(world.told(job)[1]).toMatch(
      /^error: Error while Hatchery hv1 spawns worker [a-z-]+ with model debian-model after 0s, err: flavor "Gigantic" not found in hatchery configuration \(use one of small, medium, large\)$/,
    )
    await world.until(() => job.status === 'Waiting', 5)
    expect(world.vms()).toEqual([])
    await world.until(() => hatchery.why(job.id)?.reason === 'SpawnFailed', 5)
    expect(hatchery.why(job.id)).toMatchObject({ attempts: 1, phase: 'Waiting', message: expect.stringContaining('Gigantic') })
    await world.until(() => job.status === 'Fail', 3_600)
    const times = job.infos.filter(({ level }) => level === 'warning').map(({ time }) => time)
    expect(times).toHaveLength(5)
    expect(times[4]! - times[0]!).toBeGreaterThan(30_000)
    await world.until(async () => (await world.spawns()).length === 0)
  })

  test('a flavor without any flavors configured gives the template’s resources and a warning', async () => {
    const world = new HatcheryWorld({ settings: { flavors: flavors([]) } })
    await world.start()
    const job = world.addJob({ flavor: 'large' })
    await world.until(() => job.status === 'Building')
    expect(world.vms()[0]).toMatchObject({ cpus: 2, memoryMB: 4096 })
    expect(world.told(job)[1]).toContain('will use template resources (no flavor)')
    const warnings = world.log.lines.filter(({ level, message }) => level === 'warn' && message.startsWith('no flavors are configured'))
    expect(warnings).toMatchObject([{ fields: { flavor: 'large', model: 'debian-model' } }])
  })

  test('missing credentials are named before any VM is touched', async () => {
    const world = new HatcheryWorld({ settings: { credentials: [] } })
    await world.start()
    const job = world.addJob({ spec: { username: 'root', password: '${{ secrets.VM_PASSWORD }}' } })
    await world.until(() => world.told(job).some(line => line.startsWith('error')))
    expect(world.told(job)[1]).toMatch(/username and\/or password not well configured for model "debian-model"/)
    expect(operations(world)).toEqual([])
  })

  test('a model’s own login is used if the configuration has none', async () => {
    const world = new HatcheryWorld({ settings: { credentials: [] } })
    await world.start()
    const job = world.addJob({ spec: { username: 'root', password: 'plain' } })
    await world.until(() => job.status === 'Success')
    expect(world.told(job).filter(line => line.startsWith('error'))).toEqual([])
  })

  test('a template that is not there is named', async () => {
    const world = new HatcheryWorld({
      settings: { credentials: [{ image: 'gone', path: undefined, user: 'root', password: new Secret('x') }] },
    })
    await world.start()
    const job = world.addJob({ spec: { image: 'gone' } })
    await world.until(() => world.told(job).some(line => line.startsWith('error')))
    expect(world.told(job).join()).toContain('there is no template "gone"')
  })
})

describe('when something goes wrong', () => {
  const failing = async (world: HatcheryWorld, seconds = 900) => {
    await world.start()
    const job = world.addJob()
    await world.until(() => world.told(job).some(line => line.startsWith('error')), seconds)
    const told = world.told(job).find(line => line.startsWith('error'))
    await world.until(() => job.status === 'Waiting', 120)
    await world.until(() => world.vms().length === 0, 120)
    return { job, told }
  }

  test.each([
    { sick: 'no tools' as const, says: /readiness of the guest did not happen within 3 min/ },
    { sick: 'no address' as const, says: /the address 10\.0\.0\.1 of the guest did not happen within 3 min \(it reports none\)/ },
    { sick: 'no customization' as const, says: /\(it reports none; the customization failed: no network card could be set up\)/ },
  ])('a guest with $sick is taken down and its job given back', async ({ sick, says }) => {
    const world = new HatcheryWorld({ world: { templates: [{ name: 'debian12', sick }] } })
    const { told } = await failing(world)
    expect(told).toMatch(says)
    await world.minutes(7)
    expect((await world.leases()).filter(({ spec }) => spec.address === '10.0.0.1' && spec.holder === undefined)).toEqual([])
  })

  test('a guest that refuses the login is given a minute, and is not asked every second', async () => {
    const world = new HatcheryWorld({ world: { templates: [{ name: 'debian12', login: { user: 'root', password: 'another' } }] } })
    const { told } = await failing(world)
    expect(told).toMatch(/refuses to log "root" in/)
    expect(told).not.toContain('secret-of-guest')
  })

  test('a clone that never ends is called off after ten minutes, and the job is given back', async () => {
    const world = new HatcheryWorld({ provision: { maxAttempts: 1 } })
    world.vcenter.slowNext('clone', Number.POSITIVE_INFINITY)
    const { told } = await failing(world)
    expect(told).toMatch(/after 10m0?s?, err: starting the worker took longer than 10 min; its last stage was Cloning/)
    expect(world.vcenter.tasks().filter(({ state }) => state === 'running')).toEqual([])
  })

  test('a full vCenter is no success', async () => {
    const world = new HatcheryWorld({ world: { mostVms: 1 } })
    const { told } = await failing(world)
    expect(told).toContain('the datastore is full')
  })

  test('an address that is gone at the last moment is no success', async () => {
    const networks = [addressNetwork({ name: 'one', ranges: '10.0.0.5/32', subnetMask: '255.255.255.0' })]
    const world = new HatcheryWorld({ settings: { networks }, world: { timings: { watch: [0, 0] } } })
    await world.start()
    world.cds.listen(({ what }) => {
      if (what === 'job taken' && world.vms().length === 0) world.vcenter.addVm({ name: 'foreign', addresses: ['10.0.0.5'] })
    })
    const job = world.addJob()
    await world.until(() => world.told(job).some(line => line.startsWith('error')))
    expect(world.told(job).at(-2)).toContain('no address is free')
    await world.until(() => job.status === 'Waiting', 10)
    expect(world.cds.heldJobs()).toEqual([])
  })

  test('secrets are in no line of the log and in no message', async () => {
    const world = new HatcheryWorld({ world: { templates: [{ name: 'debian12', login: { user: 'root', password: 'another' } }] } })
    const { job } = await failing(world)
    const text = JSON.stringify([world.log.lines, job.infos, await world.spawns()])
    const { tokenV1, tokenV2 } = world.settings.api
    for (const secret of ['secret-of-guest', tokenV1!.reveal(), tokenV2!.reveal(), 'BEGIN RSA', 'vsphere-password'])
      expect(text).not.toContain(secret)
  })
})

describe('a lost answer', () => {
  test.each(['take v2', 'info v2', 'release v2', 'job v2'])('of CDS (%s) changes nothing', async call => {
    const world = new HatcheryWorld()
    await world.start()
    world.cds.faults.cutNext(call, 'after')
    const job = world.addJob()
    await world.until(() => job.status === 'Success')
    expect(world.cds.wrongs()).toEqual(nothingWrong)
    expect(world.events.filter(({ what }) => what === 'job taken')).toHaveLength(1)
  })

  test.each(['book v1', 'spawn infos v1'])('of CDS (%s) changes nothing for a V1 job either', async call => {
    const world = new HatcheryWorld()
    world.addV1Model()
    await world.start()
    world.cds.faults.cutNext(call, 'after')
    const job = world.addV1Job()
    await world.until(() => job.status === 'Success')
    expect(world.cds.wrongs()).toEqual(nothingWrong)
  })

  test.each(['clone', 'powerOn', 'runInGuest'])('of vCenter (%s) changes nothing on a clone', async operation => {
    const world = new HatcheryWorld()
    await world.start()
    world.vcenter.faults.cutNext(operation, 'after')
    const job = world.addJob()
    await world.until(() => job.status === 'Success')
    expect(world.cds.wrongs()).toEqual(nothingWrong)
  })

  test('of vCenter to a claim changes nothing', async () => {
    const world = new HatcheryWorld(standing(''))
    world.addProvision('provision-v2-a')
    await world.start()
    world.vcenter.faults.cutNext('claim', 'after')
    const job = world.addJob()
    await world.until(() => job.status === 'Success')
    expect(operations(world).filter(operation => operation === 'clone')).toEqual([])
  })
})

test('variables for all workers are in the guest’s environment and in their configuration', async () => {
  const world = new HatcheryWorld({ provision: { environment: { A: '1' } }, settings: { flavors: flavors([]) } })
  const seen: Record<string, string>[] = []
  const play = world.vcenter.programHook!
  world.vcenter.onProgram(program => {
    if (program.environment['CDS_CONFIG'] !== undefined) seen.push(program.environment)
    play(program)
  })
  await world.start()
  const job = world.addJob()
  await world.until(() => job.status === 'Success')
  expect(seen).toHaveLength(1)
  expect(seen[0]!['A']).toBe('1')
  const config = JSON.parse(Buffer.from(seen[0]!['CDS_CONFIG']!, 'base64').toString()) as Record<string, unknown>
  expect(config).toMatchObject({ run_job_id: job.id, region: 'eu', inject_env_vars: { A: '1' }, gelf_service_addr: 'cdn.simulated:8090' })
})

test('a worker on a VM that stands ready costs four calls, and comes up as quickly as its guest does', async () => {
  const world = new HatcheryWorld({ ...standing(''), world: { timings: quick } })
  world.addProvision('provision-v2-a')
  const calls: string[] = []
  await world.start(world.begin(call => calls.push(call)))
  const job = world.addJob()
  await world.until(() => job.status === 'Building', 20)
  const vm = world.vcenter.byName(job.worker)
  const mine = calls.filter(call => call.endsWith(` ${vm?.id}`)).map(call => call.split(' ')[0])
  expect(mine.filter(operation => !['waitForAddress', 'waitForGuest', 'diskGB'].includes(operation ?? ''))).toEqual([
    'claim',
    'powerOn',
    'runInGuest',
    'runInGuest',
  ])
})

test('a V1 model that must be registered is, by a worker that takes no job; then its jobs run', async () => {
  const world = new HatcheryWorld()
  const model = world.cds.addModelV1({ name: 'debian', machine: v1Machine })
  await world.start()
  await world.until(() => world.events.some(({ what }) => what === 'model registered'))
  expect(model).toMatchObject({ needRegistration: false, spawnErrors: 0 })
  expect(world.events.find(({ what }) => what === 'worker signed in')?.worker).toMatch(/^register-/)
  const job = world.addV1Job()
  await world.until(() => job.status === 'Success')
  await world.until(() => world.vms().length === 0)
  expect(await world.spawns()).toEqual([])
})
