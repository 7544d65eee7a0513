import { describe, expect, test } from 'vitest'
import { allKinds } from '../all-kinds.ts'
import { Specimen } from '../testing/specimen.ts'
import { crd } from '../crd.ts'
import type { StructuralSchema } from '../structural-schema.ts'
import { badSchemas, withField } from '../testing/bad-schemas.ts'
import { structuralProblems } from './structural-problems.ts'

describe('a schema is not structural with', () => {
  test.each(badSchemas)('%s', (_name, schema, message) => {
    expect(structuralProblems(schema as StructuralSchema).join('\n')).toContain(message)
  })
})

describe('a schema is structural with', () => {
  const good: readonly (readonly [string, object])[] = [
    ['a number or text, said twice', withField({ 'x-kubernetes-int-or-string': true, anyOf: [{ type: 'integer' }, { type: 'string' }] })],
    ['logic about known fields', withField({ type: 'object', properties: { b: { type: 'string' } }, oneOf: [{ required: ['b'] }] })],
    ['anything at all', withField({ 'x-kubernetes-preserve-unknown-fields': true })],
    [
      'restrictions of the name',
      { type: 'object', properties: { metadata: { type: 'object', properties: { name: { type: 'string', maxLength: 20 } } } } },
    ],
  ]
  test.each(good)('%s', (_name, schema) => {
    expect(structuralProblems(schema as StructuralSchema)).toEqual([])
  })
})

test.each([...allKinds, Specimen])('the schema of $name is structural', kind => {
  expect(structuralProblems(kind.schema)).toEqual([])
  if (!kind.builtIn) expect(structuralProblems(crd(kind).spec.versions[0]!.schema.openAPIV3Schema)).toEqual([])
})
