import { describe, expect, test } from 'vitest'
import { NameTaken, NotThere } from '../errors.ts'
import { type Bench, mark } from './subject.ts'

/** What `clone` promises. */
export function cloning(theBench: () => Bench): void {
  describe('clone', () => {
    test('makes a VM that is off, with its mark and size', async () => {
      const { vm } = theBench()
      const made = await vm('sized', { cpus: 3, memoryMB: 2048 })
      expect(made).toMatchObject({ power: 'off', template: false, annotation: mark, note: JSON.parse(mark), cpus: 3, memoryMB: 2048 })
      expect(Object.isFrozen(made)).toBe(true)
    })

    test('takes what it is not told from the template', async () => {
      const { platform, world, vm } = theBench()
      const [template] = platform.inventory.byName(world.template)
      expect(await vm('plain')).toMatchObject({ cpus: template!.cpus, memoryMB: template!.memoryMB })
    })

    test('gives it a disk as large as was asked for, and never a smaller one', async () => {
      const { platform, world, vm, done } = theBench()
      const diskGB = (id: string) => done(signal => platform.diskGB(id, signal))
      const template = (await diskGB(platform.inventory.byName(world.template)[0]!.id))!
      expect(await diskGB((await vm('plain')).id)).toBe(template)
      expect(await diskGB((await vm('large', { diskGB: Math.ceil(template) + 30 })).id)).toBe(Math.ceil(template) + 30)
      expect(await diskGB((await vm('small', { diskGB: template / 2 })).id)).toBe(template)
    })

    test.each(['before', 'after'] as const)('a disk grows although the call for it is cut off %s its effect', async when => {
      const { platform, world, vm, done, name } = theBench()
      world.cutNext('claim', when)
      const made = await vm('grown', { diskGB: 77 })
      expect(await done(signal => platform.diskGB(made.id, signal))).toBe(77)
      expect(await world.named(made.name)).toEqual([made.id])
      // A platform that grows disks in the clone itself has not met the cut yet, and no later test shall.
      await done(signal => platform.claim({ id: made.id, expectedName: made.name, name: name('claimed'), annotation: mark }, signal))
    })

    test('asked again, or twice at once, gives the one VM', async () => {
      const { platform, world, name, request, done } = theBench()
      const chosen = name('once')
      const both = await done(signal => Promise.all([platform.clone(request(chosen), signal), platform.clone(request(chosen), signal)]))
      const again = await done(signal => platform.clone(request(chosen), signal))
      expect(new Set([...both, again].map(vm => vm.id))).toEqual(new Set(await world.named(chosen)))
      expect(await world.named(chosen)).toHaveLength(1)
    })

    test('refuses a name that belongs to somebody else, and makes nothing', async () => {
      const { platform, world, name, request, failure } = theBench()
      const chosen = name('taken')
      const id = await world.foreignVm({ name: chosen })
      const error = await failure(signal => platform.clone(request(chosen), signal))
      expect(NameTaken.is(error), String(error)).toBe(true)
      expect(await world.named(chosen)).toEqual([id])
    })

    test('says which template is not there, and makes nothing', async () => {
      const { platform, world, name, request, failure } = theBench()
      const chosen = name('no-template')
      const error = await failure(signal => platform.clone(request(chosen, { template: 'no-such-template' }), signal))
      expect(NotThere.is(error), String(error)).toBe(true)
      expect(await world.named(chosen)).toEqual([])
    })

    test.each(['before', 'after'] as const)('a call that is cut off %s its effect makes one VM all the same', async when => {
      const { platform, world, name, request, done } = theBench()
      const chosen = name(`cut-${when}`)
      world.cutNext('clone', when)
      const vm = await done(signal => platform.clone(request(chosen), signal))
      expect(await world.named(chosen)).toEqual([vm.id])
      expect(vm).toMatchObject({ name: chosen, annotation: mark })
    })

    test('goes on when the session ends in the middle', async () => {
      const { platform, world, name, request, done } = theBench()
      const chosen = name('expired')
      const vm = await done(async signal => {
        const made = platform.clone(request(chosen), signal)
        await world.expireSessions()
        return made
      })
      expect(await world.named(chosen)).toEqual([vm.id])
    })

    test('what a program began before it crashed, the next one finds', async () => {
      const { world, name, request, done } = theBench()
      const chosen = name('adopted')
      const first = await world.connect()
      const stop = new AbortController()
      // Nobody waits for this one any more; whether it is done or not, the next program must end up with one VM.
      const unheard = first.clone(request(chosen), stop.signal).catch(() => undefined)
      const second = await world.connect()
      const vm = await done(signal => second.clone(request(chosen), signal))
      await world.settle(unheard)
      expect(await world.named(chosen)).toEqual([vm.id])
      await Promise.all([first.close(), second.close()])
    })

    test('does nothing when the caller has given up already', async () => {
      const { platform, world, name, request } = theBench()
      const chosen = name('given-up')
      const reason = new Error('given up')
      await expect(world.settle(platform.clone(request(chosen), AbortSignal.abort(reason)))).rejects.toBe(reason)
      expect(await world.named(chosen)).toEqual([])
    })
  })
}
