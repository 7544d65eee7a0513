import { expect, test } from 'vitest'
import { column, condition } from './column.ts'
import { evaluatePath } from './json-path.ts'

test('a column is always shown and holds text unless it says otherwise', () => {
  expect(column('Size', '.spec.size')).toEqual({ name: 'Size', type: 'string', path: '.spec.size', priority: 0 })
})

test('a part of a condition is found by its path', () => {
  const object = { status: { conditions: [{ type: 'Ready', status: 'False', reason: 'Waiting', message: 'for eggs' }] } }
  const parts = [condition('Ready'), condition('Ready', 'reason'), condition('Ready', 'message'), condition('Lost')]
  expect(parts.map(path => evaluatePath(path, object))).toEqual(['False', 'Waiting', 'for eggs', undefined])
})
