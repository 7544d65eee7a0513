import { describe, expect, test } from 'vitest'
import { FlakyStore } from '../../control/testing/flaky-store.ts'
import { addressNetwork } from '../../platform/index.ts'
import { StoreError } from '../../store/index.ts'
import { readWorkerNote } from '../fleet/worker-note.ts'
import { Bench, type Run } from '../testing/keeping-bench.ts'
import { plainSettings } from '../testing/plain-settings.ts'
import { Provisioner } from './provisioner.ts'
import { entry, started, withV1Template } from './testing/started-provisioner.ts'

/** A job takes a VM that stands ready, as the spawner does. */
async function claim(bench: Bench, { fleet, underWay, platform }: Run, provisioner: Provisioner, worker: string, model = 'debian12') {
  const [ready] = fleet.ready(2, model)
  if (ready === undefined) throw new Error('none stands ready')
  const { vm } = ready
  const size = { cpus: vm.cpus, memoryMB: vm.memoryMB }
  const undertaking = underWay.begin({ purpose: 'Job', jobId: worker, vmName: worker, vmId: vm.id, size, model: '' })
  const annotation = vm.annotation.replace('"provisioning":true,', '').replace(vm.name, worker)
  const request = { id: vm.id, expectedName: vm.name, name: worker, annotation }
  const claimed = platform.claim(request, new AbortController().signal).finally(() => {
    undertaking[Symbol.dispose]()
    provisioner.request()
  })
  await bench.clock.advance(5_000)
  await claimed
}

