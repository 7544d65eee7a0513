import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { AddressLease } from '../../kinds/index.ts'
import { prometheusMetrics, seededChance, silentLog, VirtualClock } from '../../ports/index.ts'
import { type SimulatedPlatform, simulatedPlatform, SimulatedWorld } from '../../simulation/index.ts'
import { FlakyStore } from '../../control/testing/flaky-store.ts'
import { memoryStore, type Store, StoreError } from '../../store/index.ts'
import { AddressLeaseLost, InventoryNotLive, NoAddressFree } from '../errors.ts'
import { AddressAuthority } from './address-authority.ts'
import { addressEvidence } from './address-evidence.ts'
import { addressMetrics } from './address-metrics.ts'
import { addressNetwork } from './address-network.ts'

const minute = 60_000
const never = new AbortController().signal
const lan = addressNetwork({ name: 'lan', ranges: '10.0.0.0/29', subnetMask: '255.255.255.248', gateway: '10.0.0.1' })

interface Program {
  readonly platform: SimulatedPlatform
  readonly authority: AddressAuthority
  crash(): void
}

function setUp({
  seed = 1,
  networks = [lan],
  probe,
}: { seed?: number; networks?: (typeof lan)[]; probe?: (address: string) => Promise<boolean> } = {}) {
  const clock = new VirtualClock()
  const chance = seededChance(seed)
  const world = new SimulatedWorld({ clock, chance, templates: [{ name: 'debian' }] })
  const store = memoryStore({ kinds: [AddressLease], clock, chance })
  const faults = { rate: 0 }
  const start = async ({ sees = world, part }: { sees?: SimulatedWorld; part?: string } = {}): Promise<Program> => {
    const platform = simulatedPlatform({ world: sees, chance, name: 'vc' })
    const flaky = new FlakyStore(store)
    flaky.before = flaky.after = () => {
      if (chance.fraction() < faults.rate) throw new StoreError('ServiceUnavailable', 'the store does not answer')
    }
    const mortal = mortalStore(flaky)
    const authority = new AddressAuthority({
      store: mortal.store,
      platform,
      networks,
      clock,
      chance,
      log: silentLog,
      ...(probe === undefined ? {} : { probe }),
      ...(part === undefined ? {} : { part: async () => part }),
    })
    authority.start()
    await clock.advance(1_000)
    const crash = () => {
      platform.crash()
      mortal.crash()
      void authority.stop()
    }
    return { platform, authority, crash }
  }
  const leases = async () => (await store.list(AddressLease)).items.map(item => item.object)
  const anotherWorld = () => new SimulatedWorld({ clock, chance, templates: [{ name: 'debian' }] })
  return { clock, world, anotherWorld, start, leases, faults }
}

/** A store that answers nothing any more once the program that uses it is gone. */
function mortalStore(store: Store): { store: Store; crash: () => void } {
  let crashed = false
  const wrapped = new Proxy(store, {
    get: (target, name) => {
      const method = Reflect.get(target, name) as (...args: unknown[]) => unknown
      if (name === 'watch') return method.bind(target)
      return async (...args: unknown[]) => {
        if (crashed) await new Promise(() => {})
        const result = await method.apply(target, args)
        if (crashed) await new Promise(() => {})
        return result
      }
    },
  })
  return {
    store: wrapped,
    crash: () => {
      crashed = true
    },
  }
}

