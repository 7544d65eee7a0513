import fc from 'fast-check'
import { expect, test } from 'vitest'
import { LineSplitter } from './line-splitter.ts'
import { OutputTail } from './output-tail.ts'

/** Some text, cut into pieces at any byte. */
const pieces = fc.tuple(fc.string({ unit: 'grapheme', maxLength: 200 }), fc.array(fc.nat(400))).map(([text, cuts]) => {
  const bytes = Buffer.from(text)
  const places = [0, ...cuts.map(cut => cut % (bytes.length + 1)).toSorted((a, b) => a - b), bytes.length]
  return { text, chunks: places.slice(1).map((end, index) => bytes.subarray(places[index], end)) }
})

test('a tail is the whole text if that fits, else its end, and never a broken character', () =>
  fc.assert(
    fc.property(pieces, fc.integer({ min: 1, max: 100 }), ({ text, chunks }, max) => {
      const tail = new OutputTail(max)
      for (const chunk of chunks) tail.add(chunk)
      const kept = tail.toString()
      const size = Buffer.byteLength(text)
      expect(text.endsWith(kept)).toBe(true)
      if (size <= max) expect(kept).toBe(text)
      else {
        expect(Buffer.byteLength(kept)).toBeLessThanOrEqual(max)
        expect(Buffer.byteLength(kept)).toBeGreaterThan(max - 4)
      }
    }),
  ))

test('lines are the same wherever the pieces are cut', () =>
  fc.assert(
    fc.property(
      fc.array(fc.string({ unit: fc.constantFrom('a', 'ü', '😀', ' ', '\t') }), { minLength: 1 }),
      fc.array(fc.nat(400)),
      (lines, cuts) => {
        const bytes = Buffer.from(lines.map(line => `${line}\n`).join(''))
        const places = [0, ...cuts.map(cut => cut % (bytes.length + 1)).toSorted((a, b) => a - b), bytes.length]
        const seen: string[] = []
        const splitter = new LineSplitter(1000, line => seen.push(line))
        for (const [index, end] of places.slice(1).entries()) splitter.add(bytes.subarray(places[index], end))
        splitter.finish()
        expect(seen).toEqual(lines)
      },
    ),
  ))

test('a line without an end is given out in pieces, so that it cannot fill the memory', () => {
  const seen: string[] = []
  const splitter = new LineSplitter(4, line => seen.push(line))
  splitter.add(Buffer.from('abcdefghij'))
  expect(seen).toEqual(['abcd', 'efgh'])
  splitter.finish()
  expect(seen).toEqual(['abcd', 'efgh', 'ij'])
})