describe('a pool', () => {
  test('is filled at the start, without waiting for an interval, with VMs that are off', async () => {
    const { bench, provisioner } = await started({ settings: { provisioning: [entry('debian12', 3)] } })
    await bench.pass(2)
    const vms = bench.provisions('debian12')
    expect(vms.map(vm => vm.power)).toEqual(['off', 'off', 'off'])
    expect(vms.every(vm => /^provision-v2-\w+$/.test(vm.name))).toBe(true)
    expect(await bench.spawns()).toEqual([])
    expect(provisioner.pools()).toMatchObject([{ model: 'debian12', wanted: 3, ready: 3, starting: 0, inFlight: 0, waits: undefined }])
    await provisioner.stop()
  })

  test('has VMs that were on once, so that their guests are set up', async () => {
    const { bench, provisioner } = await started({ settings: { provisioning: [entry('debian12', 1)] } })
    await bench.pass(2)
    const events = bench.world.events(bench.provisions()[0]!.id).map(({ type }) => type)
    expect(events).toEqual(['created', 'started', 'poweredOff'])
    await provisioner.stop()
  })

  test('has notes that the original could read, with the address of each', async () => {
    const { bench, provisioner } = await started({ settings: { provisioning: [entry('debian12', 1)] } })
    await bench.pass(2)
    const [vm] = bench.provisions()
    expect(JSON.parse(vm!.annotation)).toEqual({
      hatchery_name: 'aviary',
      worker_name: vm!.name,
      provisioning: true,
      vmware_model_path: 'debian12',
      created: expect.stringMatching(/^2026-01-01T00:0[01]:/),
      worker_start_time: '0001-01-01T00:00:00Z',
      ip_address: '10.0.0.2',
    })
    await provisioner.stop()
  })

  test('has VMs that say when they were made only when their guest was set up, before they are switched off', async () => {
    const { bench, run, provisioner } = await started({ settings: { provisioning: [entry('debian12', 1)] } })
    const seen: string[] = []
    run.platform.inventory.onChange(({ now }) => {
      if (now === undefined || now.template) return
      const state = `${now.power}, ${readWorkerNote(now)?.created === undefined ? 'not yet made' : 'made'}`
      if (state !== seen.at(-1)) seen.push(state)
    })
    await bench.pass(2)
    expect(seen).toEqual(['off, not yet made', 'on, not yet made', 'on, made', 'off, made'])
    await provisioner.stop()
  })

  test('works with DHCP too', async () => {
    const { bench, provisioner } = await started({ settings: { networks: [], provisioning: [entry('debian12', 2)] } })
    await bench.pass(2)
    expect(provisioner.pools()).toMatchObject([{ ready: 2 }])
    expect(bench.provisions().map(vm => readWorkerNote(vm)?.ipAddress)).toEqual(['', ''])
    await provisioner.stop()
  })

  test('does nothing if the count is met', async () => {
    const { bench, provisioner } = await started({ settings: { provisioning: [entry('debian12', 1)] } }, outside =>
      outside.addVm('provision-v2-there', { provisioning: true, vmwareModelPath: 'debian12' }),
    )
    await bench.pass(10)
    expect(bench.provisions().map(vm => vm.name)).toEqual(['provision-v2-there'])
    expect(bench.world.tasks()).toEqual([])
    await provisioner.stop()
  })

  test('is filled whatever the limits on workers say: they are of other things', async () => {
    const { provision } = plainSettings()
    const limits = { ...provision, maxWorker: 1, maxConcurrentProvisioning: 1 }
    const settings = { provision: limits, provisioning: [entry('debian12', 3)], provisioningPoolSize: 3 }
    const { bench, provisioner } = await started({ settings }, outside => void outside.addVm('brave-heron', {}, { power: 'on' }))
    await bench.clock.advance(10_000)
    expect(provisioner.pools().reduce((sum, { starting, inFlight }) => sum + starting + inFlight, 0)).toBe(3)
    await bench.pass(2)
    expect(provisioner.pools()).toMatchObject([{ ready: 3 }])
    await provisioner.stop()
  })

  test('does not count VMs of another hatchery, and does not touch them', async () => {
    const { bench, provisioner } = await started({ settings: { provisioning: [entry('debian12', 1)] } }, outside => {
      outside.addVm('provision-v2-other', { hatcheryName: 'another', provisioning: true, vmwareModelPath: 'debian12' })
      outside.addVm('provision-v2-odd', { hatcheryName: 'another', provisioning: true, vmwareModelPath: 'unknown' })
    })
    await bench.pass(3)
    expect(bench.provisions()).toHaveLength(3)
    expect(bench.world.byName('provision-v2-odd')).toBeDefined()
    await provisioner.stop()
  })

  test('with a flavor gets VMs of that flavor, and says so in their notes', async () => {
    const provisioning = [entry('debian12', 1, { flavor: 'Large' }), entry('debian12', 1)]
    const { bench, provisioner } = await started({ settings: { provisioning } })
    await bench.pass(2)
    const sizes = bench.provisions().map(vm => `${readWorkerNote(vm)?.flavor} ${vm.cpus} ${vm.memoryMB}`)
    expect(sizes.toSorted()).toEqual([' 2 4096', 'Large 8 16384'])
    await provisioner.stop()
  })

  test('that is claimed from is refilled at once, not at the next interval', async () => {
    const { bench, run, provisioner } = await started({
      settings: { provisioning: [entry('debian12', 2)], provisioningInterval: 3_600_000 },
    })
    await bench.pass(2)
    await claim(bench, run, provisioner, 'brave-heron')
    expect(provisioner.pools()).toMatchObject([{ ready: 1, inFlight: 1 }])
    await bench.pass(2)
    expect(provisioner.pools()).toMatchObject([{ ready: 2 }])
    await provisioner.stop()
  })

  test('of which somebody removed a VM is refilled at once', async () => {
    const { bench, provisioner } = await started({ settings: { provisioning: [entry('debian12', 2)], provisioningInterval: 3_600_000 } })
    await bench.pass(2)
    bench.world.removeVm(bench.provisions()[0]!.id)
    await bench.pass(2)
    expect(provisioner.pools()).toMatchObject([{ ready: 2 }])
    await provisioner.stop()
  })

  test('counts VMs that are about to be removed until they are gone', async () => {
    const { bench, run, provisioner } = await started({ settings: { provisioning: [entry('debian12', 2)] } })
    await bench.pass(2)
    const doomed = bench.provisions()[0]!
    run.underWay.doomed.add(doomed.id)
    provisioner.request()
    await bench.pass(5)
    expect(provisioner.pools()).toMatchObject([{ ready: 1, doomed: 1, inFlight: 0, starting: 0 }])
    bench.world.removeVm(doomed.id)
    await bench.pass(2)
    expect(provisioner.pools()).toMatchObject([{ ready: 2, doomed: 0 }])
    await provisioner.stop()
  })
})