describe('an address', () => {
  test('is the first that no lease, annotation, guest or name shows', async () => {
    const { clock, world, start } = setUp()
    world.addVm({ name: 'guest', addresses: ['10.0.0.2'] })
    world.addVm({ name: 'noted', annotation: '{"ip_address":"10.0.0.3"}' })
    world.addVm({ name: 'provision-v2-ip-10-0-0-4-abc' })
    const { authority } = await start()
    await clock.advance(minute)
    const first = await authority.hold('a', never)
    const second = await authority.hold('b', never)
    expect([first.address, second.address]).toEqual(['10.0.0.5', '10.0.0.6'])
    expect(first.guest).toEqual({ kind: 'static', address: '10.0.0.5', subnetMask: '255.255.255.248', gateway: '10.0.0.1', dns: [] })
    const error = await authority.hold('c', never).catch((reason: unknown) => reason)
    expect(NoAddressFree.is(error) && error.message).toContain('lan: 3 in use, 2 reserved, 0 in quarantine')
  })

  test('stays with its holder however often it is asked for, also at once and after a restart', async () => {
    const { start } = setUp()
    const program = await start()
    const held = await Promise.all([program.authority.hold('a', never), program.authority.hold('a', never)])
    program.crash()
    const next = await start()
    const again = await next.authority.hold('a', never)
    expect(new Set([...held, again].map(({ address }) => address)).size).toBe(1)
  })

  test('is nobody’s to give while the inventory is not live', async () => {
    const { world, start } = setUp()
    const { authority } = await start()
    world.setReachable(false)
    const error = await authority.hold('a', never).catch((reason: unknown) => reason)
    expect(InventoryNotLive.is(error)).toBe(true)
  })

  test('comes by DHCP if there is no range', async () => {
    const { start, leases } = setUp({ networks: [] })
    const { authority } = await start()
    const held = await authority.hold('a', never)
    expect([held.address, held.guest]).toEqual([undefined, { kind: 'dhcp' }])
    expect(await leases()).toEqual([])
    expect(authority.counts()).toEqual([])
  })

  test('comes from the second network when the first is full', async () => {
    const small = addressNetwork({ name: 'small', ranges: '10.0.9.9/32' })
    const { start } = setUp({ networks: [small, lan] })
    const { authority } = await start()
    const held = [await authority.hold('a', never), await authority.hold('b', never)]
    expect(held.map(({ network, address }) => [network, address])).toEqual([
      ['small', '10.0.9.9'],
      ['lan', '10.0.0.2'],
    ])
  })
})

