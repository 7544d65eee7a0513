import fc from 'fast-check'
import { expect, test } from 'vitest'
import { tableText } from './table.ts'

const rows = [
  ['robin', 'moss is being carried in and woven'],
  ['wren', 'ok'],
]

test('columns are aligned, headings in capitals, no blanks at the end of a line', () => {
  expect(tableText(['Name', 'Message'], rows)).toBe('NAME    MESSAGE\nrobin   moss is being carried in and woven\nwren    ok\n')
})

test('on a terminal the widest column is cut, and says so', () => {
  expect(tableText(['Name', 'Message'], rows, 24)).toBe('NAME    MESSAGE\nrobin   moss is being c…\nwren    ok\n')
})

test('what would break the line or command the terminal is a blank', () => {
  expect(tableText(['Name'], [['a\nb\u001b[31mc']])).toBe('NAME\na b [31mc\n')
})

test('no line is wider than the terminal, as long as the columns can be narrow enough', () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.string(), fc.string(), fc.string()), { maxLength: 5 }),
      fc.integer({ min: 40, max: 120 }),
      (cells, width) => {
        for (const line of tableText(['One', 'Two', 'Three'], cells, width).split('\n'))
          expect(Array.from(line).length).toBeLessThanOrEqual(width)
      },
    ),
  )
})

test('there may be more rows than a function takes arguments', () => {
  const many = Array.from({ length: 150_000 }, (_, n) => [`nest-${n}`])
  expect(tableText(['Name'], many).length).toBeGreaterThan(150_000)
})
