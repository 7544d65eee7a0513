import { describe, expect, test } from 'vitest'
import fc from 'fast-check'
import type { Json } from '../../kinds/index.ts'
import type { ListPolicy } from './list-policies.ts'
import { applyMergePatch } from './merge-patch.ts'
import { applyStrategicMerge, StrategicPatchError } from './strategic-merge.ts'

type JsonObject = { readonly [key: string]: Json }

const policies = (path: string): ListPolicy | undefined =>
  path === 'set' || path === 'deep.set' ? { kind: 'set' } : path === 'map' ? { kind: 'map', key: 'name' } : undefined

const patched = (original: JsonObject, patch: JsonObject) => applyStrategicMerge(original, patch, policies)

describe('what it shares with a merge patch', () => {
  test.each([
    [{ a: 1 }, { b: 2 }, { a: 1, b: 2 }],
    [{ a: 1, b: 2 }, { a: null }, { b: 2 }],
    [{ a: { b: 1 } }, { a: { c: 2 } }, { a: { b: 1, c: 2 } }],
    [{ list: [1, 2] }, { list: [3] }, { list: [3] }],
    [{}, { a: { b: null, c: 1 } }, { a: { c: 1 } }],
    [{ a: 'text' }, { a: { b: 1 } }, { a: { b: 1 } }],
  ] as [JsonObject, JsonObject, JsonObject][])('%j patched with %j is %j', (original, patch, result) => {
    expect(patched(original, patch)).toEqual(result)
  })

  test('without lists and directives it is the same as a merge patch', () => {
    const value = fc.letrec(tie => ({
      leaf: fc.oneof(fc.integer(), fc.string(), fc.constant(null)),
      tree: fc.dictionary(
        fc.string({ maxLength: 2 }).filter(key => !key.startsWith('$')),
        fc.oneof(tie('leaf'), tie('tree')),
        { maxKeys: 3 },
      ),
    })).tree as fc.Arbitrary<JsonObject>
    fc.assert(
      fc.property(value, value, (original, patch) => {
        const stored = applyMergePatch({}, original) as JsonObject
        expect(patched(stored, patch)).toEqual(applyMergePatch(stored, patch))
      }),
    )
  })
})

describe('lists', () => {
  test.each([
    ['a set grows, what the patch names first', { set: ['a', 'b'] }, { set: ['c', 'a'] }, { set: ['c', 'a', 'b'] }],
    ['a set inside', { deep: { set: ['a'] } }, { deep: { set: ['b'] } }, { deep: { set: ['b', 'a'] } }],
    ['values leave a set', { set: ['a', 'b', 'c'] }, { '$deleteFromPrimitiveList/set': ['a', 'c'] }, { set: ['b'] }],
    [
      'values leave and enter in the given order',
      { set: ['a', 'b'] },
      { '$deleteFromPrimitiveList/set': ['a'], '$setElementOrder/set': ['c', 'b'], set: ['c'] },
      { set: ['c', 'b'] },
    ],
    [
      'objects are merged by their key',
      { map: [{ name: 'a', x: 1 }] },
      { map: [{ name: 'a', y: 2 }] },
      { map: [{ name: 'a', x: 1, y: 2 }] },
    ],
    ['an unknown key is added', { map: [{ name: 'a' }] }, { map: [{ name: 'b' }] }, { map: [{ name: 'b' }, { name: 'a' }] }],
    ['null leaves an item', { map: [{ name: 'a', x: 1 }] }, { map: [{ name: 'a', x: null }] }, { map: [{ name: 'a' }] }],
    ['an item is deleted', { map: [{ name: 'a' }, { name: 'b' }] }, { map: [{ $patch: 'delete', name: 'a' }] }, { map: [{ name: 'b' }] }],
    ['a list is replaced', { map: [{ name: 'a' }] }, { map: [{ $patch: 'replace' }, { name: 'z' }] }, { map: [{ name: 'z' }] }],
    [
      'the order is set, and what the patch does not know keeps its place',
      { map: [{ name: 'a' }, { name: 'server' }, { name: 'b' }] },
      { '$setElementOrder/map': [{ name: 'b' }, { name: 'a' }], map: [{ name: 'a', x: 1 }] },
      { map: [{ name: 'server' }, { name: 'b' }, { name: 'a', x: 1 }] },
    ],
    [
      'a list that was not there takes no directives over',
      {},
      { map: [{ $patch: 'delete', name: 'a' }, { name: 'b' }] },
      { map: [{ name: 'b' }] },
    ],
    ['deleting from a list that is not there does nothing', {}, { '$deleteFromPrimitiveList/set': ['a'] }, {}],
    ['a list without a policy is replaced', { list: [1] }, { list: [2] }, { list: [2] }],
  ] as [string, JsonObject, JsonObject, JsonObject][])('%s', (_name, original, patch, result) => {
    expect(patched(original, patch)).toEqual(result)
  })
})

