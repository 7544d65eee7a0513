import { describe, expect, test } from 'vitest'
import type { Job } from '../jobs/job.ts'
import { aV2Model, GateWorld, type GateWorldOptions, inShort } from '../testing/gate-world.ts'

const size = { cpus: 1, memoryMB: 1 }

describe('a job goes', () => {
  test('with its plan, and is entered at once so that the next decision counts it', async () => {
    const world = new GateWorld()
    const verdict = await world.decide(world.v2Job('42', { runsOn: { model: 'debian', flavor: 'Large' } }))
    expect(verdict).toMatchObject({
      kind: 'go',
      plan: { job: { id: '42' }, model: { version: 2, image: 'debian12' }, flavor: { name: 'large' }, unknownFlavor: undefined },
      undertaking: { purpose: 'Job', jobId: '42', vmName: '', size: { cpus: 8, memoryMB: 16384 } },
    })
    expect(world.underWay.hasJob('42')).toBe(true)
  })

  test('without a call to the platform, and with three to CDS', async () => {
    const world = new GateWorld()
    await world.decide(world.v2Job('42'))
    expect(world.calls).toEqual(['v2.job 42', 'v1.workers', 'v2.workers'])
  })
})

test('no decision looks at all VMs', async () => {
  const world = new GateWorld({ settings: { maxCpus: 64 } })
  world.v1Model()
  world.provision('provision-v2-a')
  world.vm({ name: 'database' })
  await world.decide(world.v2Job('first'))
  world.inventory.all = () => {
    throw new Error('all VMs are looked at')
  }
  expect([await world.verdict(world.v2Job('1')), await world.verdict(world.v1Job('2'))]).toEqual(['go', 'go'])
  Object.assign(world.settings, { maxCpus: 1 })
  expect(await world.verdict(world.v1Job('3'))).toBe('MaxCpusReached')
})

describe('a job is dropped', () => {
  test.each<{ why: string; change: (world: GateWorld, job: Job) => void; options?: GateWorldOptions }>([
    { why: 'if CDS no longer has it', change: world => world.jobs.clear() },
    { why: 'if it no longer waits', change: (world, job) => world.jobs.set(job.id, { ...job, status: 'Scheduling' }) },
    { why: 'if somebody has booked it', change: (world, job) => world.jobs.set(job.id, { ...job, takenBy: 'other' }) },
    {
      why: 'if a worker is being started for it',
      change: world => world.underWay.begin({ purpose: 'Job', jobId: '42', vmName: '', size, model: '' }),
    },
    { why: 'if there is no token for it', change: () => {}, options: { tokens: [1] } },
  ])('$why', async ({ change, options = {} }) => {
    const world = new GateWorld(options)
    const job = world.v2Job('42')
    change(world, job)
    expect((await world.decide(job)).kind).toBe('drop')
  })
})

describe('the gates stand in this order', () => {
  // Each step sets right what the gate before it refused, and nothing else.
  test('for a V1 job', async () => {
    const world = new GateWorld({
      settings: { maxCpus: 1, defaultModelsV2: [] },
      provision: { maxWorker: 3, maxConcurrentProvisioning: 2, region: 'eu', ignoreJobWithNoRegion: true, maxAttempts: 1 },
    })
    world.inventory.lost('not signed in')
    world.failing.add('v1.job')
    world.failing.add('v1.workers')
    world.failing.add('v1.models')
    world.addresses.free = 0
    world.attempts.begin('42')
    const job = world.v1Job('42', ['service:postgres'])
    const says: string[] = []
    const look = async () => void says.push(await world.verdict(job))
    await look()
    world.inventory.replace([])
    const vms = ['a', 'b', 'c'].map(name => world.vm({ name, note: {} }))
    await look()
    world.failing.delete('v1.job')
    await look()
    world.failing.delete('v1.workers')
    await look()
    world.inventory.drop(vms[0]?.id ?? '')
    await look()
    world.inventory.drop(vms[1]?.id ?? '')
    const starting = ['x', 'c'].map(vmName =>
      world.underWay.begin({ purpose: 'Job', jobId: vmName, vmName, size: { cpus: 0, memoryMB: 0 }, model: '' }),
    )
    world.register('x')
    await world.refresh()
    await look()
    for (const each of starting) each[Symbol.dispose]()
    await look()
    world.v1Job('42', ['service:postgres', 'region:us'])
    await look()
    world.v1Job('42', ['service:postgres', 'region:eu'])
    await look()
    world.failing.delete('v1.models')
    await look()
    world.v1Model({ flavor: 'small', password: '{{.secrets.pw}}' })
    await world.clock.advance(20_000)
    await look()
    world.v1Job('42', ['region:eu'])
    await look()
    world.addresses.free = 9
    world.failing.add('v1.modelSecrets')
    await look()
    world.inventory.drop(vms[2]?.id ?? '')
    Object.assign(world.settings, { maxCpus: 0 })
    await look()
    world.attempts.forget('42')
    await look()
    world.failing.clear()
    await look()
    expect(says).toEqual([
      'InventoryNotLive',
      'CdsNotAnswering',
      'WorkersNotKnown',
      'MaxWorkerReached',
      'TooManyPending',
      'TooManyStarting',
      'NoRegion',
      'OtherRegion',
      'CdsNotAnswering',
      'NoModel',
      'UnsupportedRequirement',
      'NoAddressFree',
      'MaxCpusReached',
      'fail',
      'CdsNotAnswering',
      'go',
    ])
  })

  test('for a V2 job', async () => {
    const world = new GateWorld({ settings: { maxCpus: 1 }, provision: { maxWorker: 1, maxAttempts: 1 } })
    world.inventory.lost('not signed in')
    world.addresses.free = 0
    world.attempts.begin('42')
    const job = world.v2Job('42', { runsOn: { model: '', flavor: '' } })
    const says: string[] = []
    const look = async () => void says.push(await world.verdict(job))
    await look()
    world.inventory.replace([])
    const vm = world.vm({ name: 'a', note: {} })
    await look()
    world.inventory.drop(vm.id)
    await look()
    world.attempts.forget('42')
    await look()
    world.v2Job('42', { runsOn: { model: 'debian', flavor: 'small' } })
    await look()
    world.addresses.free = 1
    await look()
    Object.assign(world.settings, { maxCpus: 2 })
    await look()
    expect(says).toEqual(['InventoryNotLive', 'MaxWorkerReached', 'TooManyAttempts', 'NoModel', 'NoAddressFree', 'MaxCpusReached', 'go'])
  })
})

