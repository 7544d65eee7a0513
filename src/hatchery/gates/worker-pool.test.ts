import { describe, expect, test } from 'vitest'
import { GateWorld } from '../testing/gate-world.ts'

const signal = new AbortController().signal
const disabled = (world: GateWorld) => world.calls.filter(call => call.startsWith('v1.disableWorker'))
const size = { cpus: 1, memoryMB: 1 }

/** Lets some time pass and reads again, as decisions, metrics and heartbeats do. */
async function later(world: GateWorld): Promise<void> {
  await world.clock.advance(5_000)
  await world.refresh()
  await world.clock.advance(0)
}

describe('the pool', () => {
  test('is everyone whom CDS knows, and who is started beside them', async () => {
    const world = new GateWorld()
    for (const name of ['building', 'waiting', 'checking', 'disabled', 'pending']) world.vm({ name, note: {} })
    world.vm({ name: 'register-bohr', note: { registerOnly: true } })
    world.provision('provision-v2-a')
    world.vm({ name: 'debian12', template: true })
    world.vm({ name: 'database' })
    world.register('building', { version: 1 })
    world.register('waiting', { status: 'Waiting' })
    world.register('checking', { status: 'Checking' })
    world.register('disabled', { status: 'Disabled' })
    await world.refresh()
    expect(world.pool.counts()).toEqual({
      building: 1,
      waiting: 1,
      checking: 1,
      disabled: 1,
      pending: 1,
      registering: 1,
      starting: 0,
      size: 5,
    })
    expect(world.pool.workers().map(({ name, status }) => `${name} ${status}`)).toEqual([
      'building Building',
      'waiting Waiting',
      'checking Checking',
      'disabled Disabled',
      'pending Pending',
      'register-bohr Registering',
    ])
  })

  test('counts what is under way once, whether or not its VM or its sign-in can be seen', async () => {
    const world = new GateWorld()
    world.underWay.begin({ purpose: 'Job', jobId: '1', vmName: '', size, model: '' })
    world.underWay.begin({ purpose: 'Job', jobId: '2', vmName: 'seen', size, model: '' })
    world.underWay.begin({ purpose: 'Job', jobId: '3', vmName: 'signed-in', size, model: '' })
    world.underWay.begin({ purpose: 'Registration', jobId: '', vmName: '', size, model: 'g/m' })
    world.underWay.begin({ purpose: 'Provision', jobId: '', vmName: 'provision-v2-a', size, model: '2 debian12' })
    world.underWay.begin({ purpose: 'Template', jobId: '', vmName: 'debian-tmp', size, model: 'g/m' })
    world.vm({ name: 'seen', note: {} })
    world.register('signed-in')
    await world.refresh()
    expect(world.pool.counts()).toMatchObject({ pending: 2, registering: 1, building: 1, starting: 4, size: 4 })
  })

  test.each([
    { what: 'a claimed VM from its renaming to the end of its start', powers: ['off', 'on'], isOver: false },
    { what: 'one that went off in the middle of its start, until that is given up', powers: ['off', 'on', 'off'], isOver: false },
    { what: 'one that runs', powers: ['off', 'on'], isOver: true },
  ] as const)('counts $what as one', async ({ powers, isOver }) => {
    const world = new GateWorld()
    const { id } = world.provision('provision-v2-a')
    const claim = world.underWay.begin({ purpose: 'Job', jobId: '1', vmName: 'worker', vmId: id, size, model: '' })
    await world.refresh()
    for (const power of powers) {
      world.vm({ id, name: 'worker', power, note: {} })
      expect(world.pool.counts()).toMatchObject({ pending: 1, starting: 1, size: 1 })
      expect(world.pool.workers()).toMatchObject([{ name: 'worker', status: 'Pending' }])
    }
    if (isOver) claim[Symbol.dispose]()
    expect(world.pool.counts().size).toBe(1)
  })

  test('is without those that are done and off, though CDS no longer lists them; they wait only for their removal', async () => {
    const world = new GateWorld()
    for (const name of ['worker', 'register-bohr']) {
      const { id } = world.vm({ name, note: {} })
      world.vm({ id, name, power: 'off', note: {} })
    }
    world.register('worker', { status: 'Disabled' })
    await world.refresh()
    expect(world.pool.counts()).toMatchObject({ disabled: 1, pending: 0, registering: 0, size: 0 })
    world.workers.length = 0
    await world.refresh()
    expect(world.pool.counts()).toMatchObject({ pending: 0, registering: 0, size: 0 })
    expect(world.pool.workers()).toEqual([])
  })

  test('is without a worker that CDS said had ended, though its VM is still on and CDS has forgotten it', async () => {
    const world = new GateWorld()
    const { id } = world.vm({ name: 'worker', note: {} })
    world.register('worker', { status: 'Disabled' })
    await world.refresh()
    world.workers.length = 0
    world.inventory.lost('the session ended')
    await world.refresh()
    world.inventory.replace([world.inventory.lastKnown(id)!])
    expect([world.pool.counts().size, world.pool.workers()]).toEqual([0, []])
    world.inventory.drop(id)
    await world.refresh()
    world.vm({ name: 'worker', note: {} })
    expect(world.pool.counts()).toMatchObject({ pending: 1, size: 1 })
  })

  test('keeps a worker that CDS lists no more though it did not say that it had ended', async () => {
    const world = new GateWorld()
    world.vm({ name: 'worker', note: {} })
    world.register('worker')
    await world.refresh()
    world.workers.length = 0
    await world.refresh()
    expect(world.pool.counts()).toMatchObject({ pending: 1, size: 1 })
  })

  test('counts foreign VMs as pending only if it is told to', async () => {
    const counts = async (countForeignVms: boolean) => {
      const world = new GateWorld({ settings: { countForeignVms } })
      for (let number = 0; number < 19; number++) world.vm({ name: `foreign-${number}` })
      world.vm({ name: 'brave-curie', note: {} })
      world.register('foreign-0')
      await world.refresh()
      return world.pool.counts()
    }
    expect(await counts(true)).toMatchObject({ pending: 19, building: 1, size: 20 })
    expect(await counts(false)).toMatchObject({ pending: 1, building: 1, size: 2 })
  })

  test.each([
    { maxWorker: 10, line: '2/10' },
    { maxWorker: 0, line: '2/unlimited' },
  ])('is shown as $line', async ({ maxWorker, line }) => {
    const world = new GateWorld({ provision: { maxWorker } })
    world.vm({ name: 'a', note: {} })
    world.vm({ name: 'b', note: {} })
    await world.refresh()
    expect(world.pool.line()).toBe(line)
  })
})