describe('the order', () => {
  const three = [entry('debian12', 3), entry('debian13', 1), entry('rocky9', 2)]

  test.each([0, 1, 2])('is each model in its turn, as the configuration lists them, %d at a time', async provisioningPoolSize => {
    const { bench, provisioner, begun } = await started({ settings: { provisioning: three, provisioningPoolSize } })
    await bench.pass(15)
    expect(begun).toEqual(['2 debian12', '2 debian13', '2 rocky9', '2 debian12', '2 rocky9', '2 debian12'])
    await provisioner.stop()
  })

  test('never has more at a time than the pool size, and begins the next as soon as one is done', async () => {
    const { bench, provisioner } = await started({
      settings: { provisioning: three, provisioningPoolSize: 2, provisioningInterval: 3_600_000 },
    })
    let most = 0
    for (let second = 0; second < 600; second++) {
      await bench.clock.advance(1_000)
      const going = provisioner.pools().reduce((sum, { starting, inFlight }) => sum + starting + inFlight, 0)
      most = Math.max(most, going)
    }
    expect(most).toBe(2)
    expect(provisioner.pools().map(({ ready }) => ready)).toEqual([3, 1, 2])
    await provisioner.stop()
  })

  test('is V2 models before V1 models', async () => {
    const provisioning = [entry('shared.infra/debian', 1, { version: 1 }), entry('debian12', 2)]
    const { bench, provisioner, begun } = await started({ settings: { provisioning, provisioningPoolSize: 1 } }, withV1Template)
    await bench.pass(10)
    expect(begun).toEqual(['2 debian12', '2 debian12', '1 shared.infra/debian'])
    await provisioner.stop()
  })
})

describe('a VM that must run once before it stands ready', () => {
  test.each([
    { limit: { maxCpus: 5 }, text: '2 vCPUs are wanted, 4 of 5 are in use' },
    { limit: { maxMemoryMB: 10_000 }, text: '4096 MB of memory are wanted, 8192 of 10000 are in use' },
  ])('is not begun beyond the limits of the configuration: $text', async ({ limit, text }) => {
    const settings = { provisioning: [entry('debian12', 3)], provisioningPoolSize: 0, ...limit }
    const { bench, provisioner } = await started({ settings }, outside => {
      outside.addVm('brave-heron', { vmwareModelPath: 'debian12' }, { power: 'on', cpus: 2, memoryMB: 4096 })
    })
    await bench.clock.advance(5_000)
    expect(provisioner.pools()).toMatchObject([{ inFlight: 1, waits: { reason: 'LimitReached', message: expect.stringContaining(text) } }])
    let most = 0
    for (let second = 0; second < 600; second++) {
      await bench.clock.advance(1_000)
      most = Math.max(most, bench.world.vms().filter(({ power, template }) => power === 'on' && !template).length)
    }
    expect(most).toBe(2)
    expect(provisioner.pools()).toMatchObject([{ ready: 3, waits: undefined }])
    await provisioner.stop()
  })
})

