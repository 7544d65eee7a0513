import { expect, test } from 'vitest'
import { AddressLease } from '../../kinds/index.ts'
import { seededChance, silentLog, VirtualClock } from '../../ports/index.ts'
import { simulatedPlatform, SimulatedWorld } from '../../simulation/index.ts'
import { memoryStore } from '../../store/index.ts'
import { InventoryNotLive } from '../errors.ts'
import { AddressAuthority } from './address-authority.ts'
import { type AddressNetwork, addressNetwork } from './address-network.ts'

const signal = new AbortController().signal
const one = addressNetwork({ name: 'one', ranges: '10.0.0.0/30', gateway: '10.0.0.1' })
const two = addressNetwork({ name: 'two', ranges: '10.0.1.8/30' })

async function setUp(networks: readonly AddressNetwork[]) {
  const clock = new VirtualClock()
  const chance = seededChance(1)
  const world = new SimulatedWorld({ clock, chance })
  const platform = simulatedPlatform({ world, chance })
  const store = memoryStore({ kinds: [AddressLease], clock, chance })
  const authority = new AddressAuthority({ store, platform, networks, clock, chance, log: silentLog })
  authority.start()
  await clock.advance(10_000)
  return { clock, world, authority }
}

test('so many addresses are free as nobody holds, in all networks together', async () => {
  const { clock, world, authority } = await setUp([one, two])
  expect([authority.hasFree(6), authority.hasFree(7)]).toEqual([true, false])
  world.addVm({ name: 'foreign', addresses: ['10.0.0.2'] })
  await clock.advance(1_000)
  await authority.hold('w', signal)
  expect([authority.hasFree(4), authority.hasFree(5)]).toEqual([true, false])
})

test('an address is held for a VM from its lease on', async () => {
  const { authority } = await setUp([one])
  expect(authority.isHeldFor('w')).toBe(false)
  using _ = await authority.hold('w', signal)
  expect(authority.isHeldFor('w')).toBe(true)
})

test('with DHCP there is always one', async () => {
  const { authority } = await setUp([])
  expect([authority.hasFree(1_000), authority.isHeldFor('w')]).toEqual([true, false])
})

test('nobody says that one is free while it is not known what there is', async () => {
  const { clock, world, authority } = await setUp([one])
  world.setReachable(false)
  await clock.advance(60_000)
  expect(() => authority.hasFree()).toThrow(expect.objectContaining({ code: InventoryNotLive.code }))
})
