import { connect } from 'node:net'
import { describe, expect, test } from 'vitest'
import { StoreError } from '../store/index.ts'
import { ann, nest, nests, testServer } from './testing/test-server.ts'

const status = (code: number, reason: string, message: string) => ({
  kind: 'Status',
  apiVersion: 'v1',
  metadata: {},
  status: 'Failure',
  code,
  reason,
  message,
})

describe('who is asking', () => {
  const asked = (entry: object) => ({ user: 'ann', groups: ann.groups, sourceAddress: '127.0.0.1', userAgent: 'lightMyRequest', ...entry })

  test('a bad token is 401', async () => {
    const authenticate = () => Promise.reject(new StoreError('Unauthorized', 'Unauthorized'))
    const server = await testServer({ access: { authenticate } })
    const answer = await server.send('GET', nests, { headers: { authorization: 'Bearer forged' } })
    expect(answer).toMatchObject({
      status: 401,
      headers: { 'www-authenticate': 'Bearer' },
      body: status(401, 'Unauthorized', 'Unauthorized'),
    })
    await server.close()
  })

  test('nobody in particular is asked to say who they are', async () => {
    const authenticate = async () => ({ name: 'system:anonymous', groups: ['system:unauthenticated'] })
    const server = await testServer({ access: { authenticate, authorize: () => ({ allowed: false, reason: '' }) } })
    expect((await server.send('GET', nests)).status).toBe(401)
    await server.close()
  })

  test.each([
    [
      nests,
      'nests.demo.aviary.dev is forbidden: User "ann" cannot list resource "nests" in API group "demo.aviary.dev" in the namespace "wood"',
    ],
    [
      `${nests}/x`,
      'nests.demo.aviary.dev "x" is forbidden: User "ann" cannot get resource "nests" in API group "demo.aviary.dev" in the namespace "wood"',
    ],
    [
      `${nests}/x/scale`,
      'nests.demo.aviary.dev "x" is forbidden: User "ann" cannot get resource "nests/scale" in API group "demo.aviary.dev" in the namespace "wood"',
    ],
    ['/api/v1/secrets', 'secrets is forbidden: User "ann" cannot list resource "secrets" in API group "" at the cluster scope'],
    ['/metrics', 'forbidden: User "ann" cannot get path "/metrics"'],
  ])('%s is refused as Kubernetes refuses it', async (url, message) => {
    const server = await testServer({ access: { authorize: () => ({ allowed: false, reason: '' }) } })
    expect(await server.send('GET', url)).toMatchObject({ status: 403, body: status(403, 'Forbidden', message) })
    await server.close()
  })

  test('the reason of a refusal is said', async () => {
    const server = await testServer({ access: { authorize: () => ({ allowed: false, reason: 'ask for the role view' }) } })
    expect((await server.send('GET', nests)).body.message).toMatch(/: ask for the role view$/)
    await server.close()
  })

  test('the guard is asked about exactly what is then done', async () => {
    const attempts: unknown[] = []
    const authorize = (_user: unknown, attempt: unknown) => (attempts.push(attempt), { allowed: true, reason: '' })
    const server = await testServer({ access: { authorize } })
    const resource = { group: 'demo.aviary.dev', version: 'v1alpha1', plural: 'nests', namespace: 'wood' }
    for (const [method, url] of [
      ['GET', `${nests}?fieldSelector=metadata.name%3Done`],
      ['DELETE', nests],
      ['DELETE', `${nests}?fieldSelector=metadata.name%3Done`],
      ['PATCH', `${nests}/a/status`],
      ['POST', nests],
      ['POST', `${nests}?fieldSelector=metadata.name%3Done`],
      ['PUT', `${nests}/a`],
      ['GET', '/version'],
    ] as const) {
      await server.send(method, url)
    }
    expect(attempts).toEqual([
      { verb: 'list', resource: { ...resource, name: 'one' } },
      { verb: 'deletecollection', resource },
      { verb: 'deletecollection', resource: { ...resource, name: 'one' } },
      { verb: 'patch', resource: { ...resource, name: 'a', subresource: 'status' } },
      { verb: 'create', resource },
      { verb: 'create', resource },
      { verb: 'update', resource: { ...resource, name: 'a' } },
      { verb: 'get', path: '/version' },
    ])
    await server.close()
  })

  test('who asks too often is told when to come back', async () => {
    const server = await testServer({ access: { throttle: () => 2.5 } })
    const answer = await server.send('GET', nests)
    expect(answer).toMatchObject({
      status: 429,
      headers: { 'retry-after': '3' },
      body: { reason: 'TooManyRequests', details: { retryAfterSeconds: 3 } },
    })
    await server.close()
  })

  test('who asks too often is told so also if they may not ask at all', async () => {
    const server = await testServer({ access: { throttle: () => 2.5, authorize: () => ({ allowed: false, reason: '' }) } })
    expect((await server.send('GET', nests)).status).toBe(429)
    await server.close()
  })

  test('nobody is too hasty to hear how the server is', async () => {
    const server = await testServer({ access: { throttle: () => 2.5 } })
    for (const url of ['/healthz', '/livez', '/readyz', '/readyz/ping']) expect((await server.send('GET', url)).status).toBe(200)
    expect((await server.send('GET', '/version')).status).toBe(429)
    await server.close()
  })

  test('who has too much on its way is told to wait, and room is given back with every body that has arrived', async () => {
    const held: number[] = []
    const holdBytes = (_user: unknown, bytes: number) => {
      held.push(bytes)
      return bytes > 1000 ? undefined : { [Symbol.dispose]: () => held.push(-bytes) }
    }
    const server = await testServer({ access: { holdBytes } })
    const body = JSON.stringify(nest('a'))
    expect((await server.send('POST', nests, { body })).status).toBe(201)
    expect((await server.send('POST', nests, { body: body.padEnd(1001) })).status).toBe(429)
    expect((await server.send('POST', nests, { body: '{' })).status).toBe(400)
    expect(held).toEqual([body.length, -body.length, 1001, 1, -1])
    await server.close()
  })

  test('room is given back, too, if the client has gone before its body could be read', async () => {
    const held: number[] = []
    const holdBytes = (_user: unknown, bytes: number) => {
      held.push(bytes)
      return { [Symbol.dispose]: () => held.push(-bytes) }
    }
    const gone = Promise.withResolvers<void>()
    const authenticate = async () => {
      client.destroy()
      await gone.promise
      return ann
    }
    const server = await testServer({ access: { authenticate, holdBytes } })
    server.app.server.once('connection', socket => socket.once('close', () => setImmediate(gone.resolve)))
    const url = new URL(await server.app.listen({ host: '127.0.0.1', port: 0 }))
    const client = connect(Number(url.port), url.hostname)
    client.write(`POST ${nests} HTTP/1.1\r\nhost: ${url.host}\r\ncontent-type: application/json\r\ncontent-length: 1000\r\n\r\n{`)
    await expect.poll(() => held, { timeout: 10_000 }).toEqual([1000, -1000])
    await server.close()
  })

  test('nobody can act as somebody else', async () => {
    const server = await testServer()
    const answer = await server.send('GET', nests, { headers: { 'impersonate-user': 'root' } })
    expect(answer.status).toBe(403)
    expect((await server.send('GET', nests, { headers: { 'impersonate-group': 'system:masters' } })).status).toBe(403)
    expect(answer.body.message).toContain('cannot impersonate resource "users"')
    expect(server.audit).toMatchObject([asked({ status: 403 }), asked({ status: 403 })])
    await server.close()
  })

  test('an audit line says who did what with which outcome, and nothing of the content', async () => {
    const server = await testServer()
    await server.send('POST', '/api/v1/namespaces/wood/secrets?dryRun=All', {
      body: { metadata: { name: 's' }, stringData: { word: 'sesame' } },
    })
    await server.send('GET', `${nests}/nobody`)
    const resource = { group: '', version: 'v1', plural: 'secrets', namespace: 'wood', name: 's' }
    expect(server.audit).toMatchObject([
      asked({ attempt: { verb: 'create', resource }, status: 201, dryRun: true }),
      asked({ attempt: { verb: 'get' }, status: 404, reason: 'NotFound' }),
    ])
    expect(JSON.stringify(server.audit)).not.toContain('sesame')
    await server.close()
  })

  test('an audit line says that nothing was to change if, and only if, that is so', async () => {
    const server = await testServer()
    await server.send('POST', nests, { body: nest('a') })
    const dry = { kind: 'DeleteOptions', dryRun: ['All'] }
    for (const [method, url, body] of [
      ['DELETE', `${nests}/a`, dry],
      ['DELETE', nests, dry],
      ['DELETE', `${nests}/a?dryRun=`, undefined],
      ['DELETE', `${nests}/a?dryRun=All`, undefined],
      ['GET', `${nests}/a?dryRun=All`, undefined],
      // As in Kubernetes: who sends a body says everything there.
      ['DELETE', `${nests}/a?dryRun=All`, { kind: 'DeleteOptions' }],
      ['GET', `${nests}/a`, undefined],
    ] as const)
      await server.send(method, url, { body })
    expect(server.audit.slice(1).map(entry => [entry.status, entry.dryRun])).toEqual([
      [200, true],
      [200, true],
      [422, undefined],
      [200, true],
      [200, undefined],
      [200, undefined],
      [404, undefined],
    ])
    await server.close()
  })

  test('an audit line names the object that was made, or was to be made, though the path does not', async () => {
    const server = await testServer()
    const { name } = (await server.send('POST', nests, { body: nest('', {}, { generateName: 'egg-' }) })).body.metadata
    await server.send('POST', `${nests}?fieldSelector=metadata.name%3Dforged`, { body: nest(name) })
    await server.send('POST', nests, { body: '{' })
    expect(server.audit.map(entry => [entry.attempt.resource?.name, entry.status])).toEqual([
      [name, 201],
      [name, 409],
      [undefined, 400],
    ])
    await server.close()
  })

  test('a path that is refused before anybody is asked who they are is on record, too', async () => {
    const server = await testServer()
    expect((await server.send('GET', '/api/v1/namespaces/a%2Fb/secrets?token=sesame')).status).toBe(400)
    expect(server.audit).toMatchObject([{ user: '', attempt: { verb: 'get', path: '/api/v1/namespaces/a%2Fb/secrets' }, status: 400 }])
    await server.close()
  })

  test('a good answer to the question how we are is not worth a line', async () => {
    const server = await testServer({ checks: [{ name: 'store', check: () => Promise.reject(new Error('no')) }] })
    await server.send('GET', '/livez')
    await server.send('GET', '/readyz')
    expect(server.audit).toMatchObject([{ attempt: { path: '/readyz' }, status: 500 }])
    await server.close()
  })

  test('requests are counted by verb, resource and status; unknown resources under no name', async () => {
    const server = await testServer()
    await server.send('GET', nests)
    await server.send('GET', '/apis/demo.aviary.dev/v1alpha1/namespaces/wood/eggs')
    const text = await server.metrics.text()
    expect(text).toMatch(/aviary_api_requests_total\{verb="list",resource="nests.demo.aviary.dev",code="200"\} 1/)
    expect(text).toMatch(/aviary_api_requests_total\{verb="list",resource="",code="404"\} 1/)
    await server.close()
  })
})
