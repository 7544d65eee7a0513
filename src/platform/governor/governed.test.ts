import { expect, test } from 'vitest'
import { VirtualClock } from '../../ports/index.ts'
import { IndexedInventory } from '../indexed-inventory.ts'
import type { Platform } from '../platform.ts'
import { aVm } from '../testing/a-vm.ts'
import { governed } from './governed.ts'
import { Governor } from './governor.ts'

test('a clone is borne by the host of the template, not by that of a VM of the same name', async () => {
  const clock = new VirtualClock()
  const inventory = new IndexedInventory('sim', clock)
  inventory.replace([aVm({ id: 'vm-1', name: 'debian', host: 'a' }), aVm({ id: 'vm-2', name: 'debian', host: 'b', template: true })])
  const governor = new Governor({ platform: 'sim', clock })
  const inner = { name: 'sim', inventory, clone: () => new Promise(() => {}) } as unknown as Platform
  const request = { name: 'wren', annotation: '', template: 'debian', isOurs: () => true }
  void governed(inner, governor, 'tests').clone(request, new AbortController().signal)
  await clock.advance(1)
  expect(governor.running()).toMatchObject([{ target: 'wren', host: 'b' }])
})
