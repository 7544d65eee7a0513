import { expect, test } from 'vitest'
import { GateWorld } from '../testing/gate-world.ts'
import { claimOrder } from './claim-order.ts'

const world = new GateWorld()
world.provision('provision-v2-neutral')
world.provision('provision-v2-large', 'debian12', {}, { flavor: 'Large' })
world.provision('provision-v2-small', 'debian12', {}, { flavor: 'small' })

test.each([
  { flavor: 'large', first: ['provision-v2-large', 'provision-v2-neutral'], last: ['provision-v2-small'] },
  { flavor: 'SMALL', first: ['provision-v2-small', 'provision-v2-neutral'], last: ['provision-v2-large'] },
  { flavor: 'medium', first: ['provision-v2-neutral'], last: ['provision-v2-large', 'provision-v2-small'] },
  { flavor: '', first: ['provision-v2-neutral'], last: ['provision-v2-large', 'provision-v2-small'] },
])('a job of flavor "$flavor" takes its own, then neutral ones, and others’ only in need', ({ flavor, first, last }) => {
  const { fleet } = world
  const order = claimOrder(fleet, { version: 2, path: '', image: 'debian12' }, flavor)
  expect(Array.from(order.first, ({ vm }) => vm.name)).toEqual(first)
  expect(Array.from(order.lastResort, ({ vm }) => vm.name)).toEqual(last)
})