describe('a store that does not answer', () => {
  /** Lets no call of that sort through until it is told otherwise. */
  const withoutStore = (call: 'delete' | 'create') => {
    let isAway = true
    const prepare = (bench: Bench) => {
      const store = new FlakyStore(bench.store)
      store.before = (operation, kind) => {
        if (isAway && operation === call && kind.name === 'Spawn') throw new StoreError('ServiceUnavailable', 'the disk is full')
      }
      bench.store = store
    }
    return { prepare, comesBack: () => void (isAway = false) }
  }

  test('at the last step throws no VM away that stands ready; its record goes later', async () => {
    const { prepare, comesBack } = withoutStore('delete')
    const { bench, run, provisioner } = await started({ settings: { provisioning: [entry('debian12', 1)] } }, prepare)
    await bench.pass(3)
    const [vm] = bench.provisions()
    expect([...run.fleet.ready(2, 'debian12')].map(each => each.vm.id)).toEqual([vm?.id])
    comesBack()
    await bench.pass(3)
    expect([bench.provisions().map(({ id }) => id), await bench.spawns()]).toEqual([[vm?.id], []])
    await provisioner.stop()
  })

  test('is paused for, and held against no template', async () => {
    const { prepare, comesBack } = withoutStore('create')
    const settings = { provisioning: [entry('debian12', 1), entry('rocky9', 1)], provisioningPoolSize: 1 }
    const { bench, provisioner, begun } = await started({ settings }, prepare)
    await bench.pass(1)
    expect(provisioner.pools()).toMatchObject([{ waits: { reason: 'Failed' } }, { waits: { reason: 'Failed' } }])
    expect(begun.length).toBeLessThan(10)
    begun.length = 0
    comesBack()
    await bench.pass(3)
    expect(begun.slice(0, 2).toSorted()).toEqual(['2 debian12', '2 rocky9'])
    expect(provisioner.pools()).toMatchObject([{ ready: 1 }, { ready: 1 }])
    await provisioner.stop()
  })
})

describe('a template whose guests never come up', () => {
  test.each(['no tools', 'no address'] as const)('keeps no other from the only place (%s)', async sick => {
    const settings = { provisioning: [entry('sick', 1), entry('debian12', 3)], provisioningPoolSize: 1 }
    const templates = [{ name: 'sick', sick }, { name: 'debian12' }]
    const { bench, run, provisioner } = await started({ settings, world: { templates } })
    await bench.pass(15)
    expect(provisioner.pools()).toMatchObject([{ ready: 0 }, { ready: 3 }])
    // From now on it is known to be sick: those of the other that are taken are replaced within the time that one takes.
    for (let round = 0; round < 6; round++) {
      await claim(bench, run, provisioner, `worker-${round}`)
      await bench.clock.advance(100_000)
      expect([...run.fleet.ready(2, 'debian12')], `round ${round}`).toHaveLength(3)
    }
    const stopped = provisioner.stop()
    await bench.clock.advance(100)
    await stopped
  })

  test('nor one whose clones never end', async () => {
    const settings = { provisioning: [entry('debian12', 1), entry('rocky9', 2)], provisioningPoolSize: 1 }
    const { bench, provisioner } = await started({ settings }, outside => outside.world.slowNext('clone', 60 * 60_000))
    await bench.pass(9)
    expect(provisioner.pools()).toMatchObject([{ inFlight: 1 }, { ready: 2 }])
    await provisioner.stop()
  })
})

