import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { IndexedInventory, InventoryNotLive, type Vm } from '../../platform/index.ts'
import { VirtualClock } from '../../ports/index.ts'
import { aV1Model, GateWorld } from '../testing/gate-world.ts'
import { plainSettings } from '../testing/plain-settings.ts'
import { Fleet } from './fleet.ts'
import { UnderWay } from './under-way.ts'
import { readWorkerNote } from './worker-note.ts'

const names = (found: readonly { readonly vm: { readonly name: string } }[]) => found.map(({ vm }) => vm.name)

describe('whose VM is what', () => {
  const world = new GateWorld()
  const { fleet } = world
  world.vm({ name: 'brave-curie', note: { workerName: 'brave-curie', jobId: '42' } })
  world.vm({ name: 'register-bold-bohr', note: { registerOnly: true, workerModelPath: 'shared.infra/debian-v1' } })
  world.provision('provision-v2-a')
  world.provision('provision-v2-b', 'rocky9')
  world.vm({ name: 'provision-v1-a', power: 'off', note: { provisioning: true, workerModelPath: 'g/m' } })
  world.vm({ name: 'theirs', note: { hatcheryName: 'other', jobId: '43' } })
  world.provision('provision-v2-theirs', 'debian12', {}, { hatcheryName: 'other' })
  world.vm({ name: 'database', note: 'the shop’s database' })
  world.vm({ name: 'odd', note: '{"hatchery_name":"aviary","job_id":44}' })
  world.vm({ name: 'debian12', template: true, power: 'off' })
  world.modelTemplate(aV1Model({ name: 'debian-v1' }))
  world.vm({ name: 'debian-v2-tmp', note: { model: true } })

  test('own VMs are those that carry the hatchery’s name, templates aside', () => {
    expect(names(fleet.own()).toSorted()).toEqual([
      'brave-curie',
      'provision-v1-a',
      'provision-v2-a',
      'provision-v2-b',
      'register-bold-bohr',
    ])
    expect(names(fleet.workers()).toSorted()).toEqual(['brave-curie', 'register-bold-bohr'])
  })

  test('VMs that stand ready are found by version and model', () => {
    expect(names(fleet.provisions(2, 'debian12'))).toEqual(['provision-v2-a'])
    expect(names(fleet.provisions(2))).toEqual(['provision-v2-a', 'provision-v2-b'])
    expect(names(fleet.provisions(1, 'g/m'))).toEqual(['provision-v1-a'])
    expect(names(fleet.provisions(1, 'debian12'))).toEqual([])
  })

  test('a job’s VM is found whoever has it, but not by a note that is none', () => {
    expect(['42', '43', '44'].map(id => names(fleet.holdersOfJob(id)))).toEqual([['brave-curie'], ['theirs'], []])
  })

  test('templates are found by name; those of models only if they are finished', () => {
    expect([fleet.template('debian12')?.name, fleet.template('debian-v1')?.name, fleet.template('database')]).toEqual([
      'debian12',
      'debian-v1',
      undefined,
    ])
    expect([fleet.modelTemplate('debian-v1')?.vm.name, fleet.modelTemplate('debian12'), fleet.modelTemplate('debian-v2-tmp')]).toEqual([
      'debian-v1',
      undefined,
      undefined,
    ])
    expect(names(fleet.modelTemplates())).toEqual(['debian-v1', 'debian-v2-tmp'])
  })

  test('registrations are found by the model’s path', () => {
    expect(names(fleet.registrationsOf('shared.infra/debian-v1'))).toEqual(['register-bold-bohr'])
  })

  test('started workers are own VMs but templates and provision-…', () => {
    expect(fleet.startedCount()).toEqual({ all: 2, registering: 1 })
    expect(fleet.startedNames()).toEqual(['brave-curie', 'register-bold-bohr'])
  })

  test('the VM of a worker may have lost its note, but not carry another hatchery’s', () => {
    expect(['brave-curie', 'database', 'odd', 'theirs', 'provision-v2-a', 'debian12', 'nobody'].map(name => fleet.hasWorker(name))).toEqual(
      [true, true, true, false, false, false, false],
    )
  })

  test('an own template of a model is preferred to another hatchery’s', () => {
    const model = aV1Model({ name: 'shared' })
    world.vm({ name: 'shared', template: true, note: { hatcheryName: 'other', model: true } })
    expect(fleet.modelTemplate('shared')?.note.hatcheryName).toBe('other')
    world.modelTemplate(model)
    expect(fleet.modelTemplate('shared')?.note.hatcheryName).toBe('aviary')
  })
})

