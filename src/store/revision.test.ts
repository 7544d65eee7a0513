import { expect, test } from 'vitest'
import { compareRevisions, parseRevision } from './revision.ts'

test('revisions compare as numbers of any length', () => {
  expect(compareRevisions('9', '10')).toBeLessThan(0)
  expect(compareRevisions('123456789012345678901', '123456789012345678900')).toBeGreaterThan(0)
  expect(compareRevisions('7', '7')).toBe(0)
})

test('a revision is a decimal number, and the empty one is 0', () => {
  expect(parseRevision('')).toBe(0)
  expect(parseRevision('42')).toBe(42)
  for (const text of ['x', '-1', '1.5', '1e3', ' 1', '99999999999999999', '0x10']) {
    expect(() => parseRevision(text), text).toThrow(expect.objectContaining({ reason: 'BadRequest' }))
  }
})
