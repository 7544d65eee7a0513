import { describe, expect, test } from 'vitest'
import { type Operation, patchDocument } from './patch-document.ts'

const document = () => ({ fips: false, compute: [{ name: 'worker' }, { name: 'infra' }], platform: { 'a/b~c': { zone: 'north' } } })

function patched(operation: Operation): unknown {
  const copy = document()
  patchDocument(copy, operation)
  return copy
}

describe('an operation of RFC 6902', () => {
  test.each<[Operation, object]>([
    [{ op: 'add', path: '/fips', value: true }, { fips: true }],
    [{ op: 'add', path: '/compute/0', value: 1 }, { compute: [1, { name: 'worker' }, { name: 'infra' }] }],
    [{ op: 'add', path: '/compute/-', value: 1 }, { compute: [{ name: 'worker' }, { name: 'infra' }, 1] }],
    [{ op: 'replace', path: '/compute/1', value: 1 }, { compute: [{ name: 'worker' }, 1] }],
    [{ op: 'remove', path: '/compute/0' }, { compute: [{ name: 'infra' }] }],
    [{ op: 'remove', path: '/platform/a~1b~0c/zone' }, { platform: { 'a/b~c': {} } }],
    [
      { op: 'move', path: '/first', from: '/compute/0' },
      { first: { name: 'worker' }, compute: [{ name: 'infra' }] },
    ],
    [
      { op: 'copy', path: '/first', from: '/compute/0' },
      { first: { name: 'worker' }, compute: document().compute },
    ],
    [{ op: 'test', path: '/compute/1/name', value: 'infra' }, document()],
  ])('%j is done', (operation, expected) => expect(patched(operation)).toMatchObject(expected))

  test.each<[Operation, string]>([
    // A list knows its length, which is no element of it.
    [{ op: 'remove', path: '/compute/length' }, 'there is no such place'],
    [{ op: 'replace', path: '/compute/length', value: 0 }, 'there is no such place'],
    [{ op: 'move', path: '/x', from: '/compute/length' }, 'there is no such place'],
    [{ op: 'test', path: '/compute/length', value: 2 }, 'there is no such place'],
    [{ op: 'remove', path: '/compute/-' }, 'there is no such place'],
    [{ op: 'remove', path: '/compute/2' }, 'there is no such place'],
    [{ op: 'remove', path: '/compute/00' }, 'there is no such place'],
    [{ op: 'add', path: '/compute/3', value: 1 }, 'there is no such position in the list'],
    [{ op: 'add', path: '/compute/length', value: 1 }, 'there is no such position in the list'],
    [{ op: 'replace', path: '/nothing', value: 1 }, 'there is no such place'],
    [{ op: 'add', path: '/nothing/inside', value: 1 }, 'there is no such place'],
    [{ op: 'test', path: '/fips', value: true }, 'the value there is another'],
    [{ op: 'move', path: '/platform/x', from: '/platform' }, 'it cannot be moved into itself'],
    [{ op: 'add', path: 'fips', value: 1 }, 'a path begins with / and names a field'],
  ])('%j is refused, with the document as it was', (operation, why) => {
    const copy = document()
    expect(() => patchDocument(copy, operation)).toThrow(why)
    expect(copy).toEqual(document())
  })
})
