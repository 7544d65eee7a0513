import fc from 'fast-check'
import { expect, test } from 'vitest'
import { JsonLines } from './json-lines.ts'

function cut(bytes: Uint8Array, places: readonly number[]): Uint8Array[] {
  const sorted = [0, ...places.map(place => place % (bytes.length + 1)).toSorted((a, b) => a - b), bytes.length]
  return sorted.slice(1).map((end, index) => bytes.subarray(sorted[index], end))
}

test('lines are the same however the stream is cut, also in the middle of a character', () => {
  const line = fc.string({ unit: 'grapheme', minLength: 1 }).map(text => JSON.stringify(text))
  fc.assert(
    fc.property(fc.array(line), fc.array(fc.nat()), (lines, places) => {
      const bytes = Buffer.from(lines.map(each => `${each}\n`).join(''))
      const reader = new JsonLines()
      expect(cut(bytes, places).flatMap(piece => reader.take(piece))).toEqual(lines)
    }),
  )
})

test('half a line is none', () => {
  const reader = new JsonLines()
  expect(reader.take(Buffer.from('"a"\n"b'))).toEqual(['"a"'])
  expect(reader.take(Buffer.from(''))).toEqual([])
})

test('a line without end is refused', () => {
  const reader = new JsonLines()
  const piece = new Uint8Array(16 * 1024 * 1024).fill(65)
  expect(() => Array.from({ length: 5 }, () => reader.take(piece))).toThrow(/line of more than/)
})
