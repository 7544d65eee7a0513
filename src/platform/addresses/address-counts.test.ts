import { expect, test } from 'vitest'
import { AddressLease } from '../../kinds/index.ts'
import { seededChance, silentLog, VirtualClock } from '../../ports/index.ts'
import { simulatedPlatform, SimulatedWorld } from '../../simulation/index.ts'
import { memoryStore } from '../../store/index.ts'
import { NoAddressFree } from '../errors.ts'
import { AddressAuthority } from './address-authority.ts'
import { countAddresses } from './address-counts.ts'
import { addressNetwork } from './address-network.ts'

test('an address of the ranges is in use if an annotation or a guest of anybody’s VM shows it, and counts once', async () => {
  const clock = new VirtualClock()
  const chance = seededChance(1)
  const world = new SimulatedWorld({ clock, chance })
  const { inventory } = simulatedPlatform({ world, chance })
  const noted = (address: string) => JSON.stringify({ hatchery_name: 'hv1', ip_address: address })
  world.addVm({ name: 'both', annotation: noted('10.0.0.1'), power: 'on', addresses: ['10.0.0.1', '172.17.0.1', 'fe80::1'] })
  world.addVm({ name: 'provision-v2-off', annotation: noted('10.0.0.2') })
  world.addVm({ name: 'foreign', power: 'on', addresses: ['10.0.0.3', '10.0.7.7'] })
  world.addVm({ name: 'elsewhere', annotation: noted('10.0.9.9') })
  world.addVm({ name: 'template', template: true, annotation: noted('10.0.0.4') })
  await clock.advance(10_000)
  const network = addressNetwork({ name: 'guests', ranges: '10.0.0.0/29' })
  expect(countAddresses([network], [], inventory)).toEqual([
    { network: 'guests', total: 7, used: 3, active: 2, reserved: 0, quarantined: 0, free: 4 },
  ])
})

const signal = new AbortController().signal

test('as many addresses are free as the allocator still assigns, whatever else has those of the ranges', async () => {
  const clock = new VirtualClock()
  const chance = seededChance(1)
  const world = new SimulatedWorld({ clock, chance })
  const platform = simulatedPlatform({ world, chance })
  const store = memoryStore({ kinds: [AddressLease], clock, chance })
  const guests = { name: 'guests', ranges: '10.0.0.0/28', subnetMask: '255.255.255.240', gateway: '10.0.0.1', dns: ['10.0.0.2'] }
  const networks = [addressNetwork(guests), addressNetwork({ name: 'more', ranges: '10.0.1.0/30' })]
  const authority = new AddressAuthority({ store, platform, networks, clock, chance, log: silentLog })
  authority.start()
  // The router and the name server are VMs that report their addresses: neither was ever to be assigned.
  world.addVm({ name: 'router', power: 'on', addresses: ['10.0.0.1'] })
  world.addVm({ name: 'name-server', power: 'on', addresses: ['10.0.0.2'] })
  world.addVm({ name: 'foreign', power: 'on', addresses: ['10.0.0.3'] })
  await clock.advance(10_000)
  await authority.quarantine({ network: 'guests', address: '10.0.0.3' }, 'Operator', 'shown as well')
  await authority.quarantine({ network: 'guests', address: '10.0.0.4' }, 'Operator', 'shown by nothing')
  await clock.advance(1_000)
  const free = () => authority.counts().reduce((sum, count) => sum + count.free, 0)
  expect(authority.counts()).toEqual([
    { network: 'guests', total: 12, used: 1, active: 1, reserved: 0, quarantined: 2, free: 10 },
    { network: 'more', total: 3, used: 0, active: 0, reserved: 0, quarantined: 0, free: 3 },
  ])
  for (let left = free(); left > 0; left--) {
    expect([free(), authority.hasFree(left), authority.hasFree(left + 1)]).toEqual([left, true, false])
    await authority.hold(`worker-${left}`, signal)
  }
  expect([free(), authority.hasFree()]).toEqual([0, false])
  await expect(authority.hold('one-too-many', signal)).rejects.toMatchObject({ code: NoAddressFree.code })
  await authority.stop()
})