describe('the time is linear: a quadratic merge of these would take hours', () => {
  const names = (from: number, count: number) => Array.from({ length: count }, (_, index) => `example.com/${from + index}`)
  const objects = (from: number, count: number) => names(from, count).map(name => ({ name }))
  const count = 200_000

  test('a long set is merged into a long set', () => {
    const { set } = patched({ set: names(0, count) }, { set: names(count / 2, count) })
    expect(set).toHaveLength(1.5 * count)
  })

  test('values leave a long set and a long order is set', () => {
    const patch = { '$deleteFromPrimitiveList/set': names(0, count / 2), '$setElementOrder/set': names(0, count).toReversed() }
    expect(patched({ set: names(0, count) }, patch)['set']).toEqual(names(count / 2, count / 2).toReversed())
  })

  test('objects are merged, deleted and ordered by their key', () => {
    const changes = [...objects(0, count / 4).map(item => ({ ...item, $patch: 'delete' })), ...objects(count / 2, count)]
    const patch = { map: changes, '$setElementOrder/map': objects(count / 2, count) }
    expect(patched({ map: objects(0, count) }, patch)['map']).toHaveLength(1.25 * count)
  })

  test('many keys are retained', () => {
    const original = Object.fromEntries(names(0, count).map(name => [name, 1]))
    expect(Object.keys(patched({ a: original }, { a: { $retainKeys: names(0, count) } })['a'] as object)).toHaveLength(count)
  })
})

describe('objects with directives', () => {
  test.each([
    ['$patch: replace', { a: { x: 1 } }, { a: { $patch: 'replace', y: 2 } }, { a: { y: 2 } }],
    ['$patch: delete', { a: { x: 1 } }, { a: { $patch: 'delete' } }, { a: {} }],
    ['$retainKeys', { a: { x: 1, y: 2 } }, { a: { $retainKeys: ['x', 'z'], z: 3 } }, { a: { x: 1, z: 3 } }],
  ] as [string, JsonObject, JsonObject, JsonObject][])('%s', (_name, original, patch, result) => {
    expect(patched(original, patch)).toEqual(result)
  })
})

describe('refusals', () => {
  test.each([
    ['an unknown directive', { a: { $patch: 'frobnicate' } }],
    ['an unknown directive in a list', { map: [{ $patch: 'merge', name: 'a' }] }],
    ['an item without its key', { map: [{ x: 1 }] }],
    ['a plain value in a list of objects', { map: [1] }],
    ['a retained list that is none', { a: { $retainKeys: 'x' } }],
    ['a change of what is not retained', { a: { $retainKeys: ['x'], y: 1 } }],
    ['a deletion list that is none', { '$deleteFromPrimitiveList/set': 'a' }],
    ['an order that is none', { '$setElementOrder/set': 'a' }],
  ] as [string, JsonObject][])('%s', (_name, patch) => {
    expect(() => patched({ a: { x: 1 }, map: [{ name: 'a' }], set: ['a'] }, patch)).toThrow(StrategicPatchError)
  })
})
