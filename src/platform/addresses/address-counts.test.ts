import { expect, test } from 'vitest'
import { seededChance, VirtualClock } from '../../ports/index.ts'
import { simulatedPlatform, SimulatedWorld } from '../../simulation/index.ts'
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
    { network: 'guests', total: 8, used: 3, active: 2, reserved: 0, quarantined: 0 },
  ])
})
