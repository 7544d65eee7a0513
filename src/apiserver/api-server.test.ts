import { gunzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { ConfigMap, Nest } from '../kinds/index.ts'
import { VirtualClock } from '../ports/index.ts'
import { changedStore } from './testing/changed-store.ts'
import { nest, nests, testServer } from './testing/test-server.ts'

const yaml = { 'content-type': 'application/yaml' }

describe('answers', () => {
  test('every answer names the request and forbids to keep it', async () => {
    const server = await testServer()
    const { headers } = await server.send('GET', nests)
    expect(headers['audit-id']).toBe(server.audit[0]!.id)
    expect(headers['cache-control']).toBe('no-cache, private')
    await server.close()
  })

  test('large ones are packed for who can unpack them', async () => {
    const server = await testServer()
    const data = { text: 'x'.repeat(200_000) }
    await server.store.create(ConfigMap, { metadata: { name: 'big', namespace: 'wood' }, data })
    const url = '/api/v1/namespaces/wood/configmaps/big'
    const packed = await server.app.inject({ url, headers: { 'accept-encoding': 'gzip' } })
    expect(packed.headers['content-encoding']).toBe('gzip')
    expect(JSON.parse(gunzipSync(packed.rawPayload).toString())).toMatchObject({ data })
    for (const headers of [{}, { 'accept-encoding': 'identity, gzip;q=0' }])
      expect((await server.app.inject({ url, headers })).headers['content-encoding']).toBeUndefined()
    await server.close()
  })

  test('long lists come piece by piece, packed or not, and say the same', async () => {
    const server = await testServer()
    const data = { text: 'ö'.repeat(500) }
    await Promise.all(
      Array.from({ length: 800 }, (_, index) =>
        server.store.create(ConfigMap, { metadata: { name: `c-${index}`, namespace: 'wood' }, data }),
      ),
    )
    const url = '/api/v1/namespaces/wood/configmaps'
    const { items, resourceVersion } = await server.store.list(ConfigMap, { namespace: 'wood' })
    const expected = { apiVersion: 'v1', kind: 'ConfigMapList', metadata: { resourceVersion }, items: items.map(item => item.object) }
    expect((await server.send('GET', url)).body).toEqual(expected)
    const packed = await server.app.inject({ url, headers: { 'accept-encoding': 'gzip' } })
    expect(packed.headers['content-encoding']).toBe('gzip')
    expect(JSON.parse(gunzipSync(packed.rawPayload).toString())).toEqual(expected)
    expect(await server.send('HEAD', url)).toMatchObject({ status: 200, text: '' })
    await server.close()
  })

  test('people who come with curl get several lines', async () => {
    const server = await testServer()
    expect((await server.send('GET', '/api', { headers: { 'user-agent': 'curl/8.0' } })).text).toContain('\n  "kind"')
    expect((await server.send('GET', '/api?pretty=false', { headers: { 'user-agent': 'curl/8.0' } })).text).not.toContain('\n')
    expect((await server.send('GET', '/api?pretty=true')).text).toContain('\n')
    await server.close()
  })

  test('HEAD is GET without a body', async () => {
    const server = await testServer()
    await server.send('POST', nests, { body: nest('a') })
    expect(await server.send('HEAD', `${nests}/a`)).toMatchObject({ status: 200, text: '' })
    await server.close()
  })

  test('a warning survives quotes, letters beyond ASCII and line ends', async () => {
    const server = await testServer()
    const body = 'apiVersion: demo.aviary.dev/v1alpha1\nkind: Nest\nmetadata: {name: a}\nspec: {eggs: 1, eggs: 2, "ö\\"": 1}\n'
    const { status: code, headers } = await server.send('POST', nests, { body, headers: yaml })
    expect(code).toBe(201)
    const warnings = [headers['warning']].flat().map(text => Buffer.from(text!, 'latin1').toString('utf8'))
    expect(warnings).toEqual([
      String.raw`299 - "yaml: unmarshal errors:   line 4: key \"eggs\" already set in map"`,
      expect.stringContaining('ö'),
    ])
    await server.close()
  })
})

describe('failures', () => {
  test('an unexpected one is told to the log, not to the client', async () => {
    const server = await testServer({ wrap: store => changedStore(store, { get: () => Promise.reject(new Error('disk sesame')) }) })
    const answer = await server.send('GET', `${nests}/a`)
    expect(answer).toMatchObject({ status: 500, body: { reason: 'InternalError' } })
    expect(answer.text).not.toContain('sesame')
    const line = server.log.lines.find(({ message }) => message === 'request failed')
    expect(line?.fields).toMatchObject({ id: answer.headers['audit-id'] })
    await server.close()
  })

  test('a store that hangs is given up after a minute, or sooner if the client said so', async () => {
    const clock = new VirtualClock()
    const server = await testServer({ clock, wrap: store => changedStore(store, { get: () => new Promise<never>(() => {}) }) })
    for (const [url, milliseconds] of [
      [`${nests}/a`, 60_000],
      [`${nests}/a?timeout=5s`, 5000],
    ] as const) {
      const answer = server.send('GET', url)
      await clock.advance(milliseconds - 1)
      await clock.advance(1)
      expect(await answer).toMatchObject({ status: 504, body: { reason: 'Timeout' } })
    }
    expect((await server.send('GET', `${nests}/a?timeout=soon`)).status).toBe(400)
    await server.close()
  })

  test('a store that is closed is 503', async () => {
    const server = await testServer()
    await server.store.close()
    expect((await server.send('GET', `${nests}/a`)).status).toBe(503)
    await server.close()
  })
})

describe('fields that nobody knows', () => {
  const body = '{"apiVersion":"demo.aviary.dev/v1alpha1","kind":"Nest","metadata":{"name":"a"},"spec":{"eggs":1,"eggs":2,"flavr":1}}'

  test('trap 7: Strict refuses them and keys that occur twice, Warn tells, Ignore keeps quiet', async () => {
    const server = await testServer()
    const strict = await server.send('POST', `${nests}?fieldValidation=Strict`, { body })
    expect(strict.body.message).toMatch(/strict decoding error: duplicate field "spec.eggs", unknown field "spec.flavr"$/)
    expect((await server.store.list(Nest)).items).toEqual([])
    const warned = await server.send('POST', `${nests}?dryRun=All`, { body })
    expect(warned.headers['warning']).toEqual(['299 - "duplicate field \\"spec.eggs\\""', '299 - "unknown field \\"spec.flavr\\""'])
    expect((await server.send('POST', `${nests}?fieldValidation=Ignore`, { body })).headers['warning']).toBeUndefined()
    await server.close()
  })
})

test('trap 11: a strategic merge patch is taken for the kinds of Kubernetes and refused for custom ones', async () => {
  const server = await testServer()
  const headers = { 'content-type': 'application/strategic-merge-patch+json' }
  expect((await server.send('PATCH', '/api/v1/namespaces/wood', { body: { metadata: { labels: { a: 'b' } } }, headers })).status).toBe(200)
  await server.send('POST', nests, { body: nest('a') })
  expect(await server.send('PATCH', `${nests}/a`, { body: {}, headers })).toMatchObject({
    status: 415,
    body: { reason: 'UnsupportedMediaType' },
  })
  await server.close()
})

test('a content type that is none is 415, like one that is not read', async () => {
  const server = await testServer()
  for (const type of ['text/plain', ';;', 'json'])
    expect(await server.send('POST', nests, { body: nest('a'), headers: { 'content-type': type } })).toMatchObject({
      status: 415,
      body: { reason: 'UnsupportedMediaType', code: 415 },
    })
  await server.close()
})

test('a JSON patch whose copies grow beyond measure is refused as Kubernetes refuses it', async () => {
  const server = await testServer()
  await server.send('POST', nests, { body: nest('a') })
  const copies = Array.from({ length: 40 }, (_, index) => ({ op: 'copy', from: '/spec', path: `/spec/copy${index}` }))
  const headers = { 'content-type': 'application/json-patch+json' }
  expect(await server.send('PATCH', `${nests}/a`, { body: copies, headers })).toMatchObject({
    status: 422,
    body: { reason: 'Invalid', message: 'the server rejected our request due to an error in our request' },
  })
  await server.close()
})

test.each(['/apis//v1/namespaces/wood/secrets', '/api//namespaces/wood/secrets'])(
  'a group or version without a name is none: %s is not found, whatever is asked of it',
  async url => {
    const server = await testServer()
    for (const method of ['GET', 'POST', 'DELETE']) expect((await server.send(method, url)).status).toBe(404)
    await server.close()
  },
)

test('trap 13: a deletion may be tied to one object and one revision of it', async () => {
  const server = await testServer()
  const { metadata } = (await server.send('POST', nests, { body: nest('a') })).body
  const remove = (preconditions: object) => server.send('DELETE', `${nests}/a`, { body: { preconditions } })
  expect((await remove({ uid: 'another' })).status).toBe(409)
  expect((await remove({ resourceVersion: '1' })).status).toBe(409)
  expect((await remove({ uid: metadata.uid, resourceVersion: metadata.resourceVersion })).status).toBe(200)
  await server.close()
})

describe('metadata', () => {
  test('without the name is no update: it would scale to nothing, or take labels and finalizers away', async () => {
    const server = await testServer()
    const { metadata } = (await server.send('POST', nests, { body: nest('a', { eggs: 3 }, { labels: { kept: 'yes' } }) })).body
    const headers = { 'content-type': 'application/merge-patch+json' }
    for (const [method, path, body] of [
      ['PUT', `${nests}/a/scale`, {}],
      ['PUT', `${nests}/a`, nest('', {}, { resourceVersion: metadata.resourceVersion })],
      ['PATCH', `${nests}/a`, { metadata: null }],
      ['PATCH', `${nests}/a`, { metadata: { name: null } }],
    ] as const) {
      const message = 'the name of the object (a based on URL) was undeterminable: name must be provided'
      expect(await server.send(method, path, { body, ...(method === 'PATCH' && { headers }) })).toMatchObject({
        status: 400,
        body: { message },
      })
    }
    expect((await server.send('GET', `${nests}/a`)).body).toMatchObject({ metadata, spec: { eggs: 3 } })
    await server.close()
  })

  test.each([
    [{ labels: { x: 2 } }, 'json: cannot unmarshal number into Go struct field ObjectMeta.labels of type string'],
    [{ labels: ['x'] }, 'json: cannot unmarshal array into Go struct field ObjectMeta.labels of type map[string]string'],
    [{ annotations: { a: true } }, 'json: cannot unmarshal bool into Go struct field ObjectMeta.annotations of type string'],
    [{ finalizers: 'x' }, 'json: cannot unmarshal string into Go struct field ObjectMeta.finalizers of type []string'],
    [{ finalizers: [1] }, 'json: cannot unmarshal number into Go struct field ObjectMeta.finalizers of type string'],
    [{ ownerReferences: {} }, 'json: cannot unmarshal object into Go struct field ObjectMeta.ownerReferences of type []v1.OwnerReference'],
    [{ uid: 5 }, 'json: cannot unmarshal number into Go struct field ObjectMeta.uid of type types.UID'],
    [{ generation: 'x' }, 'json: cannot unmarshal string into Go struct field ObjectMeta.generation of type int64'],
    [{ creationTimestamp: 5 }, 'json: cannot unmarshal number into Go struct field ObjectMeta.creationTimestamp of type string'],
    [{ creationTimestamp: 'yesterday' }, 'metadata.creationTimestamp: "yesterday" is no time such as "2006-01-02T15:04:05Z"'],
  ])('%j is a bad request, in Kubernetes’ words', async (metadata, complaint) => {
    const server = await testServer()
    expect(await server.send('POST', nests, { body: nest('a', {}, metadata) })).toMatchObject({
      status: 400,
      body: { reason: 'BadRequest', message: `Nest in version "v1alpha1" cannot be handled as a Nest: ${complaint}` },
    })
    await server.close()
  })
})

test('zero is no revision: who may not replace just any is told so, who may does', async () => {
  const server = await testServer()
  await server.send('POST', nests, { body: nest('a') })
  expect((await server.send('PUT', `${nests}/a`, { body: nest('a', {}, { resourceVersion: '0' }) })).status).toBe(422)
  const maps = '/api/v1/namespaces/wood/configmaps'
  await server.send('POST', maps, { body: { metadata: { name: 'm' } } })
  expect((await server.send('PUT', `${maps}/m`, { body: { metadata: { name: 'm', resourceVersion: '0' } } })).status).toBe(200)
  await server.close()
})

describe('deleting', () => {
  test('a collection is one of a namespace, never of all', async () => {
    const server = await testServer()
    await server.send('POST', nests, { body: nest('a') })
    expect((await server.send('DELETE', '/apis/demo.aviary.dev/v1alpha1/nests')).status).toBe(404)
    expect(await server.send('DELETE', '/apis/demo.aviary.dev/v1alpha1/namespaces//nests')).toMatchObject({
      status: 400,
      body: { reason: 'BadRequest', message: 'Namespace parameter required.' },
    })
    expect((await server.store.list(Nest)).items).toHaveLength(1)
    await server.close()
  })

  test('a collection goes as one, also a large one, and only what was selected', async () => {
    const server = await testServer()
    for (let index = 0; index < 150; index++)
      await server.send('POST', nests, { body: nest(`n-${index}`, {}, { labels: { odd: String(index % 2) } }) })
    const answer = await server.send('DELETE', `${nests}?labelSelector=odd%3D1`)
    expect(answer.body).toMatchObject({ kind: 'NestList' })
    expect(answer.body.items).toHaveLength(75)
    expect((await server.store.list(Nest)).items).toHaveLength(75)
    await server.close()
  })

  test('all namespaces never go by one request', async () => {
    const server = await testServer()
    expect(await server.send('DELETE', '/api/v1/namespaces')).toMatchObject({ status: 405, body: { reason: 'MethodNotAllowed' } })
    const { resources } = (await server.send('GET', '/api/v1')).body
    const { verbs } = resources.find(({ name }: { name: string }) => name === 'namespaces')
    expect(verbs).toEqual(['create', 'delete', 'get', 'list', 'patch', 'update', 'watch'])
    expect((await server.send('GET', '/openapi/v3/api/v1')).body.paths['/api/v1/namespaces'].delete).toBeUndefined()
    await server.close()
  })

  test('a namespace ends when its finalizers are taken away', async () => {
    const server = await testServer()
    const url = '/api/v1/namespaces/wood'
    expect((await server.send('DELETE', url)).body.status.phase).toBe('Terminating')
    const body = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'wood' }, spec: { finalizers: [] } }
    expect((await server.send('PUT', `${url}/finalize`, { body })).status).toBe(200)
    expect((await server.send('GET', url)).status).toBe(404)
    await server.close()
  })
})