describe('a lease', () => {
  test('is free again five minutes after nothing shows it, and not before', async () => {
    const { clock, start, leases } = setUp()
    const { authority } = await start()
    const held = await authority.hold('a', never)
    held[Symbol.dispose]()
    await clock.advance(5 * minute)
    expect(await leases()).toHaveLength(1)
    await clock.advance(minute)
    expect(await leases()).toEqual([])
  })

  test('is kept as long as its VM is on its way, for every program that looks', async () => {
    const { clock, start, leases } = setUp()
    const { authority } = await start()
    await start()
    using held = await authority.hold('a', never)
    await clock.advance(60 * minute)
    expect(await leases()).toHaveLength(1)
    await expect(held.confirm(never)).resolves.toBeUndefined()
  })

  test('is kept as long as a task or a VM of its holder is there', async () => {
    const { clock, world, start, leases } = setUp()
    const { authority, platform } = await start()
    const held = await authority.hold('a', never)
    world.slowNext('clone', 20 * minute)
    const clone = platform.clone({ name: 'a', annotation: '', template: 'debian', isOurs: () => true }, never)
    held[Symbol.dispose]()
    await clock.advance(15 * minute)
    expect(await leases()).toHaveLength(1)
    await clock.advance(30 * minute)
    const vm = await clone
    expect((await leases()).map(lease => lease.status?.phase)).toEqual(['InUse'])
    world.removeVm(vm.id)
    await clock.advance(minute)
    expect((await leases()).map(lease => lease.status?.phase)).toEqual(['Unseen'])
    await clock.advance(6 * minute)
    expect(await leases()).toEqual([])
  })

  test('is free again soon if the VM that showed it was seen to go', async () => {
    const { clock, world, start, leases } = setUp()
    const { authority } = await start()
    const held = await authority.hold('a', never)
    const vm = world.addVm({ name: 'a', annotation: JSON.stringify({ ip_address: held.address }) })
    held[Symbol.dispose]()
    await clock.advance(10 * minute)
    expect((await leases()).map(lease => lease.status?.phase)).toEqual(['InUse'])
    world.removeVm(vm.id)
    await clock.advance(0.25 * minute)
    expect(await leases()).toHaveLength(1)
    await clock.advance(1.5 * minute)
    expect(await leases()).toEqual([])
  })

  test('that was given to another VM soon after the first one went stays with it, for every program that saw the first one go', async () => {
    const { clock, world, start, leases } = setUp()
    const { authority } = await start()
    await start()
    const first = await authority.hold('a', never)
    const vm = world.addVm({ name: 'a', annotation: JSON.stringify({ ip_address: first.address }) })
    first[Symbol.dispose]()
    await clock.advance(minute + 1_000)
    world.removeVm(vm.id)
    await clock.advance(1_000)
    await authority.sweep()
    await clock.advance(1_000)
    await authority.sweep()
    expect(await leases()).toEqual([])
    using second = await authority.hold('b', never)
    expect(second.address).toBe(first.address)
    await clock.advance(10 * minute)
    await expect(second.confirm(never)).resolves.toBeUndefined()
  })

  test('that a VM shows, or showed until it was seen to go, is no reason to ask for tasks', async () => {
    const { clock, world, start, leases } = setUp()
    const { authority, platform } = await start()
    const held = await authority.hold('a', never)
    const vm = world.addVm({ name: 'a', annotation: JSON.stringify({ ip_address: held.address }) })
    held[Symbol.dispose]()
    let asked = 0
    const tasks = platform.tasks.bind(platform)
    platform.tasks = () => {
      asked++
      return tasks()
    }
    await clock.advance(10 * minute)
    world.removeVm(vm.id)
    await clock.advance(2 * minute)
    expect([await leases(), asked]).toEqual([[], 0])
    const other = await authority.hold('b', never)
    other[Symbol.dispose]()
    await clock.advance(minute)
    expect(asked).toBeGreaterThan(0)
  })

  test('is not freed on the word of an inventory that is not live', async () => {
    const { clock, world, start, leases } = setUp()
    const { authority } = await start()
    const held = await authority.hold('a', never)
    held[Symbol.dispose]()
    await clock.advance(4 * minute)
    world.setReachable(false)
    await clock.advance(60 * minute)
    expect(await leases()).toHaveLength(1)
    world.setReachable(true)
    await clock.advance(4 * minute)
    expect(await leases()).toHaveLength(1)
    await clock.advance(3 * minute)
    expect(await leases()).toEqual([])
  })

  test('is not freed by who sees another part of the platform, and nobody is given its address there', async () => {
    const { clock, world, anotherWorld, start, leases } = setUp()
    const [north, south] = [anotherWorld(), world]
    const { authority } = await start({ sees: north, part: 'datacenter-1' })
    const elsewhere = await start({ sees: south, part: 'datacenter-2' })
    const held = await authority.hold('a', never)
    north.addVm({ name: 'a', addresses: [held.address!] })
    held[Symbol.dispose]()
    await clock.advance(60 * minute)
    expect((await leases()).map(({ spec }) => spec.holder)).toEqual(['a'])
    expect((await elsewhere.authority.hold('b', never)).address).not.toBe(held.address)
  })

  test('is not shared by a VM of the same name in another part of the platform', async () => {
    const { anotherWorld, start, leases } = setUp()
    const { authority } = await start({ part: 'datacenter-1' })
    const elsewhere = await start({ sees: anotherWorld(), part: 'datacenter-2' })
    const [here, there] = [await authority.hold('a', never), await elsewhere.authority.hold('a', never)]
    expect(there.address).not.toBe(here.address)
    expect((await authority.hold('a', never)).address).toBe(here.address)
    expect((await elsewhere.authority.hold('a', never)).address).toBe(there.address)
    expect(await leases()).toHaveLength(2)
  })

  test('from a time when leases did not name their part belongs to that in which its VM is seen', async () => {
    const { clock, world, anotherWorld, start, leases } = setUp()
    const before = await start()
    const held = await before.authority.hold('a', never)
    world.addVm({ name: 'a', addresses: [held.address!] })
    before.crash()
    const [{ authority }] = [await start({ part: 'datacenter-1' }), await start({ sees: anotherWorld(), part: 'datacenter-2' })]
    await clock.advance(60 * minute)
    expect((await leases()).map(({ metadata }) => metadata.labels)).toEqual([{ 'platform.aviary.dev/part': 'datacenter-1' }])
    expect(authority.isHeldFor('a')).toBe(true)
  })

  test('follows its VM to another name', async () => {
    const { start, leases } = setUp()
    const { authority } = await start()
    const held = await authority.hold('a', never)
    const at = { network: 'lan', address: held.address! }
    await authority.rename(at, 'a', 'b')
    await authority.rename(at, 'a', 'b')
    expect((await leases()).map(({ spec }) => spec.holder)).toEqual(['b'])
    const error = await authority.rename(at, 'c', 'd').catch((reason: unknown) => reason)
    expect(AddressLeaseLost.is(error)).toBe(true)
    const lost = await held.confirm(never).catch((reason: unknown) => reason)
    expect(AddressLeaseLost.is(lost)).toBe(true)
  })

  test('is not given to a new VM of the old name if its own VM was renamed without it, and is free when that one is gone', async () => {
    const { clock, world, start, leases } = setUp()
    const { authority } = await start()
    const first = await authority.hold('a', never)
    first[Symbol.dispose]()
    const renamed = world.addVm({ name: 'b', annotation: JSON.stringify({ ip_address: first.address }) })
    await clock.advance(1_000)
    const second = await authority.hold('a', never)
    expect(second.address).not.toBe(first.address)
    const again = await authority.hold('a', never)
    expect(again.address).toBe(second.address)
    world.addVm({ name: 'a', annotation: JSON.stringify({ ip_address: second.address }) })
    for (const held of [second, again]) held[Symbol.dispose]()
    world.removeVm(renamed.id)
    await clock.advance(2 * minute)
    expect((await leases()).map(({ spec }) => spec.address)).toEqual([second.address])
  })
})

