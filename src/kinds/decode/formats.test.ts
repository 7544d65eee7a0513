import { expect, test } from 'vitest'
import { isBase64, isDateTime } from './formats.ts'

test.each([
  ['2026-11-15T23:21:43Z', true],
  ['2026-11-15t23:21:43z', true],
  ['2026-11-15T23:21:43.123456789Z', true],
  ['2026-11-15T23:21:43+05:30', true],
  ['2024-02-29T00:00:00Z', true],
  ['2026-02-29T00:00:00Z', false],
  ['2000-02-29T00:00:00Z', true],
  ['1900-02-29T00:00:00Z', false],
  ['2026-04-31T00:00:00Z', false],
  ['2026-13-01T00:00:00Z', false],
  ['2026-00-10T00:00:00Z', false],
  ['2026-11-15T24:00:00Z', false],
  ['2026-11-15T23:60:00Z', false],
  ['2026-11-15 23:21:43Z', false],
  ['2026-11-15T23:21:43', false],
  ['2026-11-15', false],
  ['', false],
])('%s is a moment: %s', (text, expected) => {
  expect(isDateTime(text)).toBe(expected)
})

test.each([
  ['', true],
  ['aGk=', true],
  ['aA==', true],
  ['aGVs', true],
  ['aGk', false],
  ['a===', false],
  ['aG=s', false],
  ['aGk_', false],
  ['aG k', false],
])('%s is base64: %s', (text, expected) => {
  expect(isBase64(text)).toBe(expected)
})

test('a large text is looked at without trouble', () => {
  expect(isBase64('A'.repeat(4_000_000))).toBe(true)
})
