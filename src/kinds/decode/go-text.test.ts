import { expect, test } from 'vitest'
import { goPrint, goQuote, goValue } from './go-text.ts'

test.each([
  ['plain', '"plain"'],
  ['a "b" \\', '"a \\"b\\" \\\\"'],
  ['\n\t\r\x07\b\f\v', '"\\n\\t\\r\\a\\b\\f\\v"'],
  ['\x00\x1b\x7f', '"\\x00\\x1b\\x7f"'],
  ['Grüße 😀', '"Grüße 😀"'],
  ['\u00a0\u200b\u2028', '"\\u00a0\\u200b\\u2028"'],
  ['<&>', '"<&>"'],
])('the text %j is quoted as Go does', (text, expected) => {
  expect(goQuote(text)).toBe(expected)
})

test('objects are printed as Go writes JSON: keys sorted, HTML escaped', () => {
  expect(goValue({ b: '<x>', a: [1, { d: 1, c: null }] })).toBe('{"a":[1,{"c":null,"d":1}],"b":"\\u003cx\\u003e"}')
})

test('numbers, truth and null are printed plain', () => {
  expect([goValue(1.5), goValue(true), goValue(null)]).toEqual(['1.5', 'true', 'null'])
})

test('lists and maps without a form are printed as Go does', () => {
  expect(goPrint({ b: [1, 'x'], a: null })).toBe('map[a:<nil> b:[1 x]]')
})