describe('with countForeignVms', () => {
  const world = new GateWorld({ settings: { countForeignVms: true } })
  world.vm({ name: 'brave-curie', note: {} })
  world.vm({ name: 'theirs', note: { hatcheryName: 'other' } })
  world.vm({ name: 'database' })
  world.vm({ name: 'register-theirs' })
  world.vm({ name: 'debian-tmp', note: { model: true } })
  world.provision('provision-v2-a')
  world.vm({ name: 'debian12', template: true })

  test('every VM but templates and provision-… is a started worker, as the original counts', () => {
    expect(world.fleet.startedCount()).toEqual({ all: 5, registering: 1 })
    expect(world.fleet.startedNames().toSorted()).toEqual(['brave-curie', 'database', 'debian-tmp', 'register-theirs', 'theirs'])
    expect([world.fleet.hasWorker('theirs'), world.fleet.isStarted('theirs')]).toEqual([true, true])
  })
})

test('a claimed VM is a worker from its renaming on', () => {
  const world = new GateWorld()
  const vm = world.provision('provision-v2-a')
  expect(world.fleet.startedCount().all).toBe(0)
  world.provision('brave-curie', 'debian12', { id: vm.id })
  expect([world.fleet.startedCount().all, world.fleet.hasWorker('brave-curie')]).toEqual([1, true])
})

describe('a worker’s VM that is off', () => {
  const size = { cpus: 1, memoryMB: 1 }
  const worker = (world: GateWorld, power: 'on' | 'off', id = 'vm-1') => world.vm({ id, name: 'brave-curie', power, note: {} })
  const counts = ({ fleet }: GateWorld) => [fleet.startedCount().all, fleet.unknownCount().all, fleet.startedNames().length]

  test('is done if it was seen on: it is no worker any more, but the worker of its name is not without a VM', () => {
    const world = new GateWorld()
    for (const power of ['on', 'off'] as const) worker(world, power)
    expect(counts(world)).toEqual([0, 0, 0])
    expect([world.fleet.hasWorker('brave-curie'), world.fleet.hasFinished({ id: 'vm-1' })]).toEqual([true, true])
  })

  test('is done, too, if it was on before vCenter could not be seen for a while', () => {
    const world = new GateWorld()
    worker(world, 'on')
    world.inventory.lost('the session ended')
    world.inventory.replace([{ ...world.inventory.lastKnown('vm-1')!, power: 'off' }])
    expect(counts(world)).toEqual([0, 0, 0])
  })

  test('is a worker again if somebody switches it on again', () => {
    const world = new GateWorld()
    for (const power of ['on', 'off', 'on'] as const) worker(world, power)
    expect(counts(world)).toEqual([1, 1, 1])
    expect(world.fleet.hasFinished({ id: 'vm-1' })).toBe(false)
  })

  test('may be on its way if nobody saw it on, though its start is nobody’s work here: an earlier run may have asked for it', () => {
    const world = new GateWorld()
    worker(world, 'off')
    expect(counts(world)).toEqual([1, 1, 1])
    world.underWay.doomed.add('vm-1')
    expect(counts(world)).toEqual([0, 0, 0])
  })

  test('may be on its way though it was on while it stood ready', () => {
    const world = new GateWorld()
    const { id } = world.provision('provision-v2-a', 'debian12', { power: 'on' })
    world.provision('provision-v2-a', 'debian12', { id })
    worker(world, 'off', id)
    expect(counts(world)).toEqual([1, 1, 1])
  })

  test('counts as under way, and not here, while it is being started', () => {
    const world = new GateWorld()
    using _ = world.underWay.begin({ purpose: 'Job', jobId: '1', vmName: 'brave-curie', size, model: '' })
    worker(world, 'off')
    expect([counts(world), world.fleet.isStarted('brave-curie')]).toEqual([[0, 0, 0], false])
    worker(world, 'on')
    expect([counts(world), world.fleet.isStarted('brave-curie')]).toEqual([[1, 1, 1], true])
  })
})

