import { describe, expect, test } from 'vitest'
import { Nest } from '../kinds/index.ts'
import { recordedBodies } from './protobuf/recorded-bodies.ts'
import { nest, nests, testServer } from './testing/test-server.ts'

const yaml = { 'content-type': 'application/yaml' }
const protobuf = { 'content-type': 'application/vnd.kubernetes.protobuf' }

describe('bodies', () => {
  test('trap 10: objects of Kubernetes are taken as protobuf and answered as JSON', async () => {
    const server = await testServer()
    const send = (what: string, path: string) =>
      server.send('POST', path, { body: Buffer.from(recordedBodies.find(one => one.what === what)!.hex, 'hex'), headers: protobuf })
    expect(await send('kubectl create configmap', '/api/v1/namespaces/wood/configmaps')).toMatchObject({
      status: 201,
      body: { kind: 'ConfigMap', data: { a: 'b', empty: '' } },
    })
    expect((await send('kubectl create secret', '/api/v1/namespaces/wood/secrets')).status).toBe(201)
    expect((await send('client-go: Event', '/api/v1/namespaces/wood/events')).status).toBe(201)
    expect((await send('client-go: Lease', '/apis/coordination.k8s.io/v1/namespaces/wood/leases')).body.message).toContain(
      'resourceVersion',
    )
    expect((await send('client-go: DeleteOptions', nests)).status).toBe(400)
    await server.close()
  })

  test('YAML is read as Kubernetes reads it, also when it is sent to be answered as YAML', async () => {
    const server = await testServer()
    const body = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\ndata: {a: "1"}\n'
    const made = await server.send('POST', '/api/v1/namespaces/wood/configmaps', { body, headers: { ...yaml, accept: 'application/yaml' } })
    expect(made.status).toBe(201)
    expect(made.headers['content-type']).toBe('application/yaml')
    expect(made.text).toContain('data:\n  a: "1"\n')
    await server.close()
  })

  test.each([
    [
      'a YAML text that grows when it is read',
      `a: &a [x,x,x,x,x,x,x,x,x]\n${'bcdefghij'
        .split('')
        .map((key, index) => `${key}: &${key} [${Array(9).fill(`*${'abcdefghij'[index]}`).join(',')}]`)
        .join('\n')}\n`,
      yaml,
    ],
    ['a JSON text that nests without end', '['.repeat(100_000), {}],
    ['a text that is nothing', 'nothing', {}],
    ['protobuf that is none', 'k8s\0nothing', protobuf],
    ['YAML that is none', 'a: [', yaml],
    ['a list', '[]', {}],
  ])('%s is a bad request', async (_name, body, headers) => {
    const server = await testServer()
    expect(await server.send('POST', nests, { body, headers })).toMatchObject({
      status: 400,
      body: { kind: 'Status', reason: 'BadRequest' },
    })
    await server.close()
  })

  test('bodies of more than a megabyte are read', async () => {
    const server = await testServer()
    const body = `${JSON.stringify(nest('roomy'))}${' '.repeat(2_000_000)}`
    expect((await server.send('POST', nests, { body })).status).toBe(201)
    await server.close()
  })

  test('YAML takes longer to read than others should wait for: more than 8 KiB of it is to be sent as JSON', async () => {
    const server = await testServer()
    const text = (bytes: number) => {
      const head = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {generateName: c}\ndata:\n  a: '
      return head + 'x'.repeat(bytes - head.length)
    }
    const post = (bytes: number) => server.send('POST', '/api/v1/namespaces/wood/configmaps', { body: text(bytes), headers: yaml })
    expect((await post(8 * 1024)).status).toBe(201)
    expect(await post(8 * 1024 + 1)).toMatchObject({
      status: 413,
      body: { reason: 'RequestEntityTooLarge', message: 'Request entity too large: limit is 8192 for YAML; send JSON' },
    })
    await server.close()
  })

  const tooMany = { status: 413, body: { message: expect.stringContaining('at most 20000 fields and list items are accepted') } }
  const numbered = (count: number, write: (index: number) => string) => Array.from({ length: count }, (_, index) => write(index)).join(',')

  test.each([
    ['unknown fields', `"x":{${numbered(250_000, index => `"${index}":1`)}}`],
    ['data', `"data":{${numbered(150_000, index => `"k${index}":""`)}}`],
    ['list items', `"x":[${numbered(1_000_000, () => '0')}]`],
    ['empty objects', `"x":[${numbered(900_000, () => '{}')}]`],
  ])('the work is bounded, not only the bytes: too many %s are refused before anything is built', async (_name, fields) => {
    const server = await testServer()
    const body = `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},${fields}}`
    expect(await server.send('POST', '/api/v1/namespaces/wood/configmaps', { body })).toMatchObject(tooMany)
    await server.close()
  })

  test('an object of 20,000 fields and list items is accepted, and no patch makes it larger', async () => {
    const server = await testServer()
    const data = Object.fromEntries(Array.from({ length: 19_990 }, (_, index) => [`k${index}`, '']))
    const configMaps = '/api/v1/namespaces/wood/configmaps'
    const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data }
    expect((await server.send('POST', configMaps, { body })).status).toBe(201)
    const more = { data: Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`m${index}`, ''])) }
    for (const type of ['application/merge-patch+json', 'application/strategic-merge-patch+json']) {
      expect(await server.send('PATCH', `${configMaps}/a?dryRun=All`, { body: more, headers: { 'content-type': type } })).toMatchObject(
        tooMany,
      )
    }
    await server.close()
  })

  test('protobuf of more fields than are read is refused', async () => {
    const server = await testServer()
    const type = Buffer.from('\x0a\x0f\x0a\x02v1\x12\x09ConfigMap', 'latin1')
    const body = Buffer.concat([Buffer.from('k8s\0'), type, Buffer.from('\x18\x00'.repeat(1_400_000), 'latin1')])
    const answer = await server.send('POST', '/api/v1/namespaces/wood/configmaps', { body, headers: protobuf })
    expect(answer).toMatchObject({ status: 413, body: { message: expect.stringContaining('fields and list items are accepted') } })
    await server.close()
  })

  test('YAML that is nothing but mistakes is refused for the first of them', async () => {
    const server = await testServer()
    for (const text of [`[${','.repeat(8000)}]`, '"'.repeat(8000), '! '.repeat(4000), '!a '.repeat(2700), '['.repeat(8000)]) {
      const answer = await server.send('POST', nests, { body: text, headers: yaml })
      expect(answer.status).toBe(400)
      expect(answer.text.length).toBeLessThan(600)
    }
    await server.close()
  })

  test('YAML whose aliases stand for more than 20,000 values is refused', async () => {
    const server = await testServer()
    const body = `a: &a [${'x,'.repeat(3000)}x]\nb: [${'*a,'.repeat(20)}*a]\n`
    expect(await server.send('POST', nests, { body, headers: yaml })).toMatchObject(tooMany)
    await server.close()
  })

  test('a large answer in YAML is written as JSON, which is YAML, too', async () => {
    const server = await testServer()
    const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: { a: 'x'.repeat(20_000) } }
    const { text, status } = await server.send('POST', '/api/v1/namespaces/wood/configmaps', {
      body,
      headers: { accept: 'application/yaml' },
    })
    expect(status).toBe(201)
    expect(JSON.parse(text)).toMatchObject(body)
    await server.close()
  })

  test('the answer to a long mistake is short', async () => {
    const server = await testServer()
    const refused = async (body: object) => {
      const { status, text } = await server.send('POST', '/api/v1/namespaces/wood/configmaps', {
        body: { apiVersion: 'v1', kind: 'ConfigMap', ...body },
      })
      expect(status).toBe(422)
      return text.length
    }
    const owner = (index: number) => ({ apiVersion: 'v1', kind: 'A', name: `a${index}`, uid: `u${index}`, controller: true })
    const ownerReferences = Array.from({ length: 3000 }, (_, index) => owner(index))
    const unknown = Object.fromEntries(Array.from({ length: 10_000 }, (_, index) => [`k${index}`, 1]))
    expect(await refused({ metadata: { name: 'a.'.repeat(1_000_000) } })).toBeLessThan(10_000)
    expect(await refused({ metadata: { name: 'a', labels: { a: 'a'.repeat(2_000_000) } } })).toBeLessThan(10_000)
    expect(await refused({ metadata: { name: 'a', ownerReferences } })).toBeLessThan(1_000_000)
    expect(await refused({ metadata: { name: 'a' }, data: { ['a'.repeat(1_000_000)]: unknown } })).toBeLessThan(10_000)
    await server.close()
  })

  test.each([';;;', 'nonsense', 'a/b/c', 'text/html; charset=', '*/*'])('content type %j is refused as a Status', async type => {
    const server = await testServer()
    const { status, body } = await server.send('POST', nests, { body: nest('a'), headers: { 'content-type': type } })
    expect([400, 415]).toContain(status)
    expect(body).toMatchObject({ kind: 'Status', status: 'Failure', code: status })
    expect((await server.store.list(Nest)).items).toEqual([])
    await server.close()
  })

  test('more than 3 MiB is refused before it is read, and nothing happens', async () => {
    const server = await testServer()
    const answer = await server.send('POST', nests, { body: nest('big', { site: 'x'.repeat(3 * 1024 * 1024) }) })
    expect(answer).toMatchObject({
      status: 413,
      body: { reason: 'RequestEntityTooLarge', message: 'Request entity too large: limit is 3145728' },
    })
    expect((await server.store.list(Nest)).items).toEqual([])
    await server.close()
  })
})
