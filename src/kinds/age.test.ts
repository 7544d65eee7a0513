import { expect, test } from 'vitest'
import { ageOf, humanDuration } from './age.ts'

const second = 1000
const minute = 60 * second
const hour = 60 * minute
const day = 24 * hour

/** As kubectl prints them. */
test.each([
  [0, '0s'],
  [-1500, '0s'],
  [-2 * second, '<invalid>'],
  [119 * second, '119s'],
  [120 * second, '2m'],
  [125 * second, '2m5s'],
  [9 * minute + 59 * second, '9m59s'],
  [10 * minute + 59 * second, '10m'],
  [179 * minute, '179m'],
  [3 * hour, '3h'],
  [3 * hour + 5 * minute, '3h5m'],
  [8 * hour + 59 * minute, '8h'],
  [47 * hour, '47h'],
  [2 * day, '2d'],
  [2 * day + 3 * hour, '2d3h'],
  [8 * day + 3 * hour, '8d'],
  [729 * day, '729d'],
  [730 * day, '2y'],
  [735 * day, '2y5d'],
  [8 * 365 * day + 5 * day, '8y'],
])('%d ms are %s', (ms, expected) => {
  expect(humanDuration(ms)).toBe(expected)
})

const now = 1_794_784_903_000 // 2026-11-15T23:21:43Z

test.each([
  ['2026-11-15T23:21:40Z', '3s'],
  ['2026-11-15T23:21:40.5Z', '2s'],
  ['2026-11-16T00:21:40+01:00', '3s'],
  ['2026-11-15T18:51:40-04:30', '3s'],
  ['2024-02-29T23:21:43Z', '2y260d'],
  ['yesterday', '<unknown>'],
  [undefined, '<unknown>'],
])('%s was %s ago', (moment, expected) => {
  expect(ageOf(moment, now)).toBe(expected)
})