describe('a VM can be claimed', () => {
  const cases = [
    { what: 'if it is off, whole and nobody’s', ready: true },
    { what: 'not while it is on', given: { power: 'on' as const }, ready: false },
    { what: 'not while it is suspended', given: { power: 'suspended' as const }, ready: false },
    { what: 'not if it belongs to another hatchery', note: { hatcheryName: 'other' }, ready: false },
    { what: 'not if it is a worker already', note: { provisioning: false }, ready: false },
    { what: 'not if it is made for another model', note: { vmwareModelPath: 'rocky9' }, ready: false },
    { what: 'not if it is to be removed', doomed: true, ready: false },
    { what: 'not if an earlier run did not finish it', unfinished: true, ready: false },
    { what: 'not while it is under way by id', underWay: { vmId: 'vm-1' }, ready: false },
    { what: 'not while it is under way by name', underWay: { vmName: 'provision-v2-a' }, ready: false },
  ]
  test.each(cases)('$what', ({ given = {}, note = {}, doomed = false, unfinished = false, underWay, ready }) => {
    const world = new GateWorld()
    world.provision('provision-v2-a', 'debian12', { id: 'vm-1', ...given }, note)
    if (doomed) world.underWay.doomed.add('vm-1')
    if (unfinished) world.underWay.unfinished.add('provision-v2-a')
    if (underWay) world.underWay.begin({ purpose: 'Job', jobId: '1', vmName: '', size: { cpus: 1, memoryMB: 1 }, model: '', ...underWay })
    expect(names([...world.fleet.ready(2, 'debian12')])).toEqual(ready ? ['provision-v2-a'] : [])
  })

  test('not if another VM has its address, or is to have it', () => {
    const world = new GateWorld()
    world.provision('provision-v2-a', 'debian12', {}, { ipAddress: '10.0.0.5' })
    world.provision('provision-v2-b', 'debian12', {}, { ipAddress: '10.0.0.6' })
    world.provision('provision-v2-c', 'debian12', {}, { ipAddress: '10.0.0.7' })
    world.vm({ name: 'somebody', addresses: ['10.0.0.5'] })
    world.vm({ name: 'worker', power: 'off', note: { hatcheryName: 'other', ipAddress: '10.0.0.6' } })
    expect(names([...world.fleet.ready(2, 'debian12')])).toEqual(['provision-v2-c'])
  })

  test('the oldest first', () => {
    const world = new GateWorld()
    world.provision('provision-v2-new', 'debian12', {}, { created: 3_000 })
    world.provision('provision-v2-old', 'debian12', {}, { created: 1_000 })
    world.provision('provision-v2-mid', 'debian12', {}, { created: 2_000 })
    expect(names([...world.fleet.ready(2, 'debian12')])).toEqual(['provision-v2-old', 'provision-v2-mid', 'provision-v2-new'])
  })
})