describe('quarantine', () => {
  test('an address that answers although nobody holds it is left alone for a day, with the reason', async () => {
    const { clock, start, leases } = setUp({ probe: async address => address === '10.0.0.2' })
    const { authority } = await start()
    const held = await authority.hold('a', never)
    expect(held.address).toBe('10.0.0.3')
    await clock.advance(23 * 60 * minute)
    expect((await leases()).map(({ spec }) => spec.quarantine?.reason)).toEqual(['Answers', undefined])
    expect(authority.counts()).toMatchObject([{ quarantined: 1, reserved: 1 }])
    await clock.advance(2 * 60 * minute)
    expect((await leases()).map(({ spec }) => spec.address)).toEqual(['10.0.0.3'])
  })

  test('an address that two VMs show is not given to a third, even when both are gone', async () => {
    const { clock, world, start, leases } = setUp()
    const { authority } = await start()
    const held = await authority.hold('a', never)
    held[Symbol.dispose]()
    const vms = ['x', 'y'].map(name => world.addVm({ name, addresses: [held.address!] }))
    await clock.advance(minute)
    for (const vm of vms) world.removeVm(vm.id)
    await clock.advance(30 * minute)
    expect((await leases()).map(({ spec }) => spec.quarantine?.message)).toEqual(['2 VMs show the address: x, y'])
    expect((await authority.hold('b', never)).address).toBe('10.0.0.3')
  })
})

test('two VMs that show an address for a moment do not put it into quarantine', async () => {
  const { clock, world, start, leases } = setUp()
  const { authority } = await start()
  const held = await authority.hold('a', never)
  held[Symbol.dispose]()
  world.addVm({ name: 'a', addresses: [held.address!] })
  const passing = world.addVm({ name: 'passing', addresses: [held.address!] })
  await clock.advance(1_000)
  await authority.sweep()
  world.removeVm(passing.id)
  await clock.advance(5 * minute)
  expect((await leases()).map(({ spec }) => spec.quarantine)).toEqual([undefined])
})

test('a look at the leases asks for the tasks once, however many leases there are', async () => {
  const { clock, start } = setUp()
  const { authority, platform } = await start()
  for (const name of ['a', 'b', 'c']) (await authority.hold(name, never))[Symbol.dispose]()
  await clock.advance(1_000)
  let asked = 0
  const tasks = platform.tasks.bind(platform)
  platform.tasks = () => {
    asked++
    return tasks()
  }
  await authority.sweep()
  expect(asked).toBe(1)
})

