import { describe, expect, test } from 'vitest'
import type { Bench } from './subject.ts'

/** What the inventory promises. */
export function seeing(theBench: () => Bench): void {
  describe('the inventory', () => {
    test('shows templates, and the VMs of others as they come, change and go', async () => {
      const { platform, world, name, seen } = theBench()
      const { inventory } = platform
      expect(Array.from(inventory.templates(), vm => vm.name)).toContain(world.template)
      const [first, second] = [name('foreign'), name('renamed')]
      const id = await world.foreignVm({ name: first, annotation: 'not ours' })
      await seen(() => inventory.byName(first).length === 1)
      expect(inventory.byId(id)).toMatchObject({ name: first, annotation: 'not ours', note: undefined, template: false })
      await world.rename(id, second)
      await seen(() => inventory.byName(second).length === 1 && inventory.byName(first).length === 0)
      await world.remove(id)
      await seen(() => inventory.byId(id) === undefined)
    })

    test('shows own writes as soon as they are done', async () => {
      const { platform, done, request, name } = theBench()
      const { inventory } = platform
      const [first, second] = [name('own'), name('own-renamed')]
      const vm = await done(signal => platform.clone(request(first), signal))
      expect(inventory.byName(first).map(each => each.id)).toEqual([vm.id])
      await done(signal => platform.claim({ id: vm.id, expectedName: first, name: second, annotation: '{"claimed":true}' }, signal))
      expect(inventory.byName(second).map(each => each.note)).toEqual([{ claimed: true }])
      expect(inventory.byName(first)).toEqual([])
      await done(signal => platform.destroy(vm.id, signal))
      expect(inventory.byId(vm.id)).toBeUndefined()
    })

    test('is never seen empty when the session ends, and misses nothing that happened meanwhile', async () => {
      const { platform, world, name, seen, vm } = theBench()
      const { inventory } = platform
      const kept = await vm('kept')
      const gone = await vm('gone')
      const lost: string[] = []
      const forget = inventory.onChange(({ old, now }) => {
        if (now === undefined) lost.push(old!.name)
      })
      await world.expireSessions()
      const made = name('meanwhile')
      await world.foreignVm({ name: made })
      await world.remove(gone.id)
      await seen(() => inventory.byName(made).length === 1 && inventory.byId(gone.id) === undefined)
      forget()
      expect(lost).toEqual([gone.name])
      expect(inventory.byId(kept.id)?.name).toBe(kept.name)
    })
  })
}