describe('what the hatchery takes', () => {
  const filled = (provisionPower: 'on' | 'off') => {
    const world = new GateWorld()
    world.vm({ name: 'brave-curie', cpus: 4, memoryMB: 8192, note: {} })
    world.provision('provision-v2-a', 'debian12', { cpus: 2, memoryMB: 4096, power: provisionPower })
    world.modelTemplate(aV1Model(), { cpus: 16, memoryMB: 32768 })
    world.vm({ name: 'theirs', cpus: 8, memoryMB: 16384, note: { hatcheryName: 'other' } })
    return world
  }

  test.each([
    { power: 'on' as const, takes: { cpus: 6, memoryMB: 12288 } },
    { power: 'off' as const, takes: { cpus: 4, memoryMB: 8192 } },
  ])('is what its own VMs have that are not off, templates aside ($power)', ({ power, takes }) => {
    expect(filled(power).fleet.allocated()).toEqual(takes)
  })

  test('with what is under way, until its VM is on and counts itself', () => {
    const world = filled('off')
    const size = { cpus: 8, memoryMB: 16384 }
    const clone = world.underWay.begin({ purpose: 'Job', jobId: '1', vmName: 'calm-bohr', size, model: '' })
    expect(world.fleet.allocated()).toEqual({ cpus: 12, memoryMB: 24576 })
    const vm = world.vm({ name: 'calm-bohr', power: 'off', ...size, note: {} })
    expect(world.fleet.allocated()).toEqual({ cpus: 12, memoryMB: 24576 })
    world.vm({ id: vm.id, name: 'calm-bohr', power: 'on', ...size, note: {} })
    expect(world.fleet.allocated()).toEqual({ cpus: 12, memoryMB: 24576 })
    clone[Symbol.dispose]()
    expect(world.fleet.allocated()).toEqual({ cpus: 12, memoryMB: 24576 })
  })

  test('a claimed VM counts with its new size before it is on', () => {
    const world = filled('off')
    const [provision] = world.fleet.ready(2, 'debian12')
    using _ = world.underWay.begin({
      purpose: 'Job',
      jobId: '1',
      vmName: '',
      vmId: provision?.vm.id,
      size: { cpus: 8, memoryMB: 16384 },
      model: '',
    })
    expect(world.fleet.allocated()).toEqual({ cpus: 12, memoryMB: 24576 })
    expect(world.fleet.coming()).toEqual({ cpus: 8, memoryMB: 16384 })
  })

  test('metrics tell own VMs, ready ones, templates and the whole platform apart', () => {
    const world = filled('off')
    world.vm({ name: 'database', cpus: 2, memoryMB: 4096, power: 'off' })
    expect(world.fleet.totals()).toEqual({
      own: { count: 2, cpus: 6, memoryMB: 12288 },
      provisions: { count: 1, cpus: 2, memoryMB: 4096 },
      templates: { count: 1, cpus: 16, memoryMB: 32768 },
      pool: { count: 5, cpus: 32, memoryMB: 65536 },
    })
  })
})

describe('an inventory that is not live', () => {
  test('makes every answer fail: what is not known is not none', () => {
    const world = new GateWorld()
    world.vm({ name: 'brave-curie', note: {} })
    world.inventory.lost('the session ended')
    const { fleet } = world
    const answers = [
      () => fleet.own(),
      () => fleet.workers(),
      () => fleet.provisions(2),
      () => fleet.ready(2, 'debian12'),
      () => fleet.holdersOfJob('1'),
      () => fleet.template('debian12'),
      () => fleet.modelTemplate('debian'),
      () => fleet.modelTemplates(),
      () => fleet.registrationsOf('g/m'),
      () => fleet.named('x'),
      () => fleet.ownNamed('x'),
      () => fleet.hasWorker('x'),
      () => fleet.startedCount(),
      () => fleet.unknownCount(),
      () => fleet.isStarted('x'),
      () => fleet.startedNames(),
      () => fleet.allocated(),
      () => fleet.coming(),
      () => fleet.totals(),
    ]
    for (const answer of answers) expect(answer).toThrow(expect.objectContaining({ code: InventoryNotLive.code }))
  })

  test('is counted anew when it comes back', () => {
    const world = new GateWorld()
    const kept = world.vm({ name: 'brave-curie', note: {} })
    world.vm({ name: 'calm-bohr', note: {} })
    expect(world.fleet.startedCount().all).toBe(2)
    world.inventory.lost('the session ended')
    world.inventory.replace([kept])
    expect(world.fleet.startedCount().all).toBe(1)
  })
})

