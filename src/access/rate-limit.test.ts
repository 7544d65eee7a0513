import fc from 'fast-check'
import { expect, test } from 'vitest'
import { VirtualClock } from '../ports/index.ts'
import { RateLimit } from './rate-limit.ts'

test('a burst passes, what follows is told how long to wait, and may go on then', async () => {
  const clock = new VirtualClock({ start: 0 })
  const limit = new RateLimit({ requestsPerSecond: 0.5, burst: 3, clock })
  expect([1, 2, 3].map(() => limit.take('ann'))).toEqual([undefined, undefined, undefined])
  expect(limit.take('ann')).toBe(2)
  await clock.advance(2000)
  expect(limit.take('ann')).toBeUndefined()
  expect(limit.take('ann')).toBe(2)
})

test('one caller’s flood takes nothing from another', () => {
  const limit = new RateLimit({ requestsPerSecond: 1, burst: 2, clock: new VirtualClock({ start: 0 }) })
  for (let i = 0; i < 100; i++) limit.take('flood')
  expect(limit.take('ann')).toBeUndefined()
})

test('no limit is no limit', () => {
  const limit = new RateLimit({ requestsPerSecond: 0, burst: 1, clock: new VirtualClock({ start: 0 }) })
  expect(Array.from({ length: 1000 }, () => limit.take('ann')).every(wait => wait === undefined)).toBe(true)
})

test('in no stretch of time does a caller get more than burst and rate allow, not even among thousands of others', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat({ max: 3000 }), { minLength: 1, maxLength: 60 }), fc.boolean(), async (pauses, crowd) => {
      const clock = new VirtualClock({ start: 0 })
      const limit = new RateLimit({ requestsPerSecond: 2, burst: 5, clock })
      let passed = 0
      for (const pause of pauses) {
        if (limit.take('ann') === undefined) passed++
        if (crowd) for (let i = 0; i < 50; i++) limit.take(`other ${clock.now()} ${i}`)
        await clock.advance(pause)
      }
      expect(passed).toBeLessThanOrEqual(5 + 2 * (clock.now() / 1000) + 1)
    }),
    { numRuns: 30 },
  )
})

test('memory is bounded whatever callers call themselves', () => {
  const clock = new VirtualClock({ start: 0 })
  const limit = new RateLimit({ requestsPerSecond: 1, burst: 1, clock })
  for (let i = 0; i < 25_000; i++) limit.take(`caller ${i}`)
  // The newest are remembered: their second request has to wait.
  expect(limit.take('caller 24999')).toBe(1)
})