describe('what is too much', () => {
  test('goes, the oldest first, when fewer are wanted; what is claimed or foreign stays', async () => {
    const { bench, run, provisioner } = await started({ settings: { provisioning: [entry('debian12', 4)] } })
    await bench.pass(3)
    await provisioner.stop()
    const before = bench.provisions()
    bench.settings = { ...bench.settings, provisioning: [entry('debian12', 2)] }
    run.crash()
    const next = await bench.run()
    const smaller = new Provisioner(next)
    smaller.start()
    await bench.pass(3)
    const oldest = before.toSorted((one, other) => (readWorkerNote(one)!.created ?? 0) - (readWorkerNote(other)!.created ?? 0)).slice(0, 2)
    expect(
      bench
        .provisions()
        .map(vm => vm.name)
        .toSorted(),
    ).toEqual(
      before
        .filter(vm => !oldest.includes(vm))
        .map(vm => vm.name)
        .toSorted(),
    )
    await smaller.stop()
  })

  test('is every VM of a model that is no longer configured', async () => {
    const { bench, provisioner } = await started({ settings: { provisioning: [] } }, outside => {
      outside.addVm('provision-v2-a', { provisioning: true, vmwareModelPath: 'debian12' })
      outside.addVm('provision-v1-b', { provisioning: true, workerModelPath: 'shared.infra/debian' })
      outside.addVm('provision-v2-c', { provisioning: true, vmwareModelPath: 'debian12', flavor: 'large' })
      outside.addVm('brave-heron', { vmwareModelPath: 'debian12' })
    })
    await bench.pass(2)
    expect(
      bench.world
        .vms()
        .filter(vm => !vm.template)
        .map(vm => vm.name),
    ).toEqual(['brave-heron'])
    await provisioner.stop()
  })

  test('is a VM that stands ready with an address that another has which runs or was there before it, and no other', async () => {
    const { bench, provisioner } = await started({ settings: { provisioning: [entry('debian12', 2)] } }, outside => {
      outside.addVm('provision-v2-a', { provisioning: true, vmwareModelPath: 'debian12', ipAddress: '10.0.0.9' })
      outside.addVm('provision-v2-b', { provisioning: true, vmwareModelPath: 'debian12', ipAddress: '10.0.0.9' })
      outside.addVm('provision-v2-c', { provisioning: true, vmwareModelPath: 'debian12', ipAddress: '10.0.0.8' })
      outside.addVm('brave-heron', { vmwareModelPath: 'debian12', ipAddress: '10.0.0.8' }, { power: 'on' })
    })
    await bench.pass(3)
    const names = bench.provisions().map(vm => vm.name)
    expect(names).toHaveLength(2)
    expect(names).toContain('provision-v2-a')
    expect(names).not.toContain('provision-v2-b')
    expect(names).not.toContain('provision-v2-c')
    expect(bench.world.byName('brave-heron')).toBeDefined()
    await provisioner.stop()
  })

  test('is never a VM that a job is claiming', async () => {
    const bench = new Bench({ settings: { provisioning: [] } })
    const { id } = bench.addVm('provision-v2-a', { provisioning: true, vmwareModelPath: 'debian12' })
    const run = await bench.run()
    run.underWay.begin({ purpose: 'Job', jobId: '1', vmName: 'worker', vmId: id, size: { cpus: 0, memoryMB: 0 }, model: '' })
    const provisioner = new Provisioner(run)
    provisioner.start()
    await bench.pass(5)
    expect(bench.world.find(id)).toBeDefined()
    await provisioner.stop()
  })
})

