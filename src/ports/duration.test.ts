import fc from 'fast-check'
import { expect, test } from 'vitest'
import { formatDuration, parseDuration } from './duration.ts'
import { DurationNotValid } from './errors.ts'

test.each([
  ['0', 0],
  ['0s', 0],
  ['90s', 90_000],
  ['1h30m', 5_400_000],
  ['1.5h', 5_400_000],
  ['300ms', 300],
  ['1m5.25s', 65_250],
  ['-10s', -10_000],
  ['+1m', 60_000],
  ['.5s', 500],
  ['1500us', 1.5],
  ['1500µs', 1.5],
  ['2000000ns', 2],
  ['87600h', 315_360_000_000],
])('%s is a duration, as in Go', (text, milliseconds) => expect(parseDuration(text)).toBeCloseTo(milliseconds, 6))

test.each(['', '5', '1d', '1 h', 'h', '1h 30m', '--1s', '1h-30m', '1e3s', 'ms', '١s'])(
  '"%s" is not, and the error says how to write one',
  text => {
    expect(() => parseDuration(text)).toThrow(
      expect.objectContaining({ code: DurationNotValid.code, fix: expect.stringContaining('1h30m') }),
    )
  },
)

test.each([
  [0, '0s'],
  [300, '300ms'],
  [1000, '1s'],
  [1500, '1.5s'],
  [60_000, '1m'],
  [65_250, '1m5.25s'],
  [5_400_000, '1h30m'],
  [3_600_000, '1h'],
  [3_601_000, '1h1s'],
  [0.001, '0.001ms'],
  [-90_000, '-1m30s'],
])('%s ms are written as %s', (milliseconds, text) => expect(formatDuration(milliseconds)).toBe(text))

test('what was written can be read back', () => {
  const durations = fc.integer({ min: -1e12, max: 1e12 })
  fc.assert(fc.property(durations, ms => Math.abs(parseDuration(formatDuration(ms)) - ms) < 0.001))
})
