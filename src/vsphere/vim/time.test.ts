import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isoTimeMicro, parseTime } from '../../ports/index.ts'
import { timeOf } from './time.ts'

test('every time that vCenter writes is the one that anybody else reads', () => {
  const moment = fc.integer({ min: -62_000_000_000_000, max: 250_000_000_000_000 })
  fc.assert(
    fc.property(moment, milliseconds => {
      const text = isoTimeMicro(milliseconds)
      expect(timeOf(text)).toBe(parseTime(text))
    }),
  )
})

test.each([
  ['2026-11-16T03:09:44Z', parseTime('2026-11-16T03:09:44Z')],
  ['2026-11-16T03:09:44.02680479Z', parseTime('2026-11-16T03:09:44.026Z')],
  ['2026-11-16T05:09:44+02:00', parseTime('2026-11-16T03:09:44Z')],
  ['2024-02-29T00:00:00Z', parseTime('2024-02-29T00:00:00Z')],
])('%s is a moment', (text, expected) => {
  expect(timeOf(text)).toBe(expected)
})

test.each([undefined, '', '0001-01-01T00:00:00Z', 'yesterday', '2026-13-01T00:00:00Z', '2026-02-30T00:00:00Z', '2026-01-01T25:00:00Z'])(
  '%j is none',
  text => {
    expect(timeOf(text)).toBeUndefined()
  },
)
