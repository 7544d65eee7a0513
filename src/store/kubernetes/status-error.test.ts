import { describe, expect, test } from 'vitest'
import { ConfigMap, Nest } from '../../kinds/index.ts'
import { errorFromAnswer, KindNotServed } from './status-error.ts'

function answer(status: number, body: object | string, headers: Record<string, string> = {}) {
  return errorFromAnswer(Nest, { status, headers }, typeof body === 'string' ? body : JSON.stringify(body))
}

function failed(code: number, reason: string | undefined, more: object = {}) {
  return {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message: 'because',
    code,
    ...(reason === undefined ? {} : { reason }),
    ...more,
  }
}

const aboutA = { name: 'a', group: 'demo.aviary.dev', kind: 'nests' }

describe('the reason of a Status is kept', () => {
  test.each([
    [400, 'BadRequest'],
    [401, 'Unauthorized'],
    [403, 'Forbidden'],
    [404, 'NotFound'],
    [405, 'MethodNotAllowed'],
    [406, 'NotAcceptable'],
    [409, 'AlreadyExists'],
    [409, 'Conflict'],
    [410, 'Expired'],
    [413, 'RequestEntityTooLarge'],
    [415, 'UnsupportedMediaType'],
    [422, 'Invalid'],
    [429, 'TooManyRequests'],
    [500, 'InternalError'],
    [503, 'ServiceUnavailable'],
    [504, 'Timeout'],
  ])('%i %s', (code, reason) => {
    const error = answer(code, failed(code, reason, { details: aboutA }))
    expect(error).toMatchObject({ reason, status: code, message: 'because', details: aboutA })
  })
})

describe('a reason without a word of ours becomes the nearest one', () => {
  test.each([
    [410, 'Gone', 'Expired'],
    [500, 'ServerTimeout', 'Timeout'],
    [500, 'StoreReadError', 'InternalError'],
    [500, undefined, 'InternalError'],
    [409, undefined, 'Conflict'],
    [408, undefined, 'Timeout'],
    [418, undefined, 'BadRequest'],
    [502, undefined, 'ServiceUnavailable'],
  ])('%i %s is %s', (code, reason, expected) => {
    expect(answer(code, failed(code, reason)).reason).toBe(expected)
  })
})

test('an object that etcd finds too large is too large, whatever the server calls it', () => {
  expect(answer(500, { kind: 'Status', message: 'etcdserver: request is too large', code: 500 }).reason).toBe('RequestEntityTooLarge')
})

test('each cause of an invalid object becomes a problem, once', () => {
  const eggs = { reason: 'FieldValueInvalid', message: 'Invalid value: 13: too many', field: 'spec.eggs' }
  const odd = { reason: 'FieldValueOdd', message: 'odd', field: 'spec.site' }
  const unchecked = { reason: 'FieldValueInvalid', message: 'Invalid value: null: some rules were not checked', field: '<nil>' }
  const error = answer(422, failed(422, 'Invalid', { details: { ...aboutA, causes: [eggs, eggs, odd, unchecked] } }))
  expect(error.details.problems).toEqual([
    { path: 'spec.eggs', reason: 'FieldValueInvalid', message: 'Invalid value: 13: too many' },
    { path: 'spec.site', reason: 'FieldValueInvalid', message: 'odd' },
  ])
})

test('a namespace that is being deleted is named', () => {
  const causes = [{ reason: 'NamespaceTerminating', message: 'namespace try is being terminated', field: 'metadata.namespace' }]
  expect(answer(403, failed(403, 'Forbidden', { details: { ...aboutA, causes } })).details).toEqual({
    ...aboutA,
    namespaceTerminating: 'try',
  })
})

test('the time to wait comes from the Status, or else from the header', () => {
  expect(
    answer(429, failed(429, 'TooManyRequests', { details: { retryAfterSeconds: 3 } }), { 'retry-after': '7' }).details.retryAfterSeconds,
  ).toBe(3)
  expect(answer(429, failed(429, 'TooManyRequests'), { 'retry-after': '7' }).details.retryAfterSeconds).toBe(7)
  expect(answer(503, 'busy', { 'retry-after': 'Wed, 21 Oct 2026 07:28:00 GMT' }).details.retryAfterSeconds).toBeUndefined()
})

describe('an unknown kind is not an absent object', () => {
  test.each([
    ['404 page not found\n', 'text/plain'],
    [JSON.stringify(failed(404, 'NotFound', { details: {} })), 'application/json'],
    ['<html>nothing here</html>', 'text/html'],
  ])('%s', (body, type) => {
    const error = answer(404, body, { 'content-type': type })
    expect(error).toBeInstanceOf(KindNotServed)
    expect(error).toMatchObject({ reason: 'ServiceUnavailable', fix: expect.stringContaining('aviary crds install') as string })
  })

  test('a built-in kind has no CRD to install', () => {
    expect(errorFromAnswer(ConfigMap, { status: 404, headers: {} }, '').fix).not.toContain('crds')
  })
})

test('what is no API server is told by its status and first line, never by its page', () => {
  expect(answer(502, 'bad gateway\nsecond line').message).toBe('HTTP status 502: bad gateway')
  expect(answer(503, '<html>…', { 'content-type': 'text/html' }).message).toBe('HTTP status 503')
  expect(answer(302, '', { location: 'https://login.example.com' })).toMatchObject({
    reason: 'InternalError',
    message: 'redirected to https://login.example.com, which is not followed',
  })
})
