import { describe, expect, test } from 'vitest'
import type { Attempt, User } from '../access/index.ts'
import { testServer } from './testing/test-server.ts'

const access = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews'
const rules = '/apis/authorization.k8s.io/v1/selfsubjectrulesreviews'
const self = '/apis/authentication.k8s.io/v1/selfsubjectreviews'

/** May read nests in the namespace wood, and nothing else. */
const authorize = (_user: User, { verb, resource }: Attempt) => ({
  allowed: resource?.plural === 'nests' && resource.namespace === 'wood' && ['get', 'list', 'watch'].includes(verb),
  reason: 'role view',
})

describe('what people ask about themselves', () => {
  test('may I: the guard is asked, and its reason is told', async () => {
    const server = await testServer({ access: { authorize } })
    const ask = (attributes: object) => server.send('POST', access, { body: { spec: { resourceAttributes: attributes } } })
    const nests = { group: 'demo.aviary.dev', resource: 'nests', namespace: 'wood' }
    expect(await ask({ ...nests, verb: 'list' })).toMatchObject({ status: 201, body: { status: { allowed: true, reason: 'role view' } } })
    expect((await ask({ ...nests, verb: 'delete' })).body.status.allowed).toBe(false)
    expect((await ask({ ...nests, verb: 'list', namespace: '' })).body.status.allowed).toBe(false)
    const path = await server.send('POST', access, { body: { spec: { nonResourceAttributes: { path: '/metrics', verb: 'get' } } } })
    expect(path.body.status.allowed).toBe(false)
    await server.close()
  })

  test('what may I: every kind and subresource with the verbs that are allowed, and what is allowed by name', async () => {
    const named = { verbs: ['get'], apiGroups: [''], resources: ['secrets'], resourceNames: ['mine'] }
    const namedRules = (_user: User, namespace: string) => (namespace === 'wood' ? [named] : [])
    const server = await testServer({ access: { authorize, namedRules } })
    const { status } = (await server.send('POST', rules, { body: { spec: { namespace: 'wood' } } })).body
    expect(status.resourceRules).toEqual([
      { verbs: ['get', 'list', 'watch'], apiGroups: ['demo.aviary.dev'], resources: ['nests'] },
      { verbs: ['get'], apiGroups: ['demo.aviary.dev'], resources: ['nests/status'] },
      { verbs: ['get'], apiGroups: ['demo.aviary.dev'], resources: ['nests/scale'] },
      named,
    ])
    expect(status.incomplete).toBe(false)
    await server.close()
  })

  test('who am I', async () => {
    const server = await testServer()
    expect((await server.send('POST', self, { body: {} })).body.status.userInfo).toEqual({
      username: 'ann',
      groups: ['system:authenticated'],
    })
    await server.close()
  })

  test('whoever has said who they are may ask, others may not', async () => {
    const deny = { authorize: () => ({ allowed: false, reason: '' }) }
    const known = await testServer({ access: deny })
    expect((await known.send('POST', self, { body: {} })).status).toBe(201)
    await known.close()
    const unknown = await testServer({ access: { ...deny, authenticate: async () => ({ name: 'system:anonymous', groups: [] }) } })
    expect((await unknown.send('POST', self, { body: {} })).status).toBe(401)
    await unknown.close()
  })

  test.each([
    [{ spec: {} }, 400],
    [{ spec: { resourceAttributes: {}, nonResourceAttributes: {} } }, 400],
    [{ spec: { resourceAttributes: { verb: 5 } } }, 400],
    ['{', 400],
  ])('%j is %i', async (body, status) => {
    const server = await testServer()
    expect((await server.send('POST', access, { body })).status).toBe(status)
    await server.close()
  })

  test('nothing of it can be read later', async () => {
    const server = await testServer()
    expect((await server.send('GET', access)).status).toBe(405)
    expect((await server.send('GET', `${access}/x`)).status).toBe(404)
    await server.close()
  })
})
