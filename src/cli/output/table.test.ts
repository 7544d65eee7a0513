import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Table, tableText } from './table.ts'

const rows = [
  ['robin', 'moss is being carried in and woven'],
  ['wren', 'ok'],
]

test('columns are aligned, headings in capitals, no blanks at the end of a line', () => {
  expect(tableText(['Name', 'Message'], rows)).toBe('NAME    MESSAGE\nrobin   moss is being carried in and woven\nwren    ok\n')
})

test('on a terminal columns move together, then the widest is cut, and says so', () => {
  expect(tableText(['Name', 'Message'], rows, 41)).toBe('NAME   MESSAGE\nrobin  moss is being carried in and woven\nwren   ok\n')
  expect(tableText(['Name', 'Message'], rows, 24)).toBe('NAME   MESSAGE\nrobin  moss is being ca…\nwren   ok\n')
})

test('names are cut last: the next command needs them whole', () => {
  const workers = [['tender-but-chief-pipit', 'forest-of-the-north', 'Building', 'no more than a few words']]
  const headings = ['Worker', 'Namespace', 'Status', 'Why']
  expect(tableText(headings, workers, 67)).toContain('tender-but-chief-pipit  forest-of-the-north  Building  no more tha…\n')
  expect(tableText(headings, workers, 40)).toBe('WORKER     NAMESPACE  STATUS    WHY\ntender-b…  forest-o…  Building  no more…\n')
})

test('rows that come later stand below the first ones, under one heading', () => {
  const table = new Table(['Name', 'Eggs'])
  expect(table.text([['starling', '4']])).toBe('NAME       EGGS\nstarling   4\n')
  expect(table.text([['owl', '1']])).toBe('owl        1\n')
  expect(table.text([['nightingale', '2']])).toBe('nightingale   2\n')
  expect(table.text([['owl', '0']])).toBe('owl           0\n')
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
