import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { AddressLease } from '../../kinds/index.ts'
import { AddressAuthority, AddressContested, addressNetwork, type HeldAddress, type Vm } from '../../platform/index.ts'
import { recordingLog, seededChance, VirtualClock } from '../../ports/index.ts'
import { simulatedPlatform, SimulatedWorld, type WorldOptions } from '../../simulation/index.ts'
import { memoryStore } from '../../store/index.ts'
import { cloneAlone } from './clone-alone.ts'

const never = new AbortController().signal

/** One vCenter, one range of addresses, and programs that keep their leases each for itself. */
function aRange(seed: number, { ranges = '10.0.0.0/28', timings = {} }: { ranges?: string; timings?: WorldOptions['timings'] & {} } = {}) {
  const clock = new VirtualClock()
  const chance = seededChance(seed)
  const world = new SimulatedWorld({ clock, chance, templates: [{ name: 'debian' }], timings })
  const networks = [addressNetwork({ name: 'lan', ranges, subnetMask: '255.255.255.0' })]
  const log = recordingLog()
  const program = () => {
    const platform = simulatedPlatform({ world, chance, name: 'vc' })
    const store = memoryStore({ kinds: [AddressLease], clock, chance })
    const addresses = new AddressAuthority({ store, platform, networks, clock, chance, log })
    addresses.start()
    const clone = async (name: string) => {
      using holding = new DisposableStack()
      const make = (held: HeldAddress) =>
        platform.clone(
          {
            name,
            template: 'debian',
            annotation: JSON.stringify({ ip_address: held.address }),
            guest: { hostName: name, domain: '', address: held.guest },
            isOurs: () => true,
          },
          never,
        )
      const vm = await cloneAlone({ platform, addresses, log }, { name, holding, make, unmade: () => {} }, never)
      return await platform.powerOn(vm.id, never)
    }
    return { platform, addresses, clone }
  }
  return { clock, world, log, program }
}

const addressOf = ({ note }: Vm) => (note as { readonly ip_address?: string }).ip_address

/** Addresses that two VMs which run have, or are to have. */
function shared(world: SimulatedWorld): readonly (string | undefined)[] {
  const running = world.vms().filter(({ power, template }) => power === 'on' && !template)
  const addresses = running.map(addressOf)
  return addresses.filter((address, place) => addresses.indexOf(address) !== place)
}

describe('programs that know nothing of each other’s leases', () => {
  const vms = fc.array(fc.record({ program: fc.nat({ max: 2 }), after: fc.nat({ max: 4_000 }) }), { minLength: 2, maxLength: 10 })

  test('never run two VMs with one address, whoever comes when', () =>
    fc.assert(
      fc.asyncProperty(fc.nat({ max: 1e6 }), vms, async (seed, all) => {
        // Clones take about as long as news of them, so that everybody may have missed everybody.
        const { clock, world, program } = aRange(seed, { timings: { linkedClone: [500, 1_500], power: [100, 400], watch: [0, 3_000] } })
        const programs = [program(), program(), program()]
        await clock.advance(1_000)
        let made = 0
        for (const [number, each] of all.entries()) {
          clock.after(each.after, () => void programs[each.program]?.clone(`vm-of-${each.program}-${number}`).then(() => made++))
        }
        for (let second = 0; second < 600 && made < all.length; second++) {
          await clock.advance(1_000)
          expect([shared(world), world.addressConflicts()]).toEqual([[], []])
        }
        expect(made).toBe(all.length)
      }),
      { numRuns: 60 },
    ))

  test('of two VMs that were given one address the one goes on and the other gets another', async () => {
    const { clock, world, log, program } = aRange(1)
    const [one, other] = [program(), program()]
    await clock.advance(1_000)
    const both = Promise.all([one.clone('one'), other.clone('other')])
    await clock.advance(300_000)
    expect((await both).map(addressOf)).toContain('10.0.0.1')
    expect(log.lines.filter(({ message }) => message.startsWith('another VM came to have the address'))).toHaveLength(1)
    expect(shared(world)).toEqual([])
  })

  test('begin at different places of the range once they have met', async () => {
    const { clock, program } = aRange(2, { ranges: '10.0.0.0/24' })
    const [one, other] = [program(), program()]
    await clock.advance(1_000)
    void Promise.all([one.clone('one'), other.clone('other')])
    await clock.advance(300_000)
    const [first, second] = [await one.addresses.hold('next-of-one', never), await other.addresses.hold('next-of-other', never)]
    expect(first.address).not.toBe(second.address)
  })
})

/** When a VM of that name appears, so does another with the same address, at the same moment and younger; so many times. */
function withRivals(world: SimulatedWorld, name: string, power: 'on' | 'off', times = 1): readonly Vm[] {
  const rivals: Vm[] = []
  const seen = new Set<string>()
  const changed = (_: string, vm: Vm | undefined) => {
    if (vm?.name !== name || seen.has(vm.id) || seen.size >= times) return
    seen.add(vm.id)
    rivals.push(world.addVm({ name: `rival-${seen.size}`, power, annotation: vm.annotation }))
  }
  world.listen({ changed, disturbed: () => {} })
  return rivals
}

describe('a VM that was there first', () => {
  const met = async () => {
    const { clock, world, program } = aRange(3)
    const { clone } = program()
    await clock.advance(1_000)
    const rivals = withRivals(world, 'mine', 'off')
    const cloning = clone('mine')
    for (let second = 0; second < 60 && rivals.length === 0; second++) await clock.advance(1_000)
    await clock.advance(5_000)
    expect(world.byName('mine')).toMatchObject({ power: 'off' })
    return { clock, world, cloning, rival: rivals[0]! }
  }

  test('goes on with its address when the younger one has gone', async () => {
    const { clock, world, cloning, rival } = await met()
    world.removeVm(rival.id)
    await clock.advance(10_000)
    expect(addressOf(await cloning)).toBe('10.0.0.1')
  })

  test('gives way all the same when the younger one is switched on', async () => {
    const { clock, world, cloning, rival } = await met()
    world.switchPower(rival.id, 'on')
    await clock.advance(100_000)
    expect(addressOf(await cloning)).not.toBe('10.0.0.1')
    expect(shared(world)).toEqual([])
  })
})

test('who meets others at every address gives up and says so', async () => {
  const { clock, world, program } = aRange(4)
  const { clone } = program()
  await clock.advance(1_000)
  withRivals(world, 'mine', 'on', Infinity)
  const cloning = clone('mine').catch((error: unknown) => error)
  await clock.advance(600_000)
  const error = await cloning
  expect(AddressContested.is(error) && error.message).toContain('the last of 5 addresses')
  expect(world.byName('mine')).toBeUndefined()
})
