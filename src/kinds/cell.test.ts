import { expect, test } from 'vitest'
import { cellOf } from './cell.ts'
import { column, nameColumn } from './column.ts'
import type { Column } from './kind.ts'
import { Secret } from './secret.ts'

const now = 1_794_784_903_000 // 2026-11-15T23:21:43Z
const spec = {
  text: 'a<b',
  whole: 3,
  part: 1.75,
  on: false,
  list: ['a', 'b<c'],
  map: { b: 1, a: 2 },
  at: '2026-11-15T23:21:40Z',
  bad: 'soon',
  none: null,
}
const object = { apiVersion: 'v1', kind: 'Thing', metadata: { name: 'one' }, spec }

/** As kube-apiserver 1.35.4 fills the cells of a table. */
test.each<[string, Column['type'], unknown]>([
  ['text', 'string', 'a<b'],
  ['whole', 'string', '3'],
  ['on', 'string', 'false'],
  ['list', 'string', '["a","b\\u003cc"]'],
  ['map', 'string', '{"a":2,"b":1}'],
  ['whole', 'integer', 3],
  ['part', 'integer', 1],
  ['part', 'number', 1.75],
  ['text', 'integer', null],
  ['text', 'number', null],
  ['on', 'boolean', false],
  ['text', 'boolean', null],
  ['at', 'date', '3s'],
  ['bad', 'date', '<invalid>'],
  ['whole', 'date', null],
  ['none', 'string', null],
  ['missing', 'string', null],
])('%s in a column of type %s is %j', (field, type, expected) => {
  expect(cellOf(column('X', `.spec.${field}`, { type }), object, now)).toBe(expected)
})

test('an object without a name has an empty one', () => {
  expect(cellOf(nameColumn, { ...object, metadata: { name: 'one' } }, now)).toBe('one')
  expect(cellOf(nameColumn, { ...object, metadata: {} as never }, now)).toBe('')
})

test('kinds that Kubernetes serves count and compute by themselves', () => {
  const secret = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'one', creationTimestamp: spec.at },
    type: 'Opaque',
    data: { a: '', b: '' },
  }
  expect(Secret.columns.map(one => cellOf(one, secret, now))).toEqual(['one', 'Opaque', 2, '3s'])
})
