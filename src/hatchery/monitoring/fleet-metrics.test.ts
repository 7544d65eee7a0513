import { expect, test } from 'vitest'
import { AddressLease } from '../../kinds/index.ts'
import { AddressAuthority, addressNetwork, flavors } from '../../platform/index.ts'
import { prometheusMetrics, seededChance, silentLog, VirtualClock } from '../../ports/index.ts'
import { simulatedPlatform, SimulatedWorld } from '../../simulation/index.ts'
import { memoryStore } from '../../store/index.ts'
import { GateWorld, type GateWorldOptions } from '../testing/gate-world.ts'
import { metricCatalogue } from './metric-catalogue.ts'
import { FleetMetrics } from './fleet-metrics.ts'

const never = new AbortController().signal
const five = ['10.0.0.1/32', '10.0.0.2/32', '10.0.0.3/32', '10.0.0.4/32', '10.0.0.5/32'].join(',')

/** A world whose metrics are told, and what they say. */
function measured(options: GateWorldOptions = {}) {
  const networks = [addressNetwork({ name: 'guests', ranges: five })]
  const world = new GateWorld({ ...options, settings: { networks, ...options.settings } })
  const metrics = prometheusMetrics()
  const counts = { network: 'guests', total: 5, used: 0, active: 0, reserved: 0, quarantined: 0, free: 5 }
  const state = { counts: [counts], disks: new Map<string, number | undefined>(), asked: [] as string[], hangs: false }
  const told = new FleetMetrics({
    settings: world.settings,
    fleet: world.fleet,
    pool: world.pool,
    underWay: world.underWay,
    clock: world.clock,
    log: world.log,
    metrics,
    addresses: { counts: () => state.counts },
    platform: {
      inventory: world.inventory,
      capacity: async () => {
        if (world.capacity === undefined) throw new Error('no permission')
        return world.capacity
      },
      diskGB: async (id, signal) => {
        state.asked.push(id)
        if (state.hangs) await world.clock.sleep(60_000, signal)
        return state.disks.get(id)
      },
    },
  })
  const values = async () => {
    const lines = (await metrics.text()).split('\n').filter(line => line !== '' && !line.startsWith('#'))
    return new Map(lines.map(line => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ') + 1))] as const))
  }
  /** Values by bare name, of series without a worker. */
  const plain = async () =>
    new Map(
      Array.from(
        await values(),
        ([series, value]) => [series.replace(/\{.*$/, '').replace(/^cds_hatchery_(vsphere_)?/, ''), value] as const,
      ),
    )
  return { world, metrics, told, state, values, plain }
}

function recorded(world: GateWorld): void {
  world.vm({
    name: 'worker-1',
    cpus: 4,
    memoryMB: 8192,
    addresses: ['10.0.0.1'],
    note: { workerName: 'worker-1', vmwareModelPath: 'debian12', ipAddress: '10.0.0.1', jobId: 'j' },
  })
  world.provision('provision-v2-x', 'debian12', { cpus: 2, memoryMB: 4096 }, { ipAddress: '10.0.0.2' })
  world.vm({
    name: 'deb',
    template: true,
    power: 'off',
    cpus: 2,
    memoryMB: 4096,
    note: { model: true, workerModelPath: 'shared.infra/deb' },
  })
  world.vm({ name: 'other', cpus: 8, memoryMB: 16_384, note: { hatcheryName: 'another' } })
  world.vm({ name: 'database', cpus: 16, memoryMB: 32_768 })
}

test('the numbers of a recorded fleet are the original’s', async () => {
  const { world, told, state, plain } = measured()
  recorded(world)
  Object.assign(state.counts[0]!, { used: 2, active: 1, free: 3 })
  await told.update(never)
  const values = await plain()
  expect(Object.fromEntries(values)).toMatchObject({
    pool_total_vcpus: 32,
    pool_total_memory_mb: 65_536,
    pool_total_vm_count: 5,
    allocated_vcpus: 6,
    allocated_memory_mb: 12_288,
    vm_count: 2,
    worker_vm_count: 1,
    provisioned_vm_count: 1,
    provision_ready_count: 1,
    provision_starting_count: 0,
    provision_dying_count: 0,
    provision_inflight_count: 0,
    template_vcpus: 2,
    template_memory_mb: 4096,
    template_count: 1,
    ip_total_count: 5,
    ip_used_count: 2,
    ip_reserved_count: 2,
    ip_active_count: 1,
  })
})

test('every series says of which hatchery it is, and only those of single VMs say more', async () => {
  const { world, told, values } = measured()
  recorded(world)
  await world.pool.refresh(never)
  await told.update(never)
  const own = '{service_name="aviary",service_type="hatchery"}'
  const others = Array.from((await values()).keys()).filter(series => !series.endsWith(own))
  expect(others.filter(series => !/^cds_hatchery_vsphere_worker_(vcpus|memory_mb|disk_gb)\{/.test(series))).toEqual([])
  expect(others).toHaveLength(4)
})

test('each VM of the hatchery but templates has its series, with the template’s name where there is no model', async () => {
  const { world, told, values } = measured()
  recorded(world)
  world.vm({ name: 'worker-v1', cpus: 1, memoryMB: 512, note: { workerModelPath: 'shared.infra/deb' } })
  await told.update(never)
  const series = Array.from(await values()).filter(([name]) => name.startsWith('cds_hatchery_vsphere_worker_vcpus'))
  const labels = (worker: string, model: string) =>
    `cds_hatchery_vsphere_worker_vcpus{service_name="aviary",service_type="hatchery",worker_name="${worker}",worker_model="${model}"}`
  expect(series).toEqual([
    [labels('worker-1', 'debian12'), 4],
    [labels('provision-v2-x', 'debian12'), 2],
    [labels('worker-v1', 'shared.infra/deb'), 1],
  ])
})

test('a worker that is gone is no longer shown, and no scrape finds a gap while the others are told anew', async () => {
  const { world, told, metrics, values } = measured()
  recorded(world)
  const gone = world.vm({ name: 'worker-2', note: { workerName: 'worker-2' } })
  await told.update(never)
  const scrapes: Promise<string>[] = []
  const update = told.update(never)
  for (let count = 0; count < 20; count++) {
    scrapes.push(metrics.text())
    await Promise.resolve()
  }
  await update
  for (const text of await Promise.all(scrapes)) expect(text).toContain('worker_name="worker-1"')
  expect(Array.from((await values()).keys()).join()).toContain('worker-2')
  world.inventory.drop(gone.id)
  await told.update(never)
  expect(Array.from((await values()).keys()).join()).not.toContain('worker-2')
})

test('a resource pool that cannot be read takes away its own six and no other, and is told once', async () => {
  const { world, told, plain } = measured()
  recorded(world)
  world.capacity = { cpuMHz: { limit: 10_000, unreserved: 4000, used: 1000 }, memoryMB: { limit: 2048, unreserved: 1024, used: 512 } }
  await told.update(never)
  const six = (values: Map<string, number>) => Array.from(values).filter(([name]) => name.startsWith('resource_pool'))
  expect(six(await plain())).toEqual([
    ['resource_pool_cpu_max_mhz', 10_000],
    ['resource_pool_cpu_usage_mhz', 1000],
    ['resource_pool_cpu_unreserved_mhz', 4000],
    ['resource_pool_memory_max_bytes', 2 ** 31],
    ['resource_pool_memory_usage_bytes', 2 ** 29],
    ['resource_pool_memory_unreserved_bytes', 2 ** 30],
  ])
  world.capacity = undefined
  await told.update(never)
  await told.update(never)
  const values = await plain()
  expect(six(values)).toEqual([])
  expect(values.get('vm_count')).toBe(2)
  expect(world.log.lines.filter(({ level }) => level === 'warn')).toHaveLength(1)
})

test('while the inventory is not known nothing is said of it, neither 0 nor what it last was', async () => {
  const { world, told, plain } = measured()
  recorded(world)
  await told.update(never)
  expect((await plain()).get('vm_count')).toBe(2)
  world.inventory.lost('the vCenter does not answer')
  await told.update(never)
  const values = Array.from((await plain()).keys()).filter(name => !name.startsWith('resource_pool'))
  expect(values).toEqual([])
})

test('the specification’s alerts on addresses fire when the allocator has few left and when it has none', async () => {
  const clock = new VirtualClock()
  const chance = seededChance(1)
  const platform = simulatedPlatform({ world: new SimulatedWorld({ clock, chance }), chance })
  const store = memoryStore({ kinds: [AddressLease], clock, chance })
  const lan = { name: 'lan', ranges: '10.0.0.0/28', subnetMask: '255.255.255.240', gateway: '10.0.0.1', dns: ['10.0.0.2', '10.0.0.3'] }
  const authority = new AddressAuthority({ store, platform, networks: [addressNetwork(lan)], clock, chance, log: silentLog })
  authority.start()
  await clock.advance(10_000)
  const { told, state, plain } = measured()
  const alerts = async () => {
    state.counts = [...authority.counts()]
    await told.update(never)
    const values = await plain()
    const [used = Number.NaN, total = Number.NaN] = [values.get('ip_used_count'), values.get('ip_total_count')]
    return { total, low: used / total > 0.9, gone: total - used <= 0 }
  }
  const seen: unknown[] = []
  while (authority.hasFree()) {
    await authority.hold(`worker-${seen.length}`, never)
    seen.push(await alerts())
  }
  const before = Array.from({ length: 9 }, () => ({ total: 11, low: false, gone: false }))
  expect(seen).toEqual([...before, { total: 11, low: true, gone: false }, { total: 11, low: true, gone: true }])
  await authority.stop()
})

test('without a range there are no gauges of addresses', async () => {
  const { told, plain } = measured({ settings: { networks: [] } })
  await told.update(never)
  expect(Array.from((await plain()).keys()).filter(name => name.startsWith('ip_'))).toEqual([])
})

test('VMs that stand ready are counted by what they are', async () => {
  const { world, told, plain } = measured()
  const doomed = world.provision('provision-v2-doomed')
  world.underWay.doomed.add(doomed.id)
  world.provision('provision-v2-on', 'debian12', { power: 'on' })
  world.provision('provision-v1-ready', '', {}, { workerModelPath: 'g/m' })
  const beginning = { purpose: 'Provision', jobId: '', size: { cpus: 1, memoryMB: 1 }, model: '2 debian12' } as const
  using _coming = world.underWay.begin({ ...beginning, vmName: 'provision-v2-coming' })
  using _seen = world.underWay.begin({ ...beginning, vmName: 'provision-v2-on' })
  await told.update(never)
  expect(Object.fromEntries(await plain())).toMatchObject({
    provisioned_vm_count: 3,
    provision_ready_count: 1,
    provision_starting_count: 1,
    provision_dying_count: 1,
    provision_inflight_count: 1,
  })
})

test('how many VMs are to stand ready is told as configured, whether there are any or not', async () => {
  const entry = { version: 2, model: 'debian12', flavor: undefined } as const
  const { told, plain } = measured({
    settings: {
      provisioning: [
        { ...entry, number: 3 },
        { ...entry, model: 'rocky9', number: 2 },
      ],
    },
  })
  await told.update(never)
  expect(Object.fromEntries(await plain())).toMatchObject({ provision_wanted_count: 5, provisioned_vm_count: 0, provision_ready_count: 0 })
})

test('everything that is to be removed is counted, with the age of the oldest; what is gone is not', async () => {
  const { world, told, plain } = measured()
  const dying = async () => {
    await told.update(never)
    const values = await plain()
    return [values.get('dying_vm_count'), values.get('dying_oldest_seconds')]
  }
  expect(await dying()).toEqual([0, 0])
  const worker = world.vm({ name: 'worker-1', note: { workerName: 'worker-1' } })
  world.underWay.doomed.add(worker.id)
  expect(await dying()).toEqual([1, 0])
  await world.clock.advance(60_000)
  const template = world.vm({ name: 'deb-replaced-1', template: true, note: { model: true } })
  world.underWay.doomed.add(template.id)
  expect(await dying()).toEqual([2, 60])
  await world.clock.advance(30_000)
  world.inventory.drop(worker.id)
  expect(await dying()).toEqual([1, 30])
})

test('workers are counted by what CDS says of them; unless CDS says nothing', async () => {
  const { world, told, plain } = measured()
  recorded(world)
  await told.update(never)
  expect((await plain()).has('pending_workers')).toBe(false)
  await world.pool.refresh(never)
  await told.update(never)
  expect(Object.fromEntries(await plain())).toMatchObject({ pending_workers: 1, building_workers: 0, disabled_workers: 0 })
})

test('disks are as large as the template’s or as the flavor wants; each template is asked once', async () => {
  const settings = { flavors: flavors([{ name: 'big', cpus: 1, memoryMB: 1, diskSizeGB: 50 }]) }
  const { world, told, state, plain, values } = measured({ settings })
  const template = world.vm({ name: 'debian12', template: true, power: 'off' })
  state.disks.set(template.id, 20)
  world.vm({ name: 'w1', note: { vmwareModelPath: 'debian12' } })
  world.vm({ name: 'w2', note: { vmwareModelPath: 'debian12', flavor: 'BIG' } })
  await told.update(never)
  await told.update(never)
  expect((await plain()).get('allocated_disk_gb')).toBe(70)
  expect(Array.from(await values()).filter(([name]) => name.includes('worker_disk_gb'))).toHaveLength(2)
  expect(state.asked).toEqual([template.id])
  world.vm({ name: 'w3', note: { vmwareModelPath: 'gone' } })
  await told.update(never)
  expect((await plain()).has('allocated_disk_gb')).toBe(false)
})

test('a platform that does not answer for disks keeps no other metric back', async () => {
  const { world, told, state, plain } = measured()
  recorded(world)
  world.vm({ name: 'debian12', template: true, power: 'off' })
  state.hangs = true
  const update = told.update(never)
  await world.clock.advance(9_000)
  expect((await plain()).get('vm_count')).toBe(2)
  await world.clock.advance(2_000)
  await update
})

test('every metric of the catalogue has a name that Prometheus accepts, once', () => {
  const names = metricCatalogue().map(({ name }) => name)
  expect(names.filter(name => !/^[a-z][a-z0-9_]*$/.test(name))).toEqual([])
  expect(new Set(names).size).toBe(names.length)
})
