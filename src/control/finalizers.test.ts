import { expect, test } from 'vitest'
import { hasFinalizer, isBeingDeleted, withFinalizer, withoutFinalizer } from './finalizers.ts'

const plain = { apiVersion: 'v1', kind: 'X', metadata: { name: 'x', labels: { a: 'b' } } }

test('a finalizer is added once and taken away without a trace', () => {
  const held = withFinalizer(withFinalizer(plain, 'a.dev/x'), 'b.dev/y')
  expect(held.metadata).toEqual({ name: 'x', labels: { a: 'b' }, finalizers: ['a.dev/x', 'b.dev/y'] })
  expect(withFinalizer(held, 'a.dev/x')).toBe(held)
  expect(hasFinalizer(held, 'b.dev/y')).toBe(true)
  const half = withoutFinalizer(held, 'a.dev/x')
  expect(half.metadata).toMatchObject({ finalizers: ['b.dev/y'] })
  expect(withoutFinalizer(half, 'b.dev/y')).toEqual(plain)
  expect(withoutFinalizer(plain, 'b.dev/y')).toBe(plain)
  expect(hasFinalizer(plain, 'a.dev/x')).toBe(false)
})

test('an object is being deleted when it has a deletion timestamp', () => {
  expect(isBeingDeleted(plain)).toBe(false)
  expect(isBeingDeleted({ ...plain, metadata: { ...plain.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } })).toBe(true)
})
