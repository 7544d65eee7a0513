import { describe, expect, test } from 'vitest'
import fc from 'fast-check'
import { StoreError } from '../store/index.ts'
import { readTarget } from './target.ts'

describe('paths about objects', () => {
  test.each([
    ['/api/v1/namespaces', { group: '', version: 'v1', plural: 'namespaces' }],
    ['/api/v1/namespaces/wood', { group: '', version: 'v1', plural: 'namespaces', namespace: 'wood', name: 'wood' }],
    [
      '/api/v1/namespaces/wood/finalize',
      { group: '', version: 'v1', plural: 'namespaces', namespace: 'wood', name: 'wood', subresource: 'finalize' },
    ],
    ['/api/v1/namespaces/wood/secrets', { group: '', version: 'v1', plural: 'secrets', namespace: 'wood' }],
    ['/api/v1/namespaces/wood/secrets/s/', { group: '', version: 'v1', plural: 'secrets', namespace: 'wood', name: 's' }],
    ['/apis/g.dev/v1/nests', { group: 'g.dev', version: 'v1', plural: 'nests' }],
    [
      '/apis/g.dev/v1/namespaces/wood/nests/a/status',
      { group: 'g.dev', version: 'v1', plural: 'nests', namespace: 'wood', name: 'a', subresource: 'status' },
    ],
    ['/apis/g.dev/v1/hosts/a', { group: 'g.dev', version: 'v1', plural: 'hosts', name: 'a' }],
  ])('%s', (path, resource) => {
    expect(readTarget(path).resource).toEqual({
      namespace: undefined,
      name: undefined,
      subresource: undefined,
      tooDeep: false,
      ...resource,
    })
  })

  test('segments behind a subresource are too many', () => {
    expect(readTarget('/apis/g.dev/v1/namespaces/wood/nests/a/status/x').resource?.tooDeep).toBe(true)
  })
})

test.each([
  '/',
  '/api',
  '/api/v1',
  '/apis',
  '/apis/g.dev',
  '/apis/g.dev/v1',
  '/healthz',
  '/version/',
  '/apis//v1/namespaces/wood/secrets',
  '/apis/g.dev//nests',
  '/api//namespaces/wood/secrets',
])('%s is not about objects', path => {
  expect(readTarget(path).resource).toBeUndefined()
})

describe('path tricks', () => {
  test.each([
    '/api/v1/namespaces/wood/secrets/..',
    '/api/v1/namespaces/wood/secrets/.',
    '/api/v1/namespaces/wood/secrets/%2e%2e',
    '/api/v1/namespaces/wood/secrets/a%2fb',
    '/api/v1/namespaces/wood%2fsecrets',
    '/api/v1/namespaces/wood/secrets/a%252fb',
    '/api/v1/namespaces/wood/secrets/%zz',
    '/api/v1/namespaces/../secrets/a',
  ])('%s is a bad request', path => {
    expect(() => readTarget(path)).toThrow(StoreError)
  })

  test('no path names a segment with a slash or a way up', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(fc.webSegment(), fc.constantFrom('..', '.', '%2f', '%2e%2e', '%25', ''))), segments => {
        try {
          const target = readTarget(`/api/v1/${segments.join('/')}`)
          for (const segment of target.segments) expect(segment).not.toMatch(/^\.\.?$|\/|%/)
        } catch (error) {
          expect(error).toBeInstanceOf(StoreError)
        }
      }),
    )
  })
})
