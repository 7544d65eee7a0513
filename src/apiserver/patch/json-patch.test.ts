import { describe, expect, test } from 'vitest'
import fc from 'fast-check'
import type { Json } from '../../kinds/index.ts'
import { applyJsonPatch, type Operation } from './json-patch.ts'
import { JsonPatchError } from './json-patch-error.ts'

describe('operations', () => {
  test.each([
    ['adds a member', { a: 1 }, [{ op: 'add', path: '/b', value: 2 }], { a: 1, b: 2 }],
    ['adds at an index', { a: [1, 3] }, [{ op: 'add', path: '/a/1', value: 2 }], { a: [1, 2, 3] }],
    ['adds at the end', { a: [1] }, [{ op: 'add', path: '/a/-', value: 2 }], { a: [1, 2] }],
    ['adds null', { a: 1 }, [{ op: 'add', path: '/b', value: null }], { a: 1, b: null }],
    ['adds the whole document', { a: 1 }, [{ op: 'add', path: '', value: { b: 1 } }], { b: 1 }],
    ['replaces the whole document', { a: 1 }, [{ op: 'replace', path: '', value: { b: 1 } }], { b: 1 }],
    ['takes a path of one slash for the empty key', {}, [{ op: 'add', path: '/', value: 1 }], { '': 1 }],
    ['replaces', { a: { b: 1 } }, [{ op: 'replace', path: '/a/b', value: [2] }], { a: { b: [2] } }],
    ['replaces in a list', [1, 2], [{ op: 'replace', path: '/1', value: 9 }], [1, 9]],
    ['removes', { a: 1, b: 2 }, [{ op: 'remove', path: '/a' }], { b: 2 }],
    ['removes from a list', { a: [1, 2, 3] }, [{ op: 'remove', path: '/a/1' }], { a: [1, 3] }],
    ['copies', { a: { b: 1 } }, [{ op: 'copy', from: '/a', path: '/c' }], { a: { b: 1 }, c: { b: 1 } }],
    ['moves', { a: 1 }, [{ op: 'move', from: '/a', path: '/b' }], { b: 1 }],
    ['tests by value', { a: { x: 1, y: 2 } }, [{ op: 'test', path: '/a', value: { y: 2, x: 1 } }], { a: { x: 1, y: 2 } }],
    ['moves a thing to where it is', { a: 1 }, [{ op: 'move', from: '/a', path: '/a' }], { a: 1 }],
    ['tests the whole document', { a: [1] }, [{ op: 'test', path: '', value: { a: [1] } }], { a: [1] }],
    ['unescapes paths', { 'a/b': { '~x': 1 } }, [{ op: 'replace', path: '/a~1b/~0x', value: 2 }], { 'a/b': { '~x': 2 } }],
    [
      'changes a copy and not the original',
      { a: { b: [1] } },
      [
        { op: 'add', path: '/a/b/-', value: 2 },
        { op: 'copy', from: '/a', path: '/c' },
        { op: 'add', path: '/c/b/-', value: 3 },
        { op: 'add', path: '/a/b/-', value: 4 },
      ],
      { a: { b: [1, 2, 4] }, c: { b: [1, 2, 3] } },
    ],
    [
      'sees what came before',
      {},
      [
        { op: 'add', path: '/a', value: {} },
        { op: 'add', path: '/a/b', value: 1 },
      ],
      { a: { b: 1 } },
    ],
  ] as [string, Json, Operation[], Json][])('%s', (_name, document, operations, result) => {
    expect(applyJsonPatch(document, operations)).toEqual(result)
  })
})

