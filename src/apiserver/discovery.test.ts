import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { allKinds } from '../kinds/index.ts'
import { testServer } from './testing/test-server.ts'

let server: Awaited<ReturnType<typeof testServer>>
beforeAll(async () => void (server = await testServer()))
afterAll(() => server.close())

const aggregated =
  'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList,application/json'

describe('discovery', () => {
  test('trap 2: aggregated discovery is answered with the plain form, which every client knows', async () => {
    expect((await server.send('GET', '/api', { headers: { accept: aggregated } })).body.kind).toBe('APIVersions')
    expect((await server.send('GET', '/apis', { headers: { accept: aggregated } })).body.kind).toBe('APIGroupList')
  })

  test('every kind is found under its group and version, with its subresources', async () => {
    for (const kind of allKinds) {
      const path = kind.group === '' ? `/api/${kind.version}` : `/apis/${kind.group}/${kind.version}`
      const { resources } = (await server.send('GET', path)).body
      const names = resources.filter((one: { kind: string }) => one.kind === kind.name).map((one: { name: string }) => one.name)
      expect(names).toContain(kind.plural)
      expect(names.includes(`${kind.plural}/status`)).toBe(kind.hasStatus && kind.name !== 'CustomResourceDefinition')
    }
  })

  test('every group that is listed has its own document, and its versions have theirs', async () => {
    const { groups } = (await server.send('GET', '/apis')).body
    expect(groups.map((group: { name: string }) => group.name)).toEqual(expect.arrayContaining(['demo.aviary.dev', 'authorization.k8s.io']))
    for (const group of groups) {
      expect((await server.send('GET', `/apis/${group.name}`)).body).toMatchObject({ kind: 'APIGroup', name: group.name })
      for (const { groupVersion } of group.versions) {
        expect((await server.send('GET', `/apis/${groupVersion}`)).body).toMatchObject({ kind: 'APIResourceList', groupVersion })
      }
    }
  })
})

describe('definitions of the custom kinds', () => {
  const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'

  test('each custom kind has one, established', async () => {
    const { items } = (await server.send('GET', definitions)).body
    const custom = allKinds.filter(kind => !kind.builtIn).map(kind => `${kind.plural}.${kind.group}`)
    expect(items.map((item: { metadata: { name: string } }) => item.metadata.name)).toEqual(custom.toSorted())
    expect(items[0].status.conditions).toEqual(expect.arrayContaining([expect.objectContaining({ type: 'Established', status: 'True' })]))
  })

  test('they can only be read', async () => {
    for (const [method, path] of [
      ['POST', definitions],
      ['DELETE', definitions],
      ['DELETE', `${definitions}/nests.demo.aviary.dev`],
    ] as const) {
      expect((await server.send(method, path, { body: {} })).status).toBe(405)
    }
  })
})

test('the version is one that clients of Kubernetes can compare', async () => {
  const { body } = await server.send('GET', '/version')
  expect(body).toMatchObject({ major: '1', minor: '35', gitVersion: 'v1.35.0+aviary.1.2.3' })
})
