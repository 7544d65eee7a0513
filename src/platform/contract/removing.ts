import { describe, expect, test } from 'vitest'
import { WrongPower } from '../errors.ts'
import type { Bench } from './subject.ts'

/** What `destroy` and `markAsTemplate` promise. */
export function removing(theBench: () => Bench): void {
  describe('destroy', () => {
    test.each(['never', 'before', 'after'] as const)(
      'removes a VM, running or not, and is content if it is gone; cut off %s',
      async when => {
        const { platform, world, vm, done } = theBench()
        const made = await vm('doomed')
        await done(signal => platform.powerOn(made.id, signal))
        if (when !== 'never') world.cutNext('destroy', when)
        await done(signal => platform.destroy(made.id, signal))
        expect(await world.named(made.name)).toEqual([])
        expect(platform.inventory.byId(made.id)).toBeUndefined()
        await done(signal => platform.destroy(made.id, signal))
      },
    )

    test('goes on when the session ends in the middle', async () => {
      const { platform, world, vm, done } = theBench()
      const made = await vm('doomed')
      await done(async signal => {
        const gone = platform.destroy(made.id, signal)
        await world.expireSessions()
        return gone
      })
      expect(await world.named(made.name)).toEqual([])
    })
  })

  describe('markAsTemplate', () => {
    test.each(['never', 'before', 'after'] as const)('turns a VM that is off into a template, cut off %s', async when => {
      const { platform, world, vm, done } = theBench()
      const made = await vm('template')
      if (when !== 'never') world.cutNext('markAsTemplate', when)
      expect((await done(signal => platform.markAsTemplate(made.id, signal))).template).toBe(true)
      expect((await done(signal => platform.markAsTemplate(made.id, signal))).template).toBe(true)
      expect(Array.from(platform.inventory.templates(), each => each.id)).toContain(made.id)
    })

    test('leaves a VM alone that is on', async () => {
      const { platform, vm, done, failure } = theBench()
      const made = await vm('running')
      await done(signal => platform.powerOn(made.id, signal))
      expect(WrongPower.is(await failure(signal => platform.markAsTemplate(made.id, signal)))).toBe(true)
      expect(platform.inventory.byId(made.id)?.template).toBe(false)
    })
  })
}
