import { describe, expect, test } from 'vitest'
import { Lease, Nest } from '../../kinds/index.ts'
import { FileNotFound, Secret, Unreachable } from '../../ports/index.ts'
import { StoreError } from '../errors.ts'
import type { Credentials, Headers } from './api-connection.ts'
import { failed, json, nest, nestList, scriptedApi } from './testing/scripted-api.ts'

const a = { namespace: 'a', name: 'a' }
const draft = { metadata: a, spec: { eggs: 1, material: 'twig' as const } }
const changed = { ...draft, metadata: { ...a, resourceVersion: '1' } }
const refusedConnection = () => Promise.reject(Unreachable({ target: 'GET https://api.test', why: 'connection refused', sent: false }))
const lostReply = () => Promise.reject(Unreachable({ target: 'GET https://api.test', why: 'connection reset', sent: true }))

type Api = ReturnType<typeof scriptedApi>
const calls = {
  get: (api: Api) => api.store.get(Nest, a),
  list: (api: Api) => api.store.list(Nest, { namespace: 'a', limit: 5 }),
  create: (api: Api) => api.store.create(Nest, draft),
  update: (api: Api) => api.store.update(Nest, changed),
}

/** Fails the first request in one way and then answers: how many requests were made, and what came out. */
async function afterOne(failure: () => Promise<never> | ReturnType<typeof json>, call: keyof typeof calls) {
  const api = scriptedApi((request, count) => {
    if (count === 1) return failure()
    return request.url.search.includes('limit') ? nestList([], { resourceVersion: '9' }) : json(nest('a', '2'))
  })
  const outcome = calls[call](api).then(
    () => 'done',
    (error: unknown) => (StoreError.is(error) ? error.reason : String(error)),
  )
  await api.clock.advance(20_000)
  return { requests: api.seen.length, outcome: await outcome }
}

describe('what is tried again', () => {
  const busy = () => failed(429, 'TooManyRequests', {}, { 'retry-after': '1' })
  const busyForAnyTime = () => failed(429, 'TooManyRequests', {})
  const away = () => failed(503, 'ServiceUnavailable', {}, { 'retry-after': '1' })
  const broken = () => failed(500, 'InternalError', {})
  const notNow = () => failed(504, 'Timeout', {})
  test.each([
    ['get', refusedConnection, 2, 'done'],
    ['get', lostReply, 2, 'done'],
    ['list', lostReply, 2, 'done'],
    ['get', busy, 2, 'done'],
    ['get', busyForAnyTime, 2, 'done'],
    ['list', away, 2, 'done'],
    ['get', broken, 1, 'InternalError'],
    ['get', notNow, 1, 'Timeout'],
    ['create', refusedConnection, 2, 'done'],
    ['update', refusedConnection, 2, 'done'],
    ['create', busy, 2, 'done'],
    ['update', busy, 2, 'done'],
    ['create', lostReply, 1, 'ServiceUnavailable'],
    ['update', lostReply, 1, 'ServiceUnavailable'],
    ['update', busyForAnyTime, 1, 'TooManyRequests'],
    ['create', away, 1, 'ServiceUnavailable'],
    ['update', broken, 1, 'InternalError'],
  ] as const)('%s after %o: %i requests, %s', async (call, failure, requests, outcome) => {
    expect(await afterOne(failure, call)).toEqual({ requests, outcome })
  })

  test('not for ever', async () => {
    const api = scriptedApi(refusedConnection)
    const outcome = calls.get(api).catch((error: unknown) => error)
    await api.clock.advance(60_000)
    expect(await outcome).toMatchObject({ reason: 'ServiceUnavailable', details: { sent: false, name: 'a', kind: 'nests' } })
    expect(api.seen.length).toBe(4)
  })

  test('not if the server wants to be left alone for long: the caller is told', async () => {
    const api = scriptedApi(() => failed(429, 'TooManyRequests', {}, { 'retry-after': '30' }))
    await expect(calls.get(api)).rejects.toMatchObject({ reason: 'TooManyRequests', details: { retryAfterSeconds: 30 } })
    expect(api.seen.length).toBe(1)
  })

  test('not if the server has no such kind', async () => {
    const api = scriptedApi(() => ({ status: 404, body: '404 page not found\n' }))
    await expect(calls.get(api)).rejects.toMatchObject({
      reason: 'ServiceUnavailable',
      fix: expect.stringContaining('crds install') as string,
    })
    expect(api.seen.length).toBe(1)
  })

  test('not after the caller gave up', async () => {
    const api = scriptedApi(refusedConnection)
    const stop = new AbortController()
    const outcome = api.store.list(Nest, { signal: stop.signal }).catch((error: unknown) => error)
    await api.clock.advance(0)
    stop.abort(new Error('enough'))
    expect(await outcome).toMatchObject({ message: 'enough' })
    await api.clock.advance(60_000)
    expect(api.seen.length).toBeLessThanOrEqual(1)
  })
})

