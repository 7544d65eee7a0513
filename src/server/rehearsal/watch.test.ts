import { describe, expect, test } from 'vitest'
import { Company } from './company.ts'
import { Explained } from './explained.ts'
import { drawScene, isCalm, type Scene } from './scene.ts'
import { unsettled } from './settled.ts'
import { Stage } from './stage.ts'
import { strike } from './strike.ts'
import { Watch } from './watch.ts'

/** A calm scene with one hatchery `hv1` that has addresses from a range. */
function calmScene(): Scene {
  const { hatcheries } = drawScene(1)
  const hatchery = {
    ...hatcheries[0]!,
    name: 'hv1',
    maxWorker: 1,
    maxConcurrentProvisioning: 1,
    maxCpus: 4,
    maxMemoryMB: 8192,
    workerProvisioning: [],
  }
  const found = Array.from({ length: 100 }, (_, index) => drawScene(index + 1)).find(isCalm)
  return {
    ...found!,
    addresses: 'ranges',
    model: 'stands ready',
    hatcheries: [hatchery],
    sharedStore: false,
    sharedRange: false,
    jobs: [],
    troubles: [],
    isPatient: true,
  }
}

function watched(more: Partial<Scene> = {}) {
  const stage = new Stage({ ...calmScene(), ...more })
  return { stage, watch: new Watch(stage) }
}

const note = (more: object = {}) => JSON.stringify({ hatchery_name: 'hv1', ...more })

describe('the watch notices', () => {
  test('an address on two VMs', () => {
    const { stage, watch } = watched()
    stage.vcenter.addVm({ name: 'one', addresses: ['10.0.1.9'] })
    stage.vcenter.addVm({ name: 'other', addresses: ['10.0.1.9'] })
    expect(watch.wrongs).toEqual(['"other" and "one" both have the address 10.0.1.9'])
  })

  test('an address that two VMs are to have', () => {
    const { stage, watch } = watched()
    stage.vcenter.addVm({ name: 'provision-v2-a', annotation: note({ provisioning: true, ip_address: '10.0.1.9' }) })
    stage.vcenter.addVm({ name: 'provision-v2-b', annotation: note({ provisioning: true, ip_address: '10.0.1.9' }) })
    expect(watch.wrongs).toEqual(['"provision-v2-b" and "provision-v2-a" are both to have the address 10.0.1.9'])
  })

  test('that hatcheries which do not know of each other both switch on a VM with one address', () => {
    const hatcheries = ['hv1', 'hv2'].map(name => ({ ...calmScene().hatcheries[0]!, name, maxWorker: 0, maxConcurrentProvisioning: 5 }))
    const { stage, watch } = watched({ hatcheries, sharedRange: true })
    const vms = ['hv1', 'hv2'].map(name =>
      stage.vcenter.addVm({ name, annotation: note({ hatchery_name: name, worker_name: name, ip_address: '10.0.1.9' }) }),
    )
    expect(watch.wrongs).toEqual([])
    for (const { id } of vms) stage.vcenter.switchPower(id, 'on')
    expect(watch.wrongs).toEqual(['"hv2" and "hv1" are both to have the address 10.0.1.9'])
  })

  test('what goes beyond the limits after a store was lost, but for VMs that were being made at that moment', () => {
    const { stage, watch } = watched()
    const start = (name: string) => {
      const { id } = stage.vcenter.addVm({ name, annotation: note({ worker_name: name }) })
      stage.vcenter.switchPower(id, 'on')
    }
    stage.vcenter.begin('clone', 'ada', 'key', [10_000, 10_000], () => {})
    watch.storeLost(['hv1'])
    for (const name of ['ada', 'bob']) start(name)
    expect(watch.wrongs).toEqual([])
    start('eve')
    expect(watch.wrongs).toContain('hv1 has 2 workers, and maxWorker is 1')
  })

  test('a foreign VM that changes, and whoever is about to change it', () => {
    const { stage, watch } = watched()
    const database = stage.vcenter.byName('database')!
    watch.called({ hatchery: 'hv1', operation: 'powerOff', target: database.id })
    stage.vcenter.removeVm(database.id)
    expect(watch.wrongs).toEqual([`hv1 calls powerOff on "database", which belongs to nobody`, `the foreign VM ${database.id} was changed`])
  })

  test('that VMs take more than the limits allow while they are made ready', () => {
    const { stage, watch } = watched()
    for (const name of ['provision-v2-a', 'provision-v2-b']) {
      const { id } = stage.vcenter.addVm({ name, annotation: note({ provisioning: true }), cpus: 4, memoryMB: 8192 })
      stage.vcenter.switchPower(id, 'on')
    }
    expect(watch.wrongs).toEqual(['the VMs of hv1 have 8 CPUs, and maxCpus is 4', 'the VMs of hv1 have 16384 MB, and maxMemoryMB is 8192'])
  })

  test('the limits of what a hatchery starts, not of what a person switches on', () => {
    const { stage, watch } = watched()
    const company = new Company(stage, watch)
    const add = (name: string) =>
      stage.vcenter.addVm({ name, annotation: note({ worker_name: name, provisioning: true }), cpus: 4, memoryMB: 4096 })
    const [one, other] = [add('provision-v2-a'), add('provision-v2-b')]
    stage.vcenter.switchPower(one.id, 'on')
    stage.vcenter.switchPower(one.id, 'off')
    stage.vcenter.switchPower(other.id, 'on')
    strike(stage, company, { what: 'provision is switched on', at: 0, lasts: 0, hatchery: 'hv1', number: 0, pools: [] })
    expect([stage.vcenter.find(one.id)?.vm.power, stage.vcenter.find(other.id)?.vm.power]).toEqual(['on', 'on'])
    expect(watch.wrongs).toEqual([])
    stage.vcenter.switchPower(one.id, 'off')
    stage.vcenter.switchPower(one.id, 'on')
    expect(watch.wrongs).toEqual(['the VMs of hv1 have 8 CPUs, and maxCpus is 4'])
  })

  test('more workers, CPUs and starts than the limits allow', () => {
    const { stage, watch } = watched()
    for (const name of ['ada', 'bob']) {
      const { id } = stage.vcenter.addVm({ name, annotation: note({ worker_name: name }), cpus: 4 })
      stage.vcenter.switchPower(id, 'on')
    }
    expect(watch.wrongs).toEqual([
      'hv1 has 2 workers, and maxWorker is 1',
      'the VMs of hv1 have 8 CPUs, and maxCpus is 4',
      '2 workers of hv1 are starting, and maxConcurrentProvisioning is 1',
    ])
  })

  test('a job that waits and of which a healthy hatchery says nothing', async () => {
    const { stage, watch } = watched()
    const company = new Company(stage, watch)
    stage.addJob({ at: 0, version: 2, project: 'P', model: 'debian12', flavor: '', announced: true, stoppedAfter: undefined })
    const explained = new Explained(stage, watch)
    const deaf = {
      name: 'hv1',
      hatchery: { health: new Map([['loop', true]]), why: () => undefined },
    } as unknown as (typeof company.programs)[number]
    for (let look = 0; look < 5; look++) explained.look([deaf])
    expect(watch.wrongs).toEqual([`hv1 does not know that job ${stage.jobs[0]?.id} waits`])
  })
})

