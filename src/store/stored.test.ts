import { describe, expect, test } from 'vitest'
import { deepFreeze, Stored } from './stored.ts'

const object = { apiVersion: 'v1', kind: 'Thing', metadata: { name: 'a', resourceVersion: '7', labels: { x: 'y' } } }

describe('one revision of an object', () => {
  test('from a text gives the frozen object, and the same one as long as somebody holds it', () => {
    const json = JSON.stringify(object)
    const stored = Stored.fromJson('7', json)
    const first = stored.object
    expect(first).toEqual(object)
    expect(Object.isFrozen(first.metadata.labels)).toBe(true)
    expect(stored.object).toBe(first)
    expect(stored.json).toBe(json)
    expect(stored.resourceVersion).toBe('7')
  })

  test('from an object gives its text', () => {
    const stored = Stored.fromObject(structuredClone(object))
    expect(stored.resourceVersion).toBe('7')
    expect(JSON.parse(stored.json)).toEqual(object)
    expect(Object.isFrozen(stored.object)).toBe(true)
  })

  test('from both gives both', () => {
    const own = structuredClone(object)
    const stored = Stored.fromBoth(own, '{"as":"given"}')
    expect(stored.object).toBe(own)
    expect(stored.json).toBe('{"as":"given"}')
    expect(Object.isFrozen(own.metadata)).toBe(true)
  })
})

test('freezing goes to the bottom, through lists and maps', () => {
  const value = deepFreeze({ a: [{ b: { c: [1, 2] } }], n: null, t: 'x' })
  expect(Object.isFrozen(value.a)).toBe(true)
  expect(Object.isFrozen(value.a[0]!.b.c)).toBe(true)
  expect(() => {
    ;(value.a[0]!.b as { c: unknown }).c = 3
  }).toThrow(TypeError)
})
