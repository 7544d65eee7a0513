import { describe, expect, test } from 'vitest'
import { ClaimLost, DiskNotGrown, NameTaken, NotThere } from '../errors.ts'
import type { Vm } from '../platform.ts'
import type { Bench } from './subject.ts'

const claimed = JSON.stringify({ owner: 'platform-contract', claimed: true })

/** What `claim` and `annotate` promise. */
export function claiming(theBench: () => Bench): void {
  const claim = (vm: Vm, name: string, more: { cpus?: number; memoryMB?: number; diskGB?: number; annotation?: string } = {}) => ({
    id: vm.id,
    expectedName: vm.name,
    name,
    annotation: claimed,
    ...more,
  })

  describe('claim', () => {
    test('renames, marks and resizes, and the VM stays the same', async () => {
      const { platform, name, vm, done } = theBench()
      const ready = await vm('ready')
      const chosen = name('claimed')
      const mine = await done(signal => platform.claim(claim(ready, chosen, { cpus: 4, memoryMB: 8192 }), signal))
      expect(mine).toMatchObject({ id: ready.id, name: chosen, annotation: claimed, cpus: 4, memoryMB: 8192, power: 'off' })
    })

    test.each(['before', 'after'] as const)(
      'is completed when the call is cut off %s its effect, and when it is called again',
      async when => {
        const { platform, world, name, vm, done } = theBench()
        const ready = await vm('ready')
        const chosen = name('claimed')
        world.cutNext('claim', when)
        const mine = await done(signal => platform.claim(claim(ready, chosen), signal))
        const again = await done(signal => platform.claim(claim(ready, chosen), signal))
        expect([mine, again].map(each => [each.id, each.name, each.annotation])).toEqual(
          Array.from({ length: 2 }, () => [ready.id, chosen, claimed]),
        )
      },
    )

    test('grows the disk of a VM with a disk of its own, and leaves one that is large enough alone', async () => {
      const { platform, name, vm, done } = theBench()
      const ready = await vm('own-disk', { linked: false })
      const diskGB = () => done(signal => platform.diskGB(ready.id, signal))
      const before = (await diskGB())!
      const first = await done(signal => platform.claim(claim(ready, name('grown'), { diskGB: Math.ceil(before) + 40, cpus: 4 }), signal))
      expect([await diskGB(), first.cpus]).toEqual([Math.ceil(before) + 40, 4])
      const second = await done(signal => platform.claim(claim(first, name('again'), { diskGB: before / 2 }), signal))
      expect([await diskGB(), second.name]).toEqual([Math.ceil(before) + 40, second.name])
    })

    test('says that a disk which hangs on the template cannot grow, and changes nothing', async () => {
      const { platform, name, vm, done, failure } = theBench()
      const ready = await vm('linked')
      const has = await done(signal => platform.diskGB(ready.id, signal))
      const error = await failure(signal => platform.claim(claim(ready, name('grown'), { diskGB: 500, cpus: 4 }), signal))
      expect(DiskNotGrown.is(error), String(error)).toBe(true)
      expect(error).toMatchObject({ details: { has, wanted: 500 } })
      expect(platform.inventory.byId(ready.id)).toMatchObject({ name: ready.name, cpus: ready.cpus })
    })

    test('of two at once one wins and the other learns that it lost', async () => {
      const { platform, name, vm, done } = theBench()
      const ready = await vm('contested')
      const names = [name('winner'), name('winner')]
      const outcomes = await done(signal =>
        Promise.allSettled(names.map(each => platform.claim(claim(ready, each, { annotation: JSON.stringify({ by: each }) }), signal))),
      )
      const won = outcomes.flatMap(outcome => (outcome.status === 'fulfilled' ? [outcome.value] : []))
      const lost = outcomes.flatMap(outcome => (outcome.status === 'rejected' ? [outcome.reason as unknown] : []))
      expect(won).toHaveLength(1)
      expect(lost.map(error => ClaimLost.is(error))).toEqual([true])
      expect(platform.inventory.byId(ready.id)).toMatchObject({ name: won[0]!.name, note: { by: won[0]!.name } })
    })

    test('is lost if the VM has another name by now, or is on', async () => {
      const { platform, world, name, vm, done, failure } = theBench()
      const renamed = await vm('renamed')
      await world.rename(renamed.id, name('by-others'))
      expect(ClaimLost.is(await failure(signal => platform.claim(claim(renamed, name('late')), signal)))).toBe(true)
      const running = await vm('running')
      await done(signal => platform.powerOn(running.id, signal))
      expect(ClaimLost.is(await failure(signal => platform.claim(claim(running, name('late')), signal)))).toBe(true)
      expect(platform.inventory.byId(running.id)?.name).toBe(running.name)
    })

    test('refuses a name that another VM has, and a VM that is not there', async () => {
      const { platform, world, name, vm, failure } = theBench()
      const ready = await vm('ready')
      const taken = name('taken')
      await world.foreignVm({ name: taken })
      expect(NameTaken.is(await failure(signal => platform.claim(claim(ready, taken), signal)))).toBe(true)
      await world.remove(ready.id)
      expect(NotThere.is(await failure(signal => platform.claim(claim(ready, name('late')), signal)))).toBe(true)
    })
  })

  describe('annotate', () => {
    test.each(['before', 'after', 'never'] as const)('replaces the annotation, cut off %s', async when => {
      const { platform, world, vm, done } = theBench()
      const made = await vm('noted')
      const text = '{"text":"é <&> \\"quoted\\""}'
      if (when !== 'never') world.cutNext('annotate', when)
      expect(await done(signal => platform.annotate(made.id, text, signal))).toMatchObject({ id: made.id, annotation: text })
      expect(platform.inventory.byId(made.id)?.note).toEqual({ text: 'é <&> "quoted"' })
    })

    test('does so while the VM is on', async () => {
      const { platform, vm, done } = theBench()
      const { id } = await vm('running')
      await done(signal => platform.powerOn(id, signal))
      expect(await done(signal => platform.annotate(id, '{"text":"on"}', signal))).toMatchObject({
        annotation: '{"text":"on"}',
        power: 'on',
      })
    })

    test('says so if the VM is not there', async () => {
      const { platform, failure } = theBench()
      expect(NotThere.is(await failure(signal => platform.annotate('vm-999999', '', signal)))).toBe(true)
    })
  })
}