describe('pages', () => {
  test('trap 8: pages show one moment; a page too late is 410, with a token for the rest as it is now', async () => {
    const server = await testServer()
    for (const name of ['a', 'b', 'c']) await server.send('POST', nests, { body: nest(name) })
    const first = await server.send('GET', `${nests}?limit=2`)
    expect(first.body.metadata).toMatchObject({ remainingItemCount: 1, continue: expect.any(String) })
    await server.send('DELETE', `${nests}/c`)
    const second = await server.send('GET', `${nests}?limit=2&continue=${first.body.metadata.continue}`)
    expect(second.body.items.map((item: { metadata: { name: string } }) => item.metadata.name)).toEqual(['c'])
    expect(second.body.metadata.resourceVersion).toBe(first.body.metadata.resourceVersion)
    expect((await server.send('GET', `${nests}?continue=forged`)).status).toBe(400)
    const { rv, ...rest } = JSON.parse(Buffer.from(first.body.metadata.continue, 'base64url').toString())
    const token = Buffer.from(JSON.stringify({ ...rest, rv: rv + 1000 })).toString('base64url')
    const late = await server.send('GET', `${nests}?limit=2&continue=${token}`)
    expect(late).toMatchObject({ status: 410, body: { reason: 'Expired', metadata: { continue: expect.any(String) } } })
    expect((await server.send('GET', `${nests}?continue=${late.body.metadata.continue}`)).body.items).toEqual([])
    await server.close()
  })
})

