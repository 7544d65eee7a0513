import { describe, expect, test } from 'vitest'
import { NameTaken, NotThere } from '../errors.ts'
import type { Bench } from './subject.ts'

/** What `rename` promises. */
export function renaming(theBench: () => Bench): void {
  describe('rename', () => {
    test.each(['never', 'before', 'after'] as const)(
      'gives a VM another name and nothing else, and again does nothing; cut off %s',
      async when => {
        const { platform, world, name, vm, done } = theBench()
        const made = await vm('renamed')
        const chosen = name('set aside / 100%')
        if (when !== 'never') world.cutNext('rename', when)
        const renamed = await done(signal => platform.rename(made.id, chosen, signal))
        expect(renamed).toMatchObject({ id: made.id, name: chosen, annotation: made.annotation, power: 'off' })
        expect(await done(signal => platform.rename(made.id, chosen, signal))).toMatchObject({ id: made.id, name: chosen })
        expect(platform.inventory.byName(chosen).map(each => each.id)).toEqual([made.id])
        expect(platform.inventory.byName(made.name)).toEqual([])
      },
    )

    test('gives a template another name, by which it can be cloned', async () => {
      const { platform, name, vm, done } = theBench()
      const made = await vm('template')
      await done(signal => platform.markAsTemplate(made.id, signal))
      const chosen = name('other-template')
      expect(await done(signal => platform.rename(made.id, chosen, signal))).toMatchObject({ name: chosen, template: true })
      expect((await vm('of-it', { template: chosen })).template).toBe(false)
    })

    test('refuses a name that another VM has, and a VM that is not there', async () => {
      const { platform, world, name, vm, failure, seen } = theBench()
      const made = await vm('renamed')
      const taken = name('taken')
      const other = await world.foreignVm({ name: taken })
      await seen(() => platform.inventory.byId(other) !== undefined)
      expect(NameTaken.is(await failure(signal => platform.rename(made.id, taken, signal)))).toBe(true)
      expect(platform.inventory.byId(made.id)?.name).toBe(made.name)
      expect(NotThere.is(await failure(signal => platform.rename('vm-999999', name('nobody'), signal)))).toBe(true)
    })
  })
}
