import { readFile, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { fastify } from 'fastify'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { describe, expect, test } from 'vitest'
import { realChance } from '../../ports/index.ts'
import { AccessGrant, AccessToken, Namespace, Secret } from '../../kinds/index.ts'
import { issueToken } from '../../access/index.ts'
import type { Store } from '../../store/index.ts'
import { loopback } from '../testing/aviary-on-loopback.ts'
import type { Loopback } from '../testing/aviary-on-loopback.ts'

const nests = '/apis/demo.aviary.dev/v1alpha1'

async function newToken(store: Store, name: string, user: string, groups: readonly string[] = []): Promise<string> {
  return (await issueToken({ name, user, groups, description: 'test' }, { store, chance: realChance() })).reveal()
}

async function grant(
  store: Store,
  name: string,
  role: NonNullable<AccessGrant['spec']['role']>,
  user: string,
  ...namespaces: string[]
): Promise<void> {
  await store.create(AccessGrant, { metadata: { name }, spec: { subjects: [{ kind: 'User', name: user }], role, namespaces } })
}

/** An issuer of tokens on a port of its own. */
async function issuerOn(world: Loopback) {
  const { privateKey, publicKey } = await generateKeyPair('RS256', { extractable: true })
  const app = fastify()
  app.get('/.well-known/openid-configuration', () => ({ issuer: url, jwks_uri: `${url}/keys` }))
  app.get('/keys', async () => ({ keys: [{ ...(await exportJWK(publicKey)), kid: 'k', alg: 'RS256', use: 'sig' }] }))
  const url = await app.listen({ host: '127.0.0.1', port: 0 })
  world.later(() => app.close())
  const forgedKey = (await generateKeyPair('RS256')).privateKey
  const sign = (claims: Record<string, unknown> = {}, key = privateKey) =>
    new SignJWT({ iss: url, aud: 'aviary', sub: 'ann', exp: Math.floor(Date.now() / 1000) + 60, ...claims })
      .setProtectedHeader({ alg: 'RS256', kid: 'k' })
      .sign(key)
  return { url, sign, forgedKey }
}

describe('tokens of an issuer', () => {
  test('open the door for its users, unless they are expired, forged, or for somebody else', async () => {
    await using world = await loopback()
    const issuer = await issuerOn(world)
    const aviary = await world.start(`[[access.issuers]]\nurl = "${issuer.url}"\naudiences = ["aviary"]\nuserPrefix = "sso:"`)
    const store = await world.store(aviary)
    await grant(store, 'ann', 'view', 'sso:ann', 'default')
    const status = async (token: string) => (await world.send(aviary, `${nests}/namespaces/default/nests`, { token })).status
    const long = Math.floor(Date.now() / 1000) - 3600

    expect(await status(await issuer.sign())).toBe(200)
    expect(await status(await issuer.sign({ sub: 'bob' }))).toBe(403)
    expect(await status(await issuer.sign({ exp: long }))).toBe(401)
    expect(await status(await issuer.sign({ nbf: long + 7200 }))).toBe(401)
    expect(await status(await issuer.sign({ aud: 'other' }))).toBe(401)
    expect(await status(await issuer.sign({ iss: 'https://other.example.com' }))).toBe(401)
    expect(await status(await issuer.sign({}, issuer.forgedKey))).toBe(401)
    expect(await status(`${(await issuer.sign()).slice(0, -8)}AAAAAAAA`)).toBe(401)
  })
})

describe('roles', () => {
  test('decide who reads and writes what, where', async () => {
    await using world = await loopback()
    const aviary = await world.start()
    const store = await world.store(aviary)
    await store.create(Namespace, { metadata: { name: 'web' } })
    await store.create(Secret, { metadata: { namespace: 'web', name: 's' }, data: { a: 'aGlkZGVu' } })
    await grant(store, 'v', 'view', 'viewer', 'web')
    await grant(store, 'e', 'edit', 'editor', 'web')
    const [viewer, editor] = [await newToken(store, 'v', 'viewer'), await newToken(store, 'e', 'editor')]
    const status = async (token: string, path: string) => (await world.send(aviary, path, { token })).status
    await expect.poll(() => status(editor, '/api/v1/namespaces/web/secrets/s')).toBe(200)

    expect(await status(viewer, `${nests}/namespaces/web/nests`)).toBe(200)
    expect(await status(viewer, '/api/v1/namespaces/web')).toBe(200)
    expect(await status(viewer, '/api/v1/namespaces/web/secrets')).toBe(403)
    expect(await status(viewer, '/api/v1/namespaces/web/secrets/s')).toBe(403)
    expect(await status(editor, '/api/v1/namespaces/default/secrets')).toBe(403)
    expect(await status(editor, '/api/v1/secrets')).toBe(403)
    expect(await status(editor, '/apis/access.aviary.dev/v1alpha1/accesstokens')).toBe(403)
    expect(await status(editor, '/metrics')).toBe(403)
    expect(await status(editor, '/aviary/backup')).toBe(403)

    const post = (token: string) => {
      const body = JSON.stringify({ apiVersion: 'demo.aviary.dev/v1alpha1', kind: 'Nest', metadata: { name: 'n' } })
      return world.send(aviary, `${nests}/namespaces/web/nests`, {
        method: 'POST',
        body,
        headers: { 'content-type': 'application/json' },
        token,
      })
    }
    const refused = await post(viewer)
    expect(refused.status).toBe(403)
    expect((JSON.parse(refused.text()) as { message: string }).message).toBe(
      'nests.demo.aviary.dev is forbidden: User "viewer" cannot create resource "nests" in API group "demo.aviary.dev" in the namespace "web"' +
        ': needs an AccessGrant of the role edit in the namespace "web"',
    )
    expect((await post(editor)).status).toBe(201)
  })

  test('end with the token, at once', async () => {
    await using world = await loopback()
    const aviary = await world.start()
    const store = await world.store(aviary)
    const token = await newToken(store, 'ci', 'ci', ['system:masters'])
    await expect.poll(async () => (await world.send(aviary, '/api', { token })).status).toBe(200)
    await store.delete(AccessToken, { name: 'ci' })
    await expect.poll(async () => (await world.send(aviary, '/api', { token })).status).toBe(401)
  })
})

test('who asks too often is told to wait, and nobody else', async () => {
  await using world = await loopback()
  const aviary = await world.start('[access.limits]\nrequestsPerSecond = 0.01\nburst = 3')
  const store = await world.store(aviary)
  const [busy, calm] = [await newToken(store, 'busy', 'busy'), await newToken(store, 'calm', 'calm')]
  await expect.poll(async () => (await world.send(aviary, '/api', { token: busy })).status).toBe(200)
  const answers = await Promise.all([1, 2, 3].map(() => world.send(aviary, '/api', { token: busy })))
  const refused = answers.find(({ status }) => status === 429)
  expect(Number(refused?.headers['retry-after'])).toBeGreaterThan(1)
  expect((await world.send(aviary, '/api', { token: calm })).status).toBe(200)
  expect((await world.send(aviary, '/api')).status).toBe(200)
})

test('a flood of strangers is held back, shuts nobody else out, and leaves room in the audit log', async () => {
  await using world = await loopback()
  const aviary = await world.start('[access.limits]\nrequestsPerSecond = 0.01\nburst = 3')
  const store = await world.store(aviary)
  const calm = await newToken(store, 'calm', 'calm')
  const statuses = async (path: string, token: string) =>
    await Promise.all(Array.from({ length: 30 }, async () => (await world.send(aviary, path, { token })).status))
  expect((await statuses('/api', 'forged')).filter(status => status === 401)).toHaveLength(3)
  expect(new Set(await statuses('/metrics', 'forged'))).toEqual(new Set([429]))
  expect(new Set(await statuses('/api', ''))).toEqual(new Set([429]))
  expect(new Set(await statuses('/readyz', ''))).toEqual(new Set([200]))
  expect((await world.send(aviary, '/api', { token: calm })).status).toBe(200)
  await aviary.stop()
  const audit = await readFile(join(world.dataDir, 'audit', 'audit-000001.jsonl'), 'utf8')
  const lines = audit.split('\n').filter(line => /"status":(401|429)/.test(line))
  expect(lines.map(line => (JSON.parse(line) as { repeated?: number }).repeated)).toEqual([undefined, undefined, 2, 86])
})

test('neither the audit log nor the log holds what is in a secret, or a token', async () => {
  await using world = await loopback()
  const aviary = await world.start('[log]\nlevel = "debug"')
  const store = await world.store(aviary)
  const hidden = 'correct-horse-battery'
  const encoded = Buffer.from(hidden).toString('base64')
  const secrets = '/api/v1/namespaces/default/secrets'
  const send = (method: 'POST' | 'PUT' | 'PATCH' | 'DELETE', path: string, body: unknown, type = 'application/json') =>
    world.send(aviary, path, { method, body: JSON.stringify(body), headers: { 'content-type': type } })

  await store.create(Secret, { metadata: { namespace: 'default', name: 's' }, data: { password: encoded } })
  await store.get(Secret, { namespace: 'default', name: 's' })
  await send('PATCH', `${secrets}/s`, { stringData: { password: hidden } }, 'application/merge-patch+json')
  await send('PATCH', `${secrets}/s`, [{ op: 'add', path: '/data/x', value: encoded }], 'application/json-patch+json')
  await send('POST', secrets, { metadata: { name: 'bad name' }, stringData: { password: hidden } })
  await send('POST', secrets, { metadata: { name: 't' }, data: { password: hidden } })
  await send('PUT', `${secrets}/s`, { metadata: { name: 's' }, data: { [hidden]: 5 } })
  await world.send(aviary, `${secrets}?fieldSelector=type%3D${hidden}`)
  await world.send(aviary, `/api/v1/namespaces/default/secrets/s?pretty=${hidden}`)
  await send('DELETE', `${secrets}/s`, { kind: 'DeleteOptions', apiVersion: 'v1' })
  const token = await world.token(aviary)
  await world.send(aviary, '/api', { token: `${token.slice(0, -1)}!` })
  await aviary.stop()

  const names = await readdir(join(world.dataDir, 'audit'))
  const audit = (await Promise.all(names.map(name => readFile(join(world.dataDir, 'audit', name), 'utf8')))).join('')
  expect(audit).toMatch(/"verb":"create".*"resource":"secrets"/)
  expect(audit).toMatch(/"verb":"get".*"resource":"secrets".*"name":"s"/)
  for (const text of [audit, JSON.stringify(world.log.lines)]) {
    expect(text).not.toContain(hidden)
    expect(text).not.toContain(encoded.slice(0, 20))
    expect(text).not.toContain(token.slice(-40, -1))
  }
})
