import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Row } from '../sealed-row.ts'
import { blockSize, recordAt, RecordWriter } from './record.ts'

const text = fc.string({ unit: 'grapheme', maxLength: 3000 })
const rows = fc
  .tuple(
    fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER - 20 }),
    fc.array(fc.tuple(text, text, fc.constantFrom(0, 1), text, text), { minLength: 1, maxLength: 12 }),
  )
  .map(([first, list]) => list.map(([kind, key, deleted, traits, body], at): Row => [first + at, kind, key, deleted, traits, body]))

/** One record after another, as in a segment. */
function written(...batches: readonly (readonly Row[])[]): Buffer {
  const writer = new RecordWriter()
  return Buffer.concat(batches.map(batch => Buffer.from(writer.record(batch))))
}

describe('a record', () => {
  test('gives back the rows that it was made of, whatever they hold, and says where the next one begins', () => {
    fc.assert(
      fc.property(rows, rows, (one, other) => {
        const bytes = written(one, other)
        const first = recordAt(bytes, 0)!
        expect(first.rows()).toEqual(one)
        expect(first).toMatchObject({ firstRevision: one[0]![0], lastRevision: one.at(-1)![0] })
        expect(first.end % blockSize).toBe(0)
        const second = recordAt(bytes, first.end)!
        expect(second.rows()).toEqual(other)
        expect(second.end).toBe(bytes.length)
      }),
      { numRuns: 50 },
    )
  })

  test('of which the disk holds only a part is none', () => {
    fc.assert(
      fc.property(rows, fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), (batch, part) => {
        const bytes = written(batch)
        const length = 24 + bytes.readUInt32LE(4)
        const torn = Buffer.from(bytes).fill(0xee, Math.floor(part * length))
        expect(recordAt(torn, 0)).toBeUndefined()
        expect(recordAt(bytes.subarray(0, Math.floor(part * length)), 0)).toBeUndefined()
      }),
    )
  })

  test('in which any byte changed is none', () => {
    const bytes = written([[7, 'nests', 'here/a', 0, '{}', '{"eggs":1}']])
    const length = 24 + bytes.readUInt32LE(4)
    for (let at = 0; at < length; at++) {
      const changed = Buffer.from(bytes)
      changed[at]! ^= 1
      expect(recordAt(changed, 0), `byte ${at}`).toBeUndefined()
    }
  })

  test('may be larger than the memory that is kept for the next one', () => {
    const large: Row = [1, 'k', 'large', 0, '{}', 'ä'.repeat(2_000_000)]
    const small: Row = [2, 'k', 'small', 0, '{}', 'ä']
    const bytes = written([large], [small])
    const first = recordAt(bytes, 0)!
    expect(first.rows()).toEqual([large])
    expect(recordAt(bytes, first.end)!.rows()).toEqual([small])
  })
})

test('there is no record in what never was one', () => {
  expect(recordAt(Buffer.alloc(blockSize), 0)).toBeUndefined()
  expect(recordAt(Buffer.alloc(10), 0)).toBeUndefined()
  expect(recordAt(Buffer.from('{"kind":"Nest"}'.repeat(1000)), blockSize)).toBeUndefined()
})