test('nothing is settled while a job, a booking, a VM or a lease is left', async () => {
  const { stage, watch } = watched()
  const company = new Company(stage, watch)
  await company.startAll()
  await stage.clock.advance(60_000)
  expect(await unsettled(stage, company.programs, company.pools)).toEqual([])
  stage.addJob({ at: 0, version: 2, project: 'P', model: 'debian12', flavor: '', announced: true, stoppedAfter: undefined })
  await stage.clock.advance(5_000)
  const left = await unsettled(stage, company.programs, company.pools)
  const id = stage.jobs[0]?.id
  expect(left).toContain(`job ${id} is Scheduling`)
  expect(left).toContain(`job ${id} is still taken`)
  await stage.clock.advance(20_000)
  expect((await unsettled(stage, company.programs, company.pools)).some(line => line.startsWith('hv1 has left the VM "'))).toBe(true)
  let last: readonly string[] = []
  for (let seconds = 0; seconds < 240; seconds += 5) {
    await stage.clock.advance(5_000)
    const now = await unsettled(stage, company.programs, company.pools)
    if (now.length > 0) last = now
  }
  // The address comes free only after its VM is gone.
  expect(last).toEqual([expect.stringMatching(/^the address 10\.0\.1\.\d+ is leased to /)])
  await stage.clock.advance(11 * 60_000)
  expect(await unsettled(stage, company.programs, company.pools)).toEqual([])
  expect(watch.wrongs).toEqual([])
  expect(await company.stopAll(60_000)).toBe(true)
})
