import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { describe, expect, test } from 'vitest'
import { isoTime, memoryFiles, prometheusMetrics, realChance, recordingLog, simulatedHttp, VirtualClock } from '../ports/index.ts'
import { AccessGrant, AccessToken, allKinds } from '../kinds/index.ts'
import { memoryStore, StoreError } from '../store/index.ts'
import type { Attempt, User } from './access.ts'
import { issueToken } from './issue-token.ts'
import { openAccess } from './open-access.ts'
import type { AccessOptions, OpenAccess } from './open-access.ts'

const start = 1_800_000_000_000
const here = '10.0.0.1'

async function setUp(more: Partial<AccessOptions> = {}) {
  const clock = new VirtualClock({ start })
  const chance = realChance()
  const store = memoryStore({ kinds: allKinds, clock, chance })
  const files = memoryFiles()
  const log = recordingLog()
  const access = await openAccess({
    store,
    clock,
    chance,
    files,
    log,
    metrics: prometheusMetrics(),
    anonymous: ['health', 'version'],
    issuers: [],
    limits: { requestsPerSecond: 1, burst: 2, bodies: 1000 },
    audit: { folder: '/audit', which: 'all', maxFileSize: 1e6, maxFiles: 3 },
    ...more,
  })
  const settle = () => clock.advance(10)
  const token = async (name: string, user: string, groups: readonly string[] = []) => {
    const text = await issueToken({ name, user, groups, description: 'test' }, { store, chance })
    await settle()
    return `Bearer ${text.reveal()}`
  }
  const grant = async (name: string, spec: AccessGrant['spec']) => {
    await store.create(AccessGrant, { metadata: { name }, spec })
    await settle()
  }
  return { access, store, clock, files, log, token, grant, settle }
}

const unauthorized = (error: unknown) => StoreError.is(error, 'Unauthorized') && error.message === 'Unauthorized'

function nests(verb: string, namespace?: string): Attempt {
  const resource = { group: 'demo.aviary.dev', version: 'v1alpha1', plural: 'nests' }
  return { verb, resource: namespace === undefined ? resource : { ...resource, namespace } }
}

function may(access: OpenAccess, user: User, attempt: Attempt): boolean {
  return access.authorize(user, attempt).allowed
}

describe('who is asking', () => {
  test('is told by a token', async () => {
    const { access, token } = await setUp()
    expect(await access.authenticate(await token('t', 'ann', ['birders']), here)).toEqual({
      name: 'ann',
      groups: ['birders', 'system:authenticated'],
    })
  })

  test('is anonymous without a header', async () => {
    const { access } = await setUp()
    expect(await access.authenticate(undefined, here)).toEqual({ name: 'system:anonymous', groups: ['system:unauthenticated'] })
  })

  test('is not believed with a wrong, cut, foreign or misspelt token, and is not told which it was', async () => {
    const { access, token } = await setUp()
    const good = await token('t', 'ann')
    const wrong = good.slice(0, -1) + (good.endsWith('A') ? 'B' : 'A')
    const foreign = good.replace('aviary_t_', 'aviary_nobody_')
    const headers = [
      wrong,
      good.slice(0, -5),
      foreign,
      'Bearer',
      'Bearer ',
      `Basic ${good.slice(7)}`,
      good.slice(7),
      `${good} x`,
      `Bearer ${'x'.repeat(20_000)}`,
    ]
    for (const [index, header] of headers.entries())
      await expect(access.authenticate(header, `10.1.0.${index}`)).rejects.toSatisfy(unauthorized)
  })

  test('is no longer believed once the token is deleted, replaced, or has expired', async () => {
    const { access, store, clock, token, settle } = await setUp()
    const [gone, old, short] = [await token('gone', 'a'), await token('old', 'b'), await token('short', 'c')]
    await store.delete(AccessToken, { name: 'gone' })
    const fresh = await token('old', 'b')
    const kept = await store.get(AccessToken, { name: 'short' })
    await store.update(AccessToken, { ...kept, spec: { ...kept.spec, expires: isoTime(start + 60_000) } })
    await settle()
    await expect(access.authenticate(gone, here)).rejects.toSatisfy(unauthorized)
    await expect(access.authenticate(old, here)).rejects.toSatisfy(unauthorized)
    expect((await access.authenticate(fresh, here)).name).toBe('b')
    expect((await access.authenticate(short, here)).name).toBe('c')
    await clock.advance(60_000)
    await expect(access.authenticate(short, here)).rejects.toSatisfy(unauthorized)
  })

  test('is told by a JSON web token of a known issuer only', async () => {
    const url = 'https://login.example.com'
    const { privateKey, publicKey } = await generateKeyPair('ES256', { extractable: true })
    const clock = new VirtualClock({ start })
    const body = JSON.stringify({ keys: [{ ...(await exportJWK(publicKey)), kid: 'k', alg: 'ES256' }] })
    const settings = {
      url,
      audiences: ['aviary'],
      algorithms: ['ES256' as const],
      jwksUrl: `${url}/keys`,
      userClaim: 'sub',
      userPrefix: '',
      groupsClaim: 'groups',
      groupsPrefix: '',
      requiredClaims: {},
    }
    const { access } = await setUp({ issuers: [{ settings, http: simulatedHttp(() => ({ status: 200, body }), { clock }) }] })
    const sign = (iss: string) =>
      new SignJWT({ iss, aud: 'aviary', sub: 'ann', exp: start / 1000 + 60 })
        .setProtectedHeader({ alg: 'ES256', kid: 'k' })
        .sign(privateKey)
    expect((await access.authenticate(`Bearer ${await sign(url)}`, here)).name).toBe('ann')
    await expect(access.authenticate(`Bearer ${await sign('https://other.example.com')}`, here)).rejects.toSatisfy(unauthorized)
  })
})