describe('reading the lists of CDS', () => {
  test('is shared by all who need them, and not repeated for a few seconds', async () => {
    const world = new GateWorld()
    world.delay = 100
    const reading = Promise.all([1, 2, 3].map(() => world.pool.refresh(signal)))
    await world.clock.advance(100)
    await reading
    await world.clock.advance(2_000)
    await world.pool.refresh(signal)
    expect(world.calls).toEqual(['v1.workers', 'v2.workers'])
    await world.clock.advance(1_000)
    const again = world.pool.refresh(signal)
    await world.clock.advance(100)
    await again
    expect(world.calls).toHaveLength(4)
  })

  test.each(['v1.workers', 'v2.workers'])('that fails (%s) makes nothing known, and nobody disabled', async call => {
    const world = new GateWorld()
    world.register('brave-curie', { version: 1 })
    world.failing.add(call)
    for (let round = 0; round < 3; round++) await expect(world.refresh()).rejects.toMatchObject({ code: 'HATCHERY_WORKERS_NOT_KNOWN' })
    expect(() => world.pool.counts()).toThrow(`${call} fails`)
    expect(disabled(world)).toEqual([])
  })

  test('that takes too long ends, and who gives up earlier does not wait', async () => {
    const world = new GateWorld()
    world.delay = 60_000
    const giveUp = new AbortController()
    const impatient = world.pool.refresh(giveUp.signal)
    const reason = new Error('no time')
    giveUp.abort(reason)
    await expect(impatient).rejects.toBe(reason)
  })

  test('leaves out the side that has no token', async () => {
    const world = new GateWorld({ tokens: [2] })
    await world.refresh()
    expect(world.calls).toEqual(['v2.workers'])
  })
})

