import { describe, expect, test } from 'vitest'
import { Nest } from '../kinds/index.ts'
import { columnDefinitions, tableRow } from './table.ts'

const now = 1_800_000_000_000
const made = '2027-01-15T07:59:00Z'
const nest = {
  apiVersion: Nest.apiVersion,
  kind: 'Nest',
  metadata: { name: 'a', creationTimestamp: made },
  spec: { eggs: 2, material: 'moss' },
}

describe('trap 12: what the server computes for kubectl', () => {
  test('ages are texts, missing values are empty, wide columns have priority 1', () => {
    expect(tableRow(Nest, nest, now, 'None')).toEqual({ cells: ['a', 2, null, null, 'moss', '60s'], object: null })
    const wide = columnDefinitions(Nest).filter(definition => (definition as { priority: number }).priority === 1)
    expect(wide).toMatchObject([{ name: 'Material' }])
  })

  test('a row carries the metadata, or the object, or nothing', () => {
    expect(tableRow(Nest, nest, now, 'Metadata').object).toEqual({
      kind: 'PartialObjectMetadata',
      apiVersion: 'meta.k8s.io/v1',
      metadata: nest.metadata,
    })
    expect(tableRow(Nest, nest, now, 'Object').object).toBe(nest)
  })

  test.each([
    ['integer', 3.9, 3],
    ['integer', 'three', null],
    ['number', 3.5, 3.5],
    ['boolean', true, true],
    ['boolean', 'true', null],
    ['string', 3, '3'],
    ['string', { a: 1 }, '{"a":1}'],
    ['date', made, '60s'],
    ['date', 'yesterday', '<invalid>'],
    ['date', 5, null],
  ] as const)('a column of type %s shows %j as %j', (type, value, cell) => {
    const odd = Object.create(Nest, { columns: { value: [{ name: 'Value', type, path: '.value', priority: 0 }] } }) as typeof Nest
    const object = { apiVersion: 'x.dev/v1', kind: 'Odd', metadata: { name: 'a' }, value }
    expect(tableRow(odd, object, now, 'None').cells).toEqual([cell])
  })
})