describe('what somebody may do', () => {
  const ann = { name: 'ann', groups: ['birders', 'system:authenticated'] }
  const bob = { name: 'bob', groups: ['system:authenticated'] }
  const anonymous = { name: 'system:anonymous', groups: ['system:unauthenticated'] }

  test('without a grant is to find out what there is, and no more', async () => {
    const { access } = await setUp()
    expect(may(access, bob, { verb: 'get', path: '/apis' })).toBe(true)
    expect(access.authorize(bob, nests('get', 'web'))).toEqual({
      allowed: false,
      reason: 'needs an AccessGrant of the role view in the namespace "web"',
    })
    expect(access.authorize(bob, nests('delete', 'web')).reason).toBe('needs an AccessGrant of the role edit in the namespace "web"')
    expect(access.authorize(bob, nests('list')).reason).toBe('needs an AccessGrant of the role view for all namespaces')
    expect(access.authorize(bob, { verb: 'post', path: '/x' }).reason).toBe('needs an AccessGrant of the role admin for all namespaces')
  })

  test('follows from grants to the user or a group, in the namespaces they name', async () => {
    const { access, grant } = await setUp()
    await grant('view', { subjects: [{ kind: 'Group', name: 'birders' }], role: 'view', namespaces: ['web', 'db'] })
    await grant('edit', { subjects: [{ kind: 'User', name: 'ann' }], role: 'edit', namespaces: ['db'] })
    expect(['web', 'db', 'other'].filter(namespace => may(access, ann, nests('get', namespace)))).toEqual(['web', 'db'])
    expect(['web', 'db', 'other'].filter(namespace => may(access, ann, nests('create', namespace)))).toEqual(['db'])
    expect(may(access, ann, nests('list'))).toBe(false)
    expect(may(access, bob, nests('get', 'web'))).toBe(false)
  })

  test('in a namespace includes seeing the namespace itself, and no other', async () => {
    const { access, grant } = await setUp()
    await grant('g', { subjects: [{ kind: 'User', name: 'ann' }], role: 'admin', namespaces: ['web'] })
    const namespace = (verb: string, name?: string): Attempt => {
      const resource = { group: '', version: 'v1', plural: 'namespaces' }
      return { verb, resource: name === undefined ? resource : { ...resource, name } }
    }
    expect(may(access, ann, namespace('get', 'web'))).toBe(true)
    expect(may(access, ann, namespace('get', 'db'))).toBe(false)
    expect(may(access, ann, namespace('list'))).toBe(false)
    expect(may(access, ann, namespace('delete', 'web'))).toBe(false)
  })

  test('for all namespaces covers what has none', async () => {
    const { access, grant } = await setUp()
    await grant('g', { subjects: [{ kind: 'User', name: 'ann' }], role: 'view', namespaces: ['*'] })
    expect(may(access, ann, nests('list'))).toBe(true)
    expect(may(access, ann, { verb: 'get', path: '/metrics' })).toBe(true)
    expect(may(access, ann, { verb: 'list', resource: { group: '', version: 'v1', plural: 'secrets' } })).toBe(false)
    expect(may(access, ann, { verb: 'list', resource: { group: 'access.aviary.dev', version: 'v1alpha1', plural: 'accesstokens' } })).toBe(
      false,
    )
  })

  test('to some objects only is told by their names', async () => {
    const { access, grant } = await setUp()
    const named = { apiGroups: [''], resources: ['secrets'], resourceNames: ['mine'], verbs: ['get'] }
    const rules = [named, { apiGroups: [''], resources: ['events'], verbs: ['list'] }]
    await grant('g', { subjects: [{ kind: 'User', name: 'ann' }], rules, namespaces: ['web'] })
    expect(access.namedRules(ann, 'web')).toEqual([named])
    expect([access.namedRules(ann, 'db'), access.namedRules(bob, 'web'), access.namedRules(anonymous, 'web')]).toEqual([[], [], []])
  })

  test('ends with the grant', async () => {
    const { access, grant, store, settle } = await setUp()
    await grant('g', { subjects: [{ kind: 'User', name: 'ann' }], role: 'view', namespaces: ['web'] })
    await store.delete(AccessGrant, { name: 'g' })
    await settle()
    expect(may(access, ann, nests('get', 'web'))).toBe(false)
  })

  test('is everything for the group system:masters', async () => {
    const { access } = await setUp()
    expect(may(access, { name: 'root', groups: ['system:masters'] }, { verb: 'post', path: '/anything' })).toBe(true)
  })

  test('is nothing for strangers but what is opened to them, not even with a grant to their name', async () => {
    const { access, grant } = await setUp()
    await grant('g', {
      subjects: [
        { kind: 'User', name: 'system:anonymous' },
        { kind: 'Group', name: 'system:unauthenticated' },
      ],
      role: 'admin',
      namespaces: ['*'],
    })
    expect(
      ['/healthz', '/livez', '/readyz', '/readyz/store', '/version'].every(path => may(access, anonymous, { verb: 'get', path })),
    ).toBe(true)
    expect(['/metrics', '/api', '/', '/healthzz', '/version/../api'].some(path => may(access, anonymous, { verb: 'get', path }))).toBe(
      false,
    )
    expect(may(access, anonymous, { verb: 'post', path: '/healthz' })).toBe(false)
    expect(may(access, anonymous, nests('get', 'web'))).toBe(false)
  })

  test('is what the configuration opens to strangers', async () => {
    const { access } = await setUp({ anonymous: ['metrics'] })
    expect(['/metrics', '/healthz', '/version'].filter(path => may(access, anonymous, { verb: 'get', path }))).toEqual(['/metrics'])
  })
})

