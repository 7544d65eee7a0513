import { describe, expect, test } from 'vitest'
import { everyCall } from './every-call.ts'
import type { Bench } from './subject.ts'

/** What is promised about a platform that does not answer. */
export function answering(theBench: () => Bench): void {
  describe('a platform that does not answer', () => {
    test('ends every call, although nobody calls it off', async () => {
      const { platform, world, vm, name, request, failure, seen } = theBench()
      const made = await vm('silent')
      const calls = everyCall(platform, made, request(name('silent')), world.login)
      await world.silence!(true)
      for (const [operation, call] of Object.entries(calls)) {
        expect(await failure(call), operation).toMatchObject({ code: expect.any(String) })
      }
      await world.silence!(false)
      await seen(() => platform.inventory.byId(made.id) !== undefined)
    })
  })
}