test('what is not served is 404 in Kubernetes’ words, wherever it is', async () => {
  const server = await testServer()
  const message = 'the server could not find the requested resource'
  for (const url of [
    '/nothing',
    '/apis/demo.aviary.dev/v2',
    '/api/v1/eggs',
    `${nests}/a/eggs`,
    `${nests}/a/status/x`,
    '/api/v1/namespaces/wood/nodes',
    '/openapi/v3/apis/eggs/v1',
  ]) {
    expect(await server.send('GET', url)).toMatchObject({ status: 404, body: { message } })
  }
  expect((await server.send('POST', '/apis/demo.aviary.dev/v1alpha1/nests', { body: nest('a') })).status).toBe(404)
  await server.close()
})

test('health: alive unless a check says that only a restart helps', async () => {
  let dead = false
  const checkAlive = () => {
    if (dead) throw new Error('only a restart helps')
  }
  const server = await testServer({ checks: [{ name: 'store', check: checkAlive, checkAlive }] })
  expect((await server.send('GET', '/livez?verbose')).text).toBe('[+]ping ok\n[+]store ok\nlivez check passed\n')
  dead = true
  expect(await server.send('GET', '/livez')).toMatchObject({ status: 500, text: expect.stringContaining('[-]store failed') })
  expect((await server.send('GET', '/livez/store')).status).toBe(500)
  await server.close()
})

test('health: ready only if every check passes, alive in any case', async () => {
  let broken = false
  const check = () => {
    if (broken) throw new Error('broken sesame')
  }
  const server = await testServer({ checks: [{ name: 'store', check }] })
  expect(await server.send('GET', '/readyz')).toMatchObject({ status: 200, text: 'ok' })
  broken = true
  const answer = await server.send('GET', '/readyz')
  expect(answer).toMatchObject({ status: 500, text: '[+]ping ok\n[-]store failed: reason withheld\nreadyz check failed\n' })
  expect((await server.send('GET', '/readyz?exclude=store')).status).toBe(200)
  expect((await server.send('GET', '/readyz/store')).status).toBe(500)
  expect((await server.send('GET', '/livez')).status).toBe(200)
  expect((await server.send('GET', '/livez?verbose')).text).toBe('[+]ping ok\nlivez check passed\n')
  await server.close()
})
