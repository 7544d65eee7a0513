import fc from 'fast-check'
import { expect, test } from 'vitest'
import { backoff } from './backoff.ts'
import { seededChance } from './chance.ts'

/** Always the largest fraction: shows the limit itself. */
const largest = { ...seededChance(0), fraction: () => 1 - 2 ** -53 }

test('the limit doubles with each retry until the cap', () => {
  const limits = [1, 2, 3, 4, 5, 6, 1000].map(attempt => backoff({ base: 100, cap: 1000, chance: largest }, attempt))
  expect(limits).toEqual([100, 200, 400, 800, 1000, 1000, 1000])
})

test('any wait between nothing and the limit can come', () => {
  const chance = seededChance('full jitter')
  const waits = Array.from({ length: 2000 }, () => backoff({ base: 100, cap: 10_000, chance }, 3))
  expect(Math.min(...waits)).toBeLessThan(5)
  expect(Math.max(...waits)).toBeGreaterThan(395)
})

test('a wait is always a whole number between 0 and the cap', () =>
  fc.assert(
    fc.property(fc.nat(10_000), fc.nat(1_000_000), fc.integer({ min: 0, max: 1e9 }), fc.integer(), (base, cap, attempt, seed) => {
      const wait = backoff({ base, cap, chance: seededChance(seed) }, attempt)
      expect(Number.isInteger(wait) && wait >= 0 && wait <= cap).toBe(true)
    }),
  ))
