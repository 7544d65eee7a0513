import { describe, expect, test } from 'vitest'
import { Unreachable } from '../../ports/index.ts'
import { InventoryNotLive, NotThere } from '../errors.ts'
import type { Bench } from './subject.ts'

/** What the platform tells of itself. */
export function reporting(theBench: () => Bench): void {
  describe('what the platform tells', () => {
    test('capacity in numbers, and which pool is not there', async () => {
      const { platform, done, failure } = theBench()
      const { cpuMHz, memoryMB } = await done(() => platform.capacity())
      for (const part of [cpuMHz, memoryMB]) {
        expect(part.unreserved).toBeGreaterThanOrEqual(0)
        expect(part.used).toBeGreaterThanOrEqual(0)
      }
      expect(NotThere.is(await failure(() => platform.capacity('no-such-pool')))).toBe(true)
    })

    test('events of a VM, oldest first', async () => {
      const { platform, vm, done } = theBench()
      const made = await vm('eventful')
      await done(signal => platform.powerOn(made.id, signal))
      await done(signal => platform.powerOff(made.id, signal))
      const events = await done(signal => platform.events(made.id, signal))
      const telling = events.map(event => event.type).filter(type => type === 'started' || type === 'poweredOff')
      expect(telling).toEqual(['started', 'poweredOff'])
      expect(events.map(event => event.time)).toEqual(events.map(event => event.time).toSorted((one, other) => one - other))
      expect(events.every(event => event.vm === made.id)).toBe(true)
    })

    test('a claim as a change of name', async () => {
      const { platform, vm, name, done } = theBench()
      const made = await vm('renamed')
      await done(signal =>
        platform.claim({ id: made.id, expectedName: made.name, name: name('claimed'), annotation: made.annotation }, signal),
      )
      const events = await done(signal => platform.events(made.id, signal))
      expect(events.map(event => event.type)).toContain('renamed')
    })

    test('nothing any more once it is closed', async () => {
      const { world, failure, request, name } = theBench()
      const other = await world.connect()
      await world.settle(other.inventory.whenLive(new AbortController().signal))
      await other.close()
      expect(() => other.inventory.all()).toThrow(expect.objectContaining({ code: InventoryNotLive.code }))
      expect(Unreachable.is(await failure(signal => other.clone(request(name('closed')), signal)))).toBe(true)
    })
  })
}