test('an address that is given up is free for others at once', async () => {
  const { start, leases } = setUp()
  const { authority } = await start()
  const held = await authority.hold('a', never)
  await held.giveUp()
  expect(await leases()).toEqual([])
  const next = await authority.hold('b', never)
  expect(next.address).toBe(held.address)
  await held.giveUp()
  expect((await leases()).map(({ spec }) => spec.holder)).toEqual(['b'])
})

test('gauges show what became of the addresses, and nothing while that is not known', async () => {
  const { world, start } = setUp()
  world.addVm({ name: 'guest', addresses: ['10.0.0.2'] })
  const { authority } = await start()
  await authority.hold('a', never)
  const metrics = prometheusMetrics()
  addressMetrics(metrics, 'vc', authority, new AbortController().signal)
  const text = await metrics.text()
  expect(text).toContain('aviary_platform_addresses{platform="vc",network="lan",state="total"} 5')
  expect(text).toContain('aviary_platform_addresses{platform="vc",network="lan",state="reserved"} 1')
  world.setReachable(false)
  expect(await metrics.text()).not.toContain('network="lan"')
})

test('no two VMs ever have one address, whatever crashes when, and in the end every address is free again', () => {
  const which = fc.nat(1)
  const step = fc.oneof(
    { weight: 4, arbitrary: fc.record({ do: fc.constant('spawn' as const), which, queued: fc.nat(12 * minute) }) },
    { weight: 2, arbitrary: fc.record({ do: fc.constant('remove' as const), index: fc.nat(9) }) },
    { weight: 2, arbitrary: fc.record({ do: fc.constant('crash' as const), which }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('expire' as const) }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('outage' as const), ms: fc.nat(3 * minute) }) },
    { weight: 4, arbitrary: fc.record({ do: fc.constant('pass' as const), ms: fc.nat(8 * minute) }) },
  )
  return fc.assert(
    fc.asyncProperty(fc.nat(), fc.array(step, { minLength: 4, maxLength: 25 }), async (seed, steps) => {
      const { clock, world, start, leases, faults } = setUp({ seed })
      const programs = [await start(), await start()]
      faults.rate = 0.1
      let spawned = 0
      const spawn = async ({ platform, authority }: Program, name: string, queued: number) => {
        // A reply of the store may be lost: whoever asks again must not end up with a second address.
        using held = await authority.hold(name, never).catch(() => authority.hold(name, never))
        await clock.sleep(queued)
        await held.confirm(never)
        const annotation = JSON.stringify({ ip_address: held.address })
        const guest = { hostName: name, domain: '', address: held.guest }
        const vm = await platform.clone(
          { name, annotation, template: 'debian', guest, isOurs: each => each.annotation === annotation },
          never,
        )
        await platform.powerOn(vm.id, never)
      }
      const twice: string[] = []
      const look = () => {
        const shown = world.vms().flatMap(addressEvidence)
        twice.push(...shown.filter((address, index) => shown.indexOf(address) !== index))
      }
      world.listen({ changed: look, disturbed: () => {} })
      for (const each of steps) {
        if (each.do === 'spawn') void spawn(programs[each.which]!, `vm-${++spawned}`, each.queued).catch(() => {})
        else if (each.do === 'remove') world.removeVm(world.vms().filter(vm => !vm.template)[each.index]?.id ?? '')
        else if (each.do === 'expire') world.expireSessions()
        else if (each.do === 'crash') {
          programs[each.which]!.crash()
          programs[each.which] = await start()
        } else if (each.do === 'outage') {
          world.setReachable(false)
          await clock.advance(each.ms)
          world.setReachable(true)
        } else await clock.advance(each.ms)
      }
      await clock.advance(60 * minute)
      expect(twice).toEqual([])
      faults.rate = 0
      for (const vm of world.vms()) if (!vm.template) world.removeVm(vm.id)
      await clock.advance(10 * minute)
      expect((await leases()).map(({ spec }) => spec)).toEqual([])
      for (const program of programs) program.crash()
    }),
    { numRuns: 25 },
  )
})