describe('who may start', () => {
  const cases: { what: string; needs?: string[]; prepare?: (world: GateWorld) => void; says: string }[] = [
    { what: 'a job without anything special', says: 'go' },
    { what: 'one that wants a service', needs: ['service:postgres'], says: 'UnsupportedRequirement' },
    { what: 'one that wants memory', needs: ['memory:4096'], says: 'UnsupportedRequirement' },
    { what: 'one that wants a host name', needs: ['hostname:h1'], says: 'UnsupportedRequirement' },
    { what: 'one that wants a flavor', needs: ['flavor:small'], says: 'go' },
    { what: 'one whose VM is there', prepare: world => void world.vm({ name: 'w', note: { jobId: '42' } }), says: 'JobHasVm' },
    {
      what: 'one whose VM another hatchery has',
      prepare: world => void world.vm({ name: 'w', note: { hatcheryName: 'other', jobId: '42' } }),
      says: 'JobHasVm',
    },
    { what: 'one beside another job’s VM', prepare: world => void world.vm({ name: 'w', note: { jobId: '43' } }), says: 'go' },
    {
      what: 'one whose number stands in a note that is none',
      prepare: world => void world.vm({ name: 'w', note: '{"hatchery_name":"aviary","job_id":42}' }),
      says: 'go',
    },
    {
      what: 'one whose number stands in a template’s note',
      prepare: world => void world.vm({ name: 'w', template: true, note: { jobId: '42' } }),
      says: 'go',
    },
    {
      what: 'one for which a worker is being started',
      prepare: world => void world.underWay.begin({ purpose: 'Job', jobId: '42', vmName: '', size, model: '' }),
      says: 'drop',
    },
  ]
  test.each(cases)('$what: $says', async ({ needs = [], prepare, says }) => {
    const world = new GateWorld()
    world.v1Model()
    prepare?.(world)
    expect(await world.verdict(world.v1Job('42', needs))).toBe(says)
  })

  test('requirements of V2 jobs are not looked at', async () => {
    const world = new GateWorld()
    const requirements = [{ type: 'service', name: 'pg', value: 'postgres' }]
    expect(await world.verdict(world.v2Job('42', { requirements }))).toBe('go')
  })
})

