import { expect, test } from 'vitest'
import type { Json } from '../resource.ts'
import type { StructuralSchema } from '../structural-schema.ts'
import { defaultsOf, withDefaults } from './defaults.ts'

const schema: StructuralSchema = {
  type: 'object',
  properties: {
    size: { type: 'integer', default: 1 },
    name: { type: 'string' },
    place: { type: 'object', default: {}, properties: { tree: { type: 'string', default: 'oak' }, side: { type: 'string' } } },
    guards: { type: 'array', items: { type: 'object', properties: { shift: { type: 'string', default: 'day' } } } },
    rooms: { type: 'object', additionalProperties: { type: 'object', properties: { beds: { type: 'integer', default: 2 } } } },
  },
}

test.each<readonly [string, Json, Json]>([
  ['a field', { place: { tree: 'elm' } }, { place: { tree: 'elm' }, size: 1 }],
  ['a field within a default', { size: 3 }, { size: 3, place: { tree: 'oak' } }],
  ['a field within a field', { size: 3, place: { side: 'north' } }, { size: 3, place: { side: 'north', tree: 'oak' } }],
  [
    'a field of the items of a list',
    { size: 3, place: { tree: 'elm' }, guards: [{ shift: 'night' }, {}] },
    { size: 3, place: { tree: 'elm' }, guards: [{ shift: 'night' }, { shift: 'day' }] },
  ],
  [
    'a field of the values of a map, whatever their names',
    { size: 3, place: { tree: 'elm' }, rooms: JSON.parse('{"__proto__": {}}') },
    { size: 3, place: { tree: 'elm' }, rooms: JSON.parse('{"__proto__": {"beds": 2}}') },
  ],
  ['nothing else: neither what is wrong nor what is unknown', { size: 'x', place: 7, ink: null }, { size: 'x', place: 7, ink: null }],
])('defaults are filled in where they are missing: %s', (_, value, expected) => {
  const before = structuredClone(value)
  expect(JSON.stringify(withDefaults(schema, value))).toBe(JSON.stringify(expected))
  expect(value).toEqual(before)
})

test('a value that lacks none is the very same', () => {
  const value = { size: 3, place: { tree: 'elm' }, guards: [{ shift: 'night' }], rooms: { a: { beds: 1 } } }
  expect(withDefaults(schema, value)).toBe(value)
})

test('what a schema fills in is told with its place', () => {
  expect(defaultsOf(schema)).toEqual([
    ['.size', 1],
    ['.place', {}],
    ['.place.tree', 'oak'],
    ['.guards[].shift', 'day'],
    ['.rooms.*.beds', 2],
  ])
})