describe('refusals', () => {
  test.each([
    ['a test that fails', [{ op: 'test', path: '/a', value: 2 }]],
    ['a test of an object with more in it', [{ op: 'test', path: '', value: { a: 1 } }]],
    ['replacing what is not there', [{ op: 'replace', path: '/x', value: 1 }]],
    ['removing what is not there', [{ op: 'remove', path: '/x' }]],
    ['going through what is not there', [{ op: 'add', path: '/x/y', value: 1 }]],
    ['going into a number', [{ op: 'add', path: '/a/b', value: 1 }]],
    ['an index beyond the end', [{ op: 'add', path: '/list/3', value: 1 }]],
    ['an index with a leading zero', [{ op: 'replace', path: '/list/00', value: 1 }]],
    ['the end of a list when something must be there', [{ op: 'remove', path: '/list/-' }]],
    ['removing the whole document', [{ op: 'remove', path: '' }]],
    ['an unknown operation', [{ op: 'merge', path: '/a', value: 1 }]],
    ['a path without a slash', [{ op: 'add', path: 'a', value: 1 }]],
    ['an addition without a value', [{ op: 'add', path: '/a' }]],
    ['moving a thing into itself', [{ op: 'move', from: '/deep', path: '/deep/er' }]],
    ['a member that only the prototype has', [{ op: 'copy', from: '/constructor', path: '/b' }]],
    ['copying without saying from where to a list', [{ op: 'copy', from: '/nope', path: '/list/-' }]],
  ] as [string, Operation[]][])('%s', (_name, operations) => {
    const document = { a: 1, list: [1, 2], deep: {} }
    expect(() => applyJsonPatch(document, operations)).toThrow(JsonPatchError)
    expect(document).toEqual({ a: 1, list: [1, 2], deep: {} })
  })

  test('a key named __proto__ stays a key and touches no prototype', () => {
    const patched = applyJsonPatch({ data: {} }, [{ op: 'add', path: '/data/__proto__', value: { polluted: true } }]) as { data: object }
    expect(Object.keys(patched.data)).toEqual(['__proto__'])
    expect('polluted' in patched.data).toBe(false)
  })
})

describe('patches that are small and want much', () => {
  test('forty copies, each of what the one before has doubled, are refused', () => {
    const copies = Array.from({ length: 40 }, (_, index) => ({ op: 'copy', from: '', path: `/copy${index}` }))
    expect(() => applyJsonPatch({ a: 'x' }, copies)).toThrow('a copy has more than 20000 fields and list items')
    expect(() => applyJsonPatch({ a: 'x'.repeat(1000) }, copies)).toThrow('add more than 3145728 bytes')
  })

  test('copies of three megabytes in all are made', () => {
    const copies = Array.from({ length: 3 }, (_, index) => ({ op: 'copy', from: '/a', path: `/copy${index}` }))
    expect(Object.keys(applyJsonPatch({ a: 'x'.repeat(1024 * 1024 - 2) }, copies) as object)).toHaveLength(4)
  })

  test('no operation carries a thing deeper than one may be sent', () => {
    const deep = JSON.parse(`${'{"a":'.repeat(300)}1${'}'.repeat(300)}`) as Json
    const operations = (['copy', 'move'] as const).map(op => ({ op, from: '/from', path: `/to${'/a'.repeat(299)}` }))
    for (const operation of operations) {
      expect(() => applyJsonPatch({ from: deep, to: deep }, [operation])).toThrow('more than 500 levels deep')
    }
  })

  test.each([
    ['at the head of a long list', { op: 'add', path: '/list/0', value: 1 }],
    ['that move the head of a long list to its end', { op: 'move', from: '/list/0', path: '/list/-' }],
    ['deep inside an object', { op: 'replace', path: `/deep${'/a'.repeat(300)}`, value: 1 }],
    ['that copy a list', { op: 'copy', from: '/short', path: '/copy' }],
  ])('the work is bounded: too many operations %s are refused', (_name, operation) => {
    const deep = JSON.parse(`${'{"a":'.repeat(300)}1${'}'.repeat(300)}`) as Json
    const document = { list: Array.from({ length: 15_000 }, () => 0), short: Array.from({ length: 30 }, () => 0), deep }
    const operations = Array.from({ length: 10_000 }, () => operation)
    expect(() => applyJsonPatch(document, operations)).toThrow('the patch takes more than 200000 steps')
  })

  test('ten thousand operations on a hundred thousand keys copy them once', () => {
    const keys = Array.from({ length: 100_000 }, (_, index) => [`key${index}`, 0] as const)
    const operations = Array.from({ length: 10_000 }, (_, index) => ({ op: 'replace', path: `/key${index}`, value: 1 }))
    const replaced = applyJsonPatch(Object.fromEntries(keys), operations)
    expect(Object.values(replaced as object).filter(Boolean)).toHaveLength(10_000)
  })
})

test('adding and removing again leaves the document as it was', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.string(), fc.jsonValue(), (document, key, value) => {
      fc.pre(!Object.hasOwn(document, key))
      const path = `/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`
      const operations = [
        { op: 'add', path, value: value as Json },
        { op: 'remove', path },
      ]
      expect(applyJsonPatch(document as Json, operations)).toEqual(document)
    }),
  )
})