test('a VM that is gone is no longer doomed', () => {
  const world = new GateWorld()
  const vm = world.vm({ name: 'brave-curie', note: {} })
  world.underWay.doomed.add(vm.id)
  world.inventory.drop(vm.id)
  expect(world.underWay.doomed.size).toBe(0)
})

test('two hatcheries share an inventory and see each their own', () => {
  const world = new GateWorld()
  const settings = plainSettings({ name: 'other' })
  const other = new Fleet({ settings, platform: { name: 'vCenter', inventory: world.inventory }, underWay: new UnderWay() })
  world.vm({ name: 'ours', note: {} })
  world.vm({ name: 'theirs', note: { hatcheryName: 'other' } })
  expect([names(world.fleet.own()), names(other.own())]).toEqual([['ours'], ['theirs']])
})

test('the sums are right whether the fleet is there before the inventory is live or after', () => {
  const world = new GateWorld()
  world.vm({ name: 'brave-curie', note: {} })
  const inventory = new IndexedInventory('vCenter', new VirtualClock())
  const make = () => new Fleet({ settings: plainSettings(), platform: { name: 'vCenter', inventory }, underWay: new UnderWay() })
  const before = make()
  inventory.replace(world.inventory.all())
  const after = make()
  expect([before.startedCount().all, after.startedCount().all]).toEqual([1, 1])
})

test('after any changes the kept sums are those that adding everything up gives', () => {
  const change = fc.record({
    id: fc.integer({ min: 1, max: 6 }),
    gone: fc.boolean(),
    name: fc.constantFrom('brave-curie', 'register-bohr', 'provision-v2-a', 'provision-v1-b'),
    power: fc.constantFrom('on', 'off', 'suspended'),
    template: fc.boolean(),
    cpus: fc.integer({ min: 1, max: 16 }),
    owner: fc.constantFrom('aviary', 'other', ''),
    model: fc.boolean(),
    provisioning: fc.boolean(),
  })
  fc.assert(
    fc.property(fc.array(change, { maxLength: 40 }), fc.boolean(), (changes, countForeignVms) => {
      const world = new GateWorld({ settings: { countForeignVms } })
      world.fleet.totals()
      for (const { id, gone, owner, model, provisioning, ...given } of changes) {
        if (gone) world.inventory.drop(`vm-${id}`)
        else world.vm({ id: `vm-${id}`, ...given, note: owner === '' ? '' : { hatcheryName: owner, model, provisioning } })
      }
      const { inventory } = world
      const anew = new Fleet({ settings: world.settings, platform: { name: 'vCenter', inventory }, underWay: new UnderWay() })
      expect(world.fleet.totals()).toEqual(anew.totals())
      expect(world.fleet.allocated()).toEqual(anew.allocated())
      world.fleet.know(new Set(['brave-curie', 'nobody']))
      world.vm({ id: 'vm-7', name: 'brave-curie', note: {} })
      const workers = Array.from(inventory.all()).filter(vm => !vm.template && !vm.name.startsWith('provision-'))
      for (const fleet of [world.fleet, anew]) {
        const isOwn = (vm: Vm) => readWorkerNote(vm)?.hatcheryName === 'aviary' && readWorkerNote(vm)?.model === false
        const started = workers.filter(vm => (isOwn(vm) ? vm.power !== 'off' || !fleet.hasFinished(vm) : countForeignVms))
        expect(fleet.startedCount()).toEqual({
          all: started.length,
          registering: started.filter(({ name }) => name === 'register-bohr').length,
        })
        expect(new Set(fleet.startedNames())).toEqual(new Set(started.map(({ name }) => name)))
        fleet.know(new Set(['brave-curie', 'nobody']))
        expect(fleet.unknownCount().all).toBe(started.filter(({ name }) => name !== 'brave-curie').length)
      }
      expect(world.fleet.totals().own.cpus).toBe(world.fleet.own().reduce((sum, { vm }) => sum + vm.cpus, 0))
    }),
  )
})