describe('what goes wrong', () => {
  test.each(['no tools', 'no address'] as const)(
    'with a guest that has %s takes its VM away again, and stops no other model',
    async sick => {
      const world = { templates: [{ name: 'sick', sick }, { name: 'debian12' }] }
      const provisioning = [entry('sick', 2), entry('debian12', 2)]
      const { bench, provisioner, run } = await started({ settings: { provisioning, provisioningPoolSize: 1 }, world })
      await bench.pass(30)
      expect(provisioner.pools()).toMatchObject([
        { model: 'sick', ready: 0 },
        { model: 'debian12', ready: 2 },
      ])
      const failures = run.log.lines.filter(line => line.message.includes('could not be made ready'))
      expect(failures.length).toBeGreaterThan(1)
      expect(failures.length).toBeLessThan(12)
      for (let minute = 0; minute < 30 && provisioner.pools()[0]?.waits?.reason !== 'Failed'; minute++) await bench.pass(0.5)
      expect(provisioner.pools()[0]?.waits?.message).toMatch(/^the last \d* ?attempts? failed: .* did not happen within 3 min/)
      await provisioner.stop()
    },
  )

  test('because there is no template is said, and ends when there is one', async () => {
    const { bench, provisioner } = await started({ settings: { provisioning: [entry('debian14', 1)], provisioningInterval: 3_600_000 } })
    await bench.pass(2)
    expect(provisioner.pools()).toMatchObject([
      { ready: 0, waits: { reason: 'TemplateMissing', message: 'there is no template "debian14"' } },
    ])
    bench.world.addVm({ name: 'debian14', template: true })
    await bench.pass(2)
    expect(provisioner.pools()).toMatchObject([{ ready: 1, waits: undefined }])
    await provisioner.stop()
  })

  test('because of an unknown flavor is said', async () => {
    const { bench, provisioner } = await started({ settings: { provisioning: [entry('debian12', 1, { flavor: 'huge' })] } })
    await bench.pass(2)
    expect(provisioner.pools()).toMatchObject([
      { waits: { reason: 'FlavorUnknown', unblock: expect.stringContaining('small, medium, large') } },
    ])
    await provisioner.stop()
  })

  test('because no address is free is said, counts against no model, and ends when one is', async () => {
    const networks = [addressNetwork({ name: 'workers', ranges: '10.0.0.0/30', gateway: '10.0.0.1', subnetMask: '255.255.255.252' })]
    const { bench, provisioner, run } = await started({ settings: { networks, provisioning: [entry('debian12', 1)] } }, outside =>
      outside.world.addVm({ name: 'taker', power: 'on', addresses: ['10.0.0.2'] }),
    )
    await bench.pass(5)
    expect(provisioner.pools()).toMatchObject([{ ready: 0, waits: { reason: 'NoAddressFree' } }])
    expect(run.log.lines.filter(({ level }) => level === 'warn')).toEqual([])
    bench.world.removeVm(bench.world.byName('taker')!.id)
    await bench.pass(8)
    expect(provisioner.pools()).toMatchObject([{ ready: 1 }])
    await provisioner.stop()
  })

  test('while nobody knows what there is: nothing is made and nothing removed', async () => {
    const { bench, provisioner } = await started({ settings: { provisioning: [entry('debian12', 2)] } }, outside => {
      outside.addVm('provision-v2-a', { provisioning: true, vmwareModelPath: 'debian12' })
      outside.world.setReachable(false)
    })
    await bench.pass(10)
    expect(bench.world.tasks()).toEqual([])
    bench.world.setReachable(true)
    await bench.pass(3)
    expect(bench.provisions()).toHaveLength(2)
    await provisioner.stop()
  })

  test('with a clone that never ends holds up only itself', async () => {
    const { bench, provisioner } = await started({ settings: { provisioning: [entry('debian12', 1), entry('debian13', 1)] } })
    bench.world.slowNext('clone', Infinity)
    await bench.pass(5)
    expect(provisioner.pools().reduce((sum, { ready }) => sum + ready, 0)).toBe(1)
    await bench.pass(30)
    expect(provisioner.pools().map(({ ready }) => ready)).toEqual([1, 1])
    await provisioner.stop()
  })
})

test('a name that anybody has is not chosen again', async () => {
  const bench = new Bench({ settings: { provisioning: [entry('debian12', 2)] } })
  bench.world.addVm({ name: 'provision-v2-aaaaa' })
  const run = await bench.run()
  const suffixes = ['aaaaa', 'aaaaa', 'bbbbb', 'bbbbb', 'ccccc']
  const chance = { ...run.chance, suffix: () => suffixes.shift() ?? 'zzzzz' }
  const provisioner = new Provisioner({ ...run, chance })
  provisioner.start()
  await bench.pass(3)
  const names = bench.provisions().map(vm => vm.name)
  expect(names.toSorted()).toEqual(['provision-v2-aaaaa', 'provision-v2-bbbbb', 'provision-v2-ccccc'])
  await provisioner.stop()
})

test('no address is given to two VMs, however many are made at a time', async () => {
  const { bench, provisioner } = await started({ settings: { provisioning: [entry('debian12', 20), entry('debian13', 20)] } })
  for (let second = 0; second < 180; second++) {
    await bench.clock.advance(1_000)
    expect(bench.world.addressConflicts()).toEqual([])
  }
  const addresses = bench.provisions().map(vm => readWorkerNote(vm)?.ipAddress)
  expect(new Set(addresses).size).toBe(40)
  await provisioner.stop()
})
