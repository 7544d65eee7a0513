import { describe, expect, test } from 'vitest'
import { ConfigMap, Namespace, Nest } from '../../kinds/index.ts'
import { StoreError } from '../errors.ts'
import { checkRevision, collectionPath, objectPath, queryText } from './resource-path.ts'

test('a kind has the path that Kubernetes gives it', () => {
  expect(collectionPath(Nest)).toBe('/apis/demo.aviary.dev/v1alpha1/nests')
  expect(collectionPath(Nest, 'a')).toBe('/apis/demo.aviary.dev/v1alpha1/namespaces/a/nests')
  expect(collectionPath(ConfigMap, 'a')).toBe('/api/v1/namespaces/a/configmaps')
  expect(objectPath(Nest, { namespace: 'a', name: 'b' }, 'status')).toBe('/apis/demo.aviary.dev/v1alpha1/namespaces/a/nests/b/status')
})

test('a kind without namespaces ignores one', () => {
  expect(objectPath(Namespace, { namespace: 'x', name: 'a' }, 'finalize')).toBe('/api/v1/namespaces/a/finalize')
})

describe('a name that would lead to another path is refused', () => {
  test.each(['', '.', '..', 'a/b', 'a%2fb'])('%j', name => {
    expect(() => objectPath(Nest, { namespace: 'a', name })).toThrow(StoreError)
    expect(() => objectPath(Namespace, { name })).toThrow(/metadata.name/)
  })
  test.each(['..', '../..', '%2e%2e'])('namespace %j', namespace => {
    expect(() => collectionPath(Nest, namespace)).toThrow(/metadata.namespace/)
  })
})

test('characters that mean something in a URL do not', () => {
  expect(objectPath(Nest, { namespace: 'a', name: 'b?x=1#y z' })).toBe(
    '/apis/demo.aviary.dev/v1alpha1/namespaces/a/nests/b%3Fx%3D1%23y%20z',
  )
})

test('an object of a kind with namespaces needs one', () => {
  expect(() => objectPath(Nest, { name: 'a' })).toThrow(/empty namespace/)
})

test('a query leaves out what is not said', () => {
  expect(queryText({ limit: 5, continue: undefined, labelSelector: '', fieldSelector: 'a=b,c!=d' })).toBe(
    '?limit=5&fieldSelector=a%3Db%2Cc%21%3Dd',
  )
  expect(queryText({})).toBe('')
})

test('a revision is a number or absent', () => {
  for (const fine of [undefined, '', '0', '12']) expect(() => checkRevision(fine)).not.toThrow()
  for (const odd of ['soon', '-1', '1.5', ' ']) expect(() => checkRevision(odd)).toThrow(/resourceVersion: Invalid value/)
})
