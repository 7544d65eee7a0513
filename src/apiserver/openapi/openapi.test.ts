import { afterAll, beforeAll, expect, test } from 'vitest'
import { allKinds } from '../../kinds/index.ts'
import { testServer } from '../testing/test-server.ts'

let server: Awaited<ReturnType<typeof testServer>>
beforeAll(async () => void (server = await testServer()))
afterAll(() => server.close())

const documents = async () => {
  const { paths } = (await server.send('GET', '/openapi/v3')).body as { paths: Record<string, { serverRelativeURL: string }> }
  return Promise.all(Object.values(paths).map(({ serverRelativeURL }) => server.send('GET', serverRelativeURL)))
}

test('every kind is in one document under its group, version and kind, and in the paths where explain looks for it', async () => {
  const all = (await documents()).map(({ body }) => body)
  for (const { group, version, name, plural, scope } of allKinds) {
    const wanted = { group, version, kind: name }
    const holders = all
      .flatMap(document => Object.values(document.components.schemas as Record<string, any>))
      .filter(schema => schema['x-kubernetes-group-version-kind']?.some((one: object) => JSON.stringify(one) === JSON.stringify(wanted)))
    expect(holders).toHaveLength(1)
    const root = group === '' ? '/api' : `/apis/${group}`
    const path = scope === 'Namespaced' ? `${root}/${version}/namespaces/{namespace}/${plural}` : `${root}/${version}/${plural}`
    const document = all.find(one => one.paths[path] !== undefined)
    expect(document.paths[path].get['x-kubernetes-group-version-kind']).toEqual(wanted)
  }
})

test('kubectl finds field validation and dry run on the patch of every kind that can be patched', async () => {
  const all = (await documents()).map(({ body }) => body)
  for (const { plural, group } of allKinds) {
    if (group === 'apiextensions.k8s.io') continue
    const [, item] = all
      .flatMap(document => Object.entries(document.paths as Record<string, any>))
      .find(([path]) => path.endsWith(`/${plural}/{name}`))!
    expect(item.patch.parameters.map((one: { name: string }) => one.name)).toEqual(['dryRun', 'fieldManager', 'fieldValidation'])
  }
})

test('every reference leads to a schema of the same document', async () => {
  for (const { body, text } of await documents()) {
    for (const [, name] of text.matchAll(/"\$ref":"#\/components\/schemas\/([^"]+)"/g))
      expect(body.components.schemas).toHaveProperty([name!])
  }
})

test('the hash in the index names the content, which may then be kept for good', async () => {
  const { paths } = (await server.send('GET', '/openapi/v3')).body
  const url: string = paths['apis/demo.aviary.dev/v1alpha1'].serverRelativeURL
  expect((await server.send('GET', url)).headers['cache-control']).toContain('immutable')
  expect((await server.send('GET', url.replace(/hash=.*/, 'hash=other'))).headers['cache-control']).not.toContain('immutable')
})

test('trap 1: version 2 is an empty document, of a type that clients in Go can read', async () => {
  const accept = 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf'
  const answer = await server.app.inject({ url: '/openapi/v2', headers: { accept } })
  expect(answer.headers['content-type']).toBe('application/com.github.proto-openapi.spec.v2.v1.0+protobuf')
  expect(answer.rawPayload).toEqual(Buffer.from('0a03322e30', 'hex'))
  expect((await server.send('GET', '/openapi/v2')).body).toMatchObject({ swagger: '2.0', paths: {} })
})

test('lists that kubectl merges item by item are marked', async () => {
  const [core] = (await documents()).map(({ body }) => body).filter(document => document.paths['/api/v1/nodes'] !== undefined)
  const { finalizers, ownerReferences } = core.components.schemas['io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta'].properties
  expect(finalizers).toMatchObject({ 'x-kubernetes-patch-strategy': 'merge' })
  expect(ownerReferences).toMatchObject({ 'x-kubernetes-patch-strategy': 'merge', 'x-kubernetes-patch-merge-key': 'uid' })
})