test('who gets no answer to a write learns whether it may have been done', async () => {
  const lost = scriptedApi(lostReply)
  await expect(calls.create(lost)).rejects.toMatchObject({ reason: 'ServiceUnavailable', details: { sent: true, name: 'a' } })
  const hanging = scriptedApi(() => new Promise(() => {}))
  const outcome = calls.update(hanging).catch((error: unknown) => error)
  await hanging.clock.advance(31_000)
  expect(await outcome).toMatchObject({ reason: 'Timeout', details: { sent: true, name: 'a' } })
})

test('what is no JSON is no answer to believe', async () => {
  const api = scriptedApi(() => ({ status: 200, body: '<html>welcome to the proxy</html>' }))
  await expect(calls.get(api)).rejects.toMatchObject({ reason: 'InternalError', details: { sent: true } })
  await expect(calls.list(api)).rejects.toMatchObject({ reason: 'InternalError' })
  const empty = scriptedApi(() => json({}))
  await expect(calls.list(empty)).rejects.toMatchObject({ reason: 'InternalError' })
})

describe('credentials', () => {
  function renewable(tokens: string[]): Credentials & { readonly refusals: Headers[] } {
    const refusals: Headers[] = []
    return {
      origin: 'user "u" of the test',
      refusals,
      headers: async () => ({ authorization: new Secret(`Bearer ${tokens[Math.min(refusals.length, tokens.length - 1)]}`) }),
      refused: headers => refusals.push(headers) > 0,
    }
  }
  const good = (token: string) => (request: { headers: Readonly<Record<string, string>> }) =>
    request.headers['authorization'] === `Bearer ${token}` ? json(nest('a', '1')) : failed(401, 'Unauthorized', {})

  test('that are refused are renewed once, also for a write', async () => {
    const credentials = renewable(['old', 'new'])
    const api = scriptedApi(good('new'), { credentials })
    expect((await calls.create(api)).metadata.name).toBe('a')
    expect(credentials.refusals.length).toBe(1)
    expect(api.seen.length).toBe(2)
  })

  test('that stay refused are an error that says whose they are', async () => {
    const api = scriptedApi(good('other'), { credentials: renewable(['old', 'new']) })
    await expect(calls.get(api)).rejects.toMatchObject({
      reason: 'Unauthorized',
      message: 'https://api.test:6443 does not accept the credentials of user "u" of the test',
    })
    expect(api.seen.length).toBe(2)
  })

  test('that cannot be had send nothing', async () => {
    const credentials: Credentials = { origin: 'x', headers: () => Promise.reject(FileNotFound({ path: '/token' })), refused: () => false }
    const api = scriptedApi(() => json({}), { credentials })
    await expect(calls.create(api)).rejects.toMatchObject({
      reason: 'Unauthorized',
      message: expect.stringContaining('/token') as string,
      details: { sent: false },
    })
    expect(api.seen).toEqual([])
  })
})

test('a flood of other requests leaves room for leases', async () => {
  const api = scriptedApi(() => json(nest('a', '1')), { limits: { qps: 1, burst: 1, concurrent: 1 } })
  const others = Array.from({ length: 10 }, () => calls.get(api))
  void api.store.get(Lease, { namespace: 'a', name: 'leader' })
  await api.clock.advance(0)
  expect(api.lines().filter(line => line.includes('/leases/'))).toHaveLength(1)
  expect(api.seen).toHaveLength(2)
  await api.clock.advance(20_000)
  await Promise.all(others)
})
