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

  test('YAML takes longer to read than others should wait for: more than 128 KiB of it is to be sent as JSON', async () => {
    const server = await testServer()
    const text = (bytes: number) => {
      const head = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {generateName: c}\ndata:\n  a: '
      return head + 'x'.repeat(bytes - head.length)
    }
    const post = (bytes: number) => server.send('POST', '/api/v1/namespaces/wood/configmaps', { body: text(bytes), headers: yaml })
    expect((await post(128 * 1024)).status).toBe(201)
    expect(await post(128 * 1024 + 1)).toMatchObject({
      status: 413,
      body: { reason: 'RequestEntityTooLarge', message: 'Request entity too large: limit is 131072 for YAML; send JSON' },
    })
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
