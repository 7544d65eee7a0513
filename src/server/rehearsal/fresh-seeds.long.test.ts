import { expect, test } from 'vitest'
import { realClock } from '../../ports/index.ts'
import { wrongsOf } from './testing/wrongs-of.ts'

/** So many seeds belong to each hour since 1970; the next hour has others. */
const seedsPerHour = 300
/** A slow machine tries fewer of them. */
const timeLimit = 60_000

// A commit must not fail for the hour at which it is made: only CI goes looking for new failures.
test.runIf(process.env['CI'] === 'true')('seeds drawn from the date and hour pass', { timeout: 3 * timeLimit }, async () => {
  const clock = realClock()
  const first = Math.floor(clock.now() / 3_600_000) * seedsPerHour
  const end = clock.monotonic() + timeLimit
  const failed: string[] = []
  let seed = first
  for (; seed < first + seedsPerHour && clock.monotonic() < end; seed++) failed.push(...(await wrongsOf(seed, seed)))
  expect(failed).toEqual([])
  expect(seed).toBeGreaterThan(first)
})
