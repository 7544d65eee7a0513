import { expect, test } from 'vitest'
import { decode } from './decode/decode.ts'
import { Nest } from './nest.ts'
import { updateProblems } from './update-problems.ts'

const nest = (spec: object) => decode(Nest, { metadata: { name: 'a' }, spec }).object

test('a field that is immutable can be set once', () => {
  expect(updateProblems(Nest, nest({}), nest({ site: 'oak' }))).toEqual([])
})

test('then it can neither be changed nor removed', () => {
  expect(updateProblems(Nest, nest({ site: 'oak' }), nest({ site: 'elm' }))).toEqual([
    {
      path: 'spec.site',
      reason: 'FieldValueInvalid',
      message: 'Invalid value: "elm": field is immutable',
      fix: 'put the old value back, or make a new object',
    },
  ])
  expect(updateProblems(Nest, nest({ site: 'oak' }), nest({}))[0]?.message).toBe('Invalid value: field is immutable')
})

test('everything else may change', () => {
  expect(updateProblems(Nest, nest({ site: 'oak', eggs: 1 }), nest({ site: 'oak', eggs: 5, material: 'down' }))).toEqual([])
})