describe('which VM becomes the worker', () => {
  const chosen = async (world: GateWorld, job: Job) => {
    const verdict = await world.decide(job)
    if (verdict.kind !== 'go') return inShort(verdict)
    const { vmId } = verdict.undertaking
    return vmId === undefined ? 'clone' : (world.inventory.byId(vmId)?.name ?? 'gone')
  }
  const large = { runsOn: { model: 'debian', flavor: 'large' } }

  test('one of the flavor, a neutral one, a clone, and one of another flavor only if no clone is possible', async () => {
    const world = new GateWorld({ provision: { maxConcurrentProvisioning: 100, maxWorker: 0 } })
    world.provision('provision-v2-small', 'debian12', {}, { flavor: 'small' })
    world.provision('provision-v2-neutral')
    world.provision('provision-v2-large', 'debian12', {}, { flavor: 'large' })
    world.addresses.free = 1
    const jobs = ['1', '2', '3', '4', '5'].map(id => world.v2Job(id, large))
    const taken: string[] = []
    for (const job of jobs) taken.push(await chosen(world, job))
    expect(taken).toEqual(['provision-v2-large', 'provision-v2-neutral', 'clone', 'provision-v2-small', 'NoAddressFree'])
  })

  test('a job never waits for an address while a VM stands ready', async () => {
    const world = new GateWorld()
    world.addresses.free = 0
    world.provision('provision-v2-a')
    expect(await chosen(world, world.v2Job('1', large))).toBe('provision-v2-a')
  })

  test('a V1 model takes what stands ready for its path, not for its image', async () => {
    const world = new GateWorld()
    world.v1Model()
    world.provision('provision-v2-a')
    expect(await chosen(world, world.v1Job('1'))).toBe('clone')
    world.vm({ name: 'provision-v1-a', power: 'off', note: { provisioning: true, workerModelPath: 'shared.infra/debian-v1' } })
    expect(await chosen(world, world.v1Job('2'))).toBe('provision-v1-a')
  })

  test('another hatchery’s VM is never taken', async () => {
    const world = new GateWorld()
    world.provision('provision-v2-a', 'debian12', {}, { hatcheryName: 'other' })
    expect(await chosen(world, world.v2Job('1'))).toBe('clone')
  })

  test('addresses that are promised to clones under way are not counted on; those that are held are counted already', async () => {
    const world = new GateWorld()
    world.addresses.free = 2
    const clone = world.underWay.begin({ purpose: 'Provision', jobId: '', vmName: 'provision-v2-x', size, model: '2 debian12' })
    expect(await chosen(world, world.v2Job('1'))).toBe('clone')
    expect(await chosen(world, world.v2Job('2'))).toBe('NoAddressFree')
    world.addresses.held.add(clone.vmName)
    expect(await chosen(world, world.v2Job('2'))).toBe('clone')
  })

  test('an image whose model is as code and one of the same name are the same', async () => {
    const world = new GateWorld()
    world.provision('provision-v2-a', 'rocky9')
    expect(await chosen(world, world.v2Job('1', { model: aV2Model({ name: 'other', image: 'rocky9' }) }))).toBe('provision-v2-a')
  })
})

describe('what is not known stops everything', () => {
  test('an inventory that is lost in the middle of a decision', async () => {
    const world = new GateWorld()
    world.delay = 100
    const deciding = world.decide(world.v2Job('42'))
    world.inventory.lost('the session ended')
    await world.clock.advance(200)
    expect(await deciding).toMatchObject({
      kind: 'wait',
      refusal: { gate: 'Inventory', message: expect.stringContaining('the session ended') },
    })
    expect([...world.underWay.all()]).toEqual([])
  })

  test('a decision that is given up rejects with the reason and leaves nothing behind', async () => {
    const world = new GateWorld()
    world.delay = 100
    const giveUp = new AbortController()
    const reason = new Error('stopping')
    const deciding = world.gates.decide(world.v2Job('42'), giveUp.signal)
    giveUp.abort(reason)
    const ended = deciding.catch((error: unknown) => error)
    await world.clock.advance(200)
    expect(await ended).toBe(reason)
    expect([...world.underWay.all()]).toEqual([])
  })
})

describe('numbers that stop a job', () => {
  test.each([
    { maxWorker: 3, workers: 3, says: 'MaxWorkerReached' },
    { maxWorker: 3, workers: 2, says: 'go' },
    { maxWorker: 0, workers: 200, says: 'go' },
  ])('$workers workers of $maxWorker: $says', async ({ maxWorker, workers, says }) => {
    const world = new GateWorld({ provision: { maxWorker } })
    for (let number = 0; number < workers; number++) {
      world.vm({ name: `w${number}`, note: {} })
      world.register(`w${number}`)
    }
    expect(await world.verdict(world.v2Job('42'))).toBe(says)
  })

  test('are in the message, by status', async () => {
    const world = new GateWorld({ provision: { maxWorker: 2 } })
    world.vm({ name: 'a', note: {} })
    world.vm({ name: 'b', note: {} })
    world.register('a')
    expect(await world.decide(world.v2Job('42'))).toMatchObject({
      refusal: {
        message: 'there are 2 workers, and maxWorker is 2 (1 Building, 1 Pending)',
        unblock: expect.stringContaining('maxWorker above 2'),
      },
    })
  })

  test('VMs that stand ready do not count, disabled workers neither', async () => {
    const world = new GateWorld({ provision: { maxWorker: 2 } })
    for (let number = 0; number < 5; number++) world.provision(`provision-v2-${number}`)
    world.vm({ name: 'done', note: {} })
    world.register('done', { status: 'Disabled' })
    world.vm({ name: 'busy', note: {} })
    world.register('busy')
    expect(await world.verdict(world.v2Job('42'))).toBe('go')
  })
})
