import { expect, test } from 'vitest'
import { VirtualClock } from '../ports/index.ts'
import { InventoryNotLive, NotThere } from './errors.ts'
import { IndexedInventory } from './indexed-inventory.ts'
import { aVm } from './testing/a-vm.ts'
import { waitForVm } from './wait-for-vm.ts'

const never = new AbortController().signal

function live() {
  const inventory = new IndexedInventory('test', new VirtualClock())
  inventory.replace([aVm({ id: 'vm-1' })])
  return inventory
}

test('what is there already needs no change', async () => {
  expect(await waitForVm(live(), 'vm-1', vm => vm.name, never)).toBe('vm-1')
})

test('what comes later is seen when it comes, also after the picture was read anew', async () => {
  const inventory = live()
  const wait = waitForVm(inventory, 'vm-1', vm => vm.addresses[0], never)
  inventory.put(aVm({ id: 'vm-2', addresses: ['10.0.0.9'] }))
  inventory.syncing('the session ended')
  inventory.replace([aVm({ id: 'vm-1', addresses: ['10.0.0.1'] })])
  expect(await wait).toBe('10.0.0.1')
})

test('a VM that is not there, or goes away, is not waited for', async () => {
  const inventory = live()
  const gone = waitForVm(inventory, 'vm-1', () => undefined, never).catch((error: unknown) => error)
  inventory.drop('vm-1')
  const missing = waitForVm(inventory, 'vm-9', () => undefined, never).catch((error: unknown) => error)
  expect([NotThere.is(await gone), NotThere.is(await missing)]).toEqual([true, true])
})

test('it ends when the caller gives up, and does not begin on a picture that is not live', async () => {
  const inventory = live()
  const stop = new AbortController()
  const wait = waitForVm(inventory, 'vm-1', () => undefined, stop.signal).catch((error: unknown) => error)
  stop.abort(new Error('enough'))
  expect(await wait).toBe(stop.signal.reason)
  inventory.lost('gone')
  expect(InventoryNotLive.is(await waitForVm(inventory, 'vm-1', vm => vm, never).catch((error: unknown) => error))).toBe(true)
})
