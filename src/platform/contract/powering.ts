import { describe, expect, test } from 'vitest'
import { GuestNotReady, NotThere } from '../errors.ts'
import type { Bench } from './subject.ts'

/** What `powerOn`, `powerOff` and `shutDown` promise. */
export function powering(theBench: () => Bench): void {
  describe('power', () => {
    test.each(['never', 'before', 'after'] as const)('goes on and off, and again does nothing, cut off %s', async when => {
      const { platform, world, vm, done } = theBench()
      const { id } = await vm('power')
      if (when !== 'never') world.cutNext('powerOn', when)
      const on = await done(signal => platform.powerOn(id, signal))
      expect(on.power).toBe('on')
      const again = await done(signal => platform.powerOn(id, signal))
      expect([again.power, again.bootedAt]).toEqual(['on', platform.inventory.byId(id)?.bootedAt])
      if (when !== 'never') world.cutNext('powerOff', when)
      expect((await done(signal => platform.powerOff(id, signal))).power).toBe('off')
      expect((await done(signal => platform.powerOff(id, signal))).power).toBe('off')
      expect(platform.inventory.byId(id)?.power).toBe('off')
    })

    test('of a VM that is not there cannot be switched', async () => {
      const { platform, failure } = theBench()
      expect(NotThere.is(await failure(signal => platform.powerOn('vm-999999', signal)))).toBe(true)
      expect(NotThere.is(await failure(signal => platform.powerOff('vm-999999', signal)))).toBe(true)
    })

    test('two who switch one VM on at once both succeed', async () => {
      const { platform, vm, done } = theBench()
      const { id } = await vm('both')
      const both = await done(signal => Promise.all([platform.powerOn(id, signal), platform.powerOn(id, signal)]))
      expect(both.map(each => each.power)).toEqual(['on', 'on'])
    })

    test.each(['never', 'before', 'after'] as const)(
      'a guest that runs shuts down when asked, one that does not cannot be asked; cut off %s',
      async when => {
        const { platform, world, vm, done, failure, seen } = theBench()
        const { id } = await vm('guest')
        expect(GuestNotReady.is(await failure(signal => platform.shutDown(id, signal)))).toBe(true)
        await done(signal => platform.powerOn(id, signal))
        await done(signal => platform.waitForGuest(id, signal))
        if (when !== 'never') world.cutNext('shutDown', when)
        await done(signal => platform.shutDown(id, signal))
        await seen(() => platform.inventory.byId(id)?.power === 'off')
      },
    )
  })
}
