import { expect, test } from 'vitest'
import fc from 'fast-check'
import type { Json } from '../../kinds/index.ts'
import { applyMergePatch } from './merge-patch.ts'

test.each([
  [{ a: 'b' }, { a: 'c' }, { a: 'c' }],
  [{ a: 'b' }, { b: 'c' }, { a: 'b', b: 'c' }],
  [{ a: 'b' }, { a: null }, {}],
  [{ a: ['b'] }, { a: 'c' }, { a: 'c' }],
  [{ a: { b: 'c' } }, { a: { b: 'd', c: null } }, { a: { b: 'd' } }],
  [{ a: [{ b: 'c' }] }, { a: [1] }, { a: [1] }],
  [{ a: 'foo' }, 'bar', 'bar'],
  [[1, 2], { a: 'b', c: null }, { a: 'b' }],
  [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
] as [Json, Json, Json][])('%j patched with %j is %j', (target, patch, result) => {
  expect(applyMergePatch(target, patch)).toEqual(result)
})

test('a key named __proto__ stays a key and touches no prototype', () => {
  const patched = applyMergePatch({ data: {} }, JSON.parse('{"data":{"__proto__":{"polluted":true}}}') as Json) as { data: object }
  expect(Object.keys(patched.data)).toEqual(['__proto__'])
  expect('polluted' in patched.data).toBe(false)
  expect('polluted' in {}).toBe(false)
})

test('a patch applied twice gives what it gave once, and leaves its arguments alone', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), (target, patch) => {
      const before = JSON.stringify([target, patch])
      const once = applyMergePatch(target as Json, patch as Json)
      expect(applyMergePatch(once, patch as Json)).toEqual(once)
      expect(JSON.stringify([target, patch])).toBe(before)
    }),
  )
})