describe('a worker that CDS knows and that has no VM', () => {
  test('is disabled once if it is V1, and counts no more', async () => {
    const world = new GateWorld()
    world.register('lost', { version: 1, id: '77' })
    await world.refresh()
    expect(disabled(world)).toEqual([])
    for (let round = 0; round < 3; round++) await later(world)
    expect(disabled(world)).toEqual(['v1.disableWorker 77'])
    expect(world.pool.counts()).toMatchObject({ disabled: 1, size: 0 })
    expect(world.pool.workers()[0]?.status).toBe('Disabled')
  })

  test('is only spoken of, once, if it is V2', async () => {
    const world = new GateWorld()
    world.register('lost')
    for (let round = 0; round < 4; round++) await later(world)
    expect(disabled(world)).toEqual([])
    expect(world.log.lines.filter(({ message }) => message === 'a worker that CDS knows has no VM')).toHaveLength(1)
    expect(world.pool.counts().size).toBe(1)
  })

  test('is disabled at the next reading if CDS did not answer', async () => {
    const world = new GateWorld()
    world.register('lost', { version: 1, id: '77' })
    world.failing.add('v1.disableWorker')
    await later(world)
    await later(world)
    world.failing.clear()
    await later(world)
    await later(world)
    expect(disabled(world)).toHaveLength(2)
  })

  test.each<{ why: string; prepare: (world: GateWorld) => void }>([
    { why: 'it is disabled already', prepare: world => void world.register('w', { version: 1, status: 'Disabled' }) },
    { why: 'its VM is there', prepare: world => void (world.register('w', { version: 1 }), world.vm({ name: 'w', note: {} })) },
    { why: 'its VM is off', prepare: world => void (world.register('w', { version: 1 }), world.vm({ name: 'w', power: 'off', note: {} })) },
    { why: 'its VM lost its note', prepare: world => void (world.register('w', { version: 1 }), world.vm({ name: 'w' })) },
    {
      why: 'its VM is being made and not to be seen yet',
      prepare: world => {
        world.register('w', { version: 1 })
        world.underWay.begin({ purpose: 'Job', jobId: '1', vmName: 'w', size, model: '' })
      },
    },
  ])('is left alone if $why', async ({ prepare }) => {
    const world = new GateWorld()
    prepare(world)
    for (let round = 0; round < 3; round++) await later(world)
    expect(disabled(world)).toEqual([])
  })

  test('is left alone as long as nobody knows what is on the platform', async () => {
    const world = new GateWorld()
    world.vm({ name: 'w', note: {} })
    world.register('w', { version: 1 })
    await later(world)
    world.inventory.lost('the session ended')
    for (let round = 0; round < 5; round++) await later(world)
    expect(disabled(world)).toEqual([])
    expect(() => world.pool.counts()).toThrow('the session ended')
  })

  test('is not suspected on the evidence of before the platform was lost', async () => {
    const world = new GateWorld()
    world.register('w', { version: 1 })
    await later(world)
    world.inventory.lost('the session ended')
    await later(world)
    world.inventory.replace([])
    await later(world)
    expect(disabled(world)).toEqual([])
    await later(world)
    expect(disabled(world)).toHaveLength(1)
  })

  test('is left alone if its VM was removed while the list was on its way', async () => {
    const world = new GateWorld()
    const vm = world.vm({ name: 'w', note: {} })
    world.register('w', { version: 1 })
    world.delay = 1_000
    const reading = world.refresh()
    world.inventory.drop(vm.id)
    await world.clock.advance(1_000)
    await reading
    world.workers.length = 0
    world.delay = 0
    await later(world)
    await later(world)
    expect(disabled(world)).toEqual([])
  })

  test('is not taken for lost by two readings at one moment', async () => {
    const world = new GateWorld()
    world.register('w', { version: 1 })
    for (let round = 0; round < 3; round++) await world.refresh()
    await world.clock.advance(0)
    expect(disabled(world)).toEqual([])
  })

  test('is left alone if its VM shows up a little later than it signs in', async () => {
    const world = new GateWorld()
    world.register('w', { version: 1 })
    await later(world)
    world.vm({ name: 'w', note: {} })
    for (let round = 0; round < 3; round++) await later(world)
    expect(disabled(world)).toEqual([])
  })
})
