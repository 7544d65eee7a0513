import fc from 'fast-check'
import { expect, test } from 'vitest'
import { DurationNotValid, TimeNotValid } from './errors.ts'
import { formatDuration, isoTime, isoTimeMicro, parseDuration, parseTime } from './time.ts'

test('times are written as Kubernetes writes them', () => {
  expect(isoTime(1_794_784_903_999)).toBe('2026-11-15T23:21:43Z')
  expect(isoTimeMicro(1_794_784_903_125)).toBe('2026-11-15T23:21:43.125000Z')
  expect(isoTimeMicro(1_794_784_903_125.25)).toBe('2026-11-15T23:21:43.125250Z')
})

test('every second of every year is written as Date writes it', () => {
  const moments = fc.integer({ min: -62_167_219_200_000, max: 253_402_300_799_999 })
  fc.assert(fc.property(moments, ms => isoTime(ms) === new Date(ms).toISOString().replace(/\.\d{3}Z$/, 'Z')))
})

test('what was written can be read back', () => {
  const moments = fc.integer({ min: 0, max: 253_402_300_799_999 })
  fc.assert(fc.property(moments, ms => parseTime(isoTimeMicro(ms)) === ms))
  fc.assert(fc.property(moments, ms => parseTime(isoTime(ms)) === Math.floor(ms / 1000) * 1000))
})

test.each([
  ['2026-11-15T23:21:43Z', 1_794_784_903_000],
  ['2026-11-16T00:21:43+01:00', 1_794_784_903_000],
  ['2026-11-15t23:21:43z', 1_794_784_903_000],
  ['2026-11-15T23:21:43.5Z', 1_794_784_903_500],
  ['2026-11-15T23:21:43.123456789Z', 1_794_784_903_123],
  ['2024-02-29T00:00:00Z', 1_709_164_800_000],
])('%s is a time', (text, milliseconds) => expect(parseTime(text)).toBe(milliseconds))

test.each([
  '',
  'yesterday',
  '2026-11-15',
  '2026-11-15T23:21:43',
  '2026-11-15 23:21:43Z',
  '2026-02-30T00:00:00Z',
  '2026-13-01T00:00:00Z',
  '2026-11-15T24:00:01Z',
  '2026-11-15T23:60:00Z',
  '1794784903',
  ' 2026-11-15T23:21:43Z',
])('"%s" is not, and the error says how to write one', text => {
  expect(() => parseTime(text)).toThrow(
    expect.objectContaining({ code: TimeNotValid.code, fix: expect.stringContaining('2026-11-15T23:21:43Z') }),
  )
})

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