describe('how often somebody may ask', () => {
  const ann = { name: 'ann', groups: [] }
  const anonymous = { name: 'system:anonymous', groups: ['system:unauthenticated'] }
  const root = { name: 'root', groups: ['system:masters'] }

  test('is limited for each user alone, wherever they are', async () => {
    const { access } = await setUp()
    expect([1, 2, 3].map(at => access.throttle(ann, `10.0.0.${at}`))).toEqual([undefined, undefined, 1])
    expect(access.throttle({ name: 'bob', groups: [] }, here)).toBeUndefined()
  })

  test('is limited for strangers by where they come from, so that none of them shuts out the others', async () => {
    const { access } = await setUp()
    expect([1, 2, 3].map(() => access.throttle(anonymous, here))).toEqual([undefined, undefined, 1])
    expect(access.throttle(anonymous, '10.0.0.2')).toBeUndefined()
    expect(access.throttle(ann, here)).toBeUndefined()
  })

  test('is limited, too, for who tries one bad token after another, and good ones are believed nevertheless', async () => {
    const { access, token } = await setUp()
    const good = await token('t', 'ann')
    const refusals = [1, 2, 3].map(attempt => access.authenticate(`Bearer bad${attempt}`, here).catch((error: StoreError) => error.reason))
    expect(await Promise.all(refusals)).toEqual(['Unauthorized', 'Unauthorized', 'TooManyRequests'])
    expect((await access.authenticate(good, here)).name).toBe('ann')
    await expect(access.authenticate('Bearer bad', '10.0.0.2')).rejects.toSatisfy(unauthorized)
  })

  test('is not limited for the group system:masters', async () => {
    const { access } = await setUp()
    expect([1, 2, 3, 4].map(() => access.throttle(root, here))).toEqual([undefined, undefined, undefined, undefined])
  })

  test('ends also at how much they send at once, unless they are of system:masters', async () => {
    const { access } = await setUp()
    expect([600, 600].map(bytes => access.holdBytes(ann, bytes) !== undefined)).toEqual([true, false])
    expect([600, 600].map(bytes => access.holdBytes(root, bytes) !== undefined)).toEqual([true, true])
  })
})

test('tokens and grants of before are known from the first moment', async () => {
  const clock = new VirtualClock({ start })
  const chance = realChance()
  const store = memoryStore({ kinds: allKinds, clock, chance })
  const text = await issueToken({ name: 't', user: 'ann', groups: [], description: '' }, { store, chance })
  await store.create(AccessGrant, {
    metadata: { name: 'g' },
    spec: { subjects: [{ kind: 'User', name: 'ann' }], role: 'view', namespaces: ['*'] },
  })
  const { access } = await setUp({ store })
  const user = await access.authenticate(`Bearer ${text.reveal()}`, here)
  expect(may(access, user, nests('list'))).toBe(true)
})

test('a stranger who is refused without end leaves two lines a minute in the audit log', async () => {
  const { access, files } = await setUp()
  for (let i = 0; i < 1000; i++) {
    const refused = { id: String(i), user: '', groups: [], sourceAddress: here, userAgent: '', status: 401, durationMilliseconds: 1 }
    access.audit({ ...refused, attempt: nests('get') })
  }
  await access.close()
  const lines = (await files.read('/audit/audit-000001.jsonl')).trim().split('\n')
  expect(lines.map(line => (JSON.parse(line) as { repeated?: number }).repeated)).toEqual([undefined, 999])
})

test('what is audited is written at the latest when access is closed', async () => {
  const { access, files } = await setUp()
  const entry = {
    id: '1',
    user: 'ann',
    groups: [],
    attempt: nests('get'),
    sourceAddress: '',
    userAgent: '',
    status: 200,
    durationMilliseconds: 1,
  }
  access.audit(entry)
  await access.close()
  expect(await files.read('/audit/audit-000001.jsonl')).toContain('"user":"ann"')
})
