import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import type { JWK, JWTHeaderParameters } from 'jose'
import { beforeAll, describe, expect, test } from 'vitest'
import { recordingLog, simulatedHttp, Unreachable, VirtualClock } from '../../ports/index.ts'
import type { ServedRequest } from '../../ports/index.ts'
import { StoreError } from '../../store/index.ts'
import { claimedIssuer, Issuer } from './issuer.ts'
import type { IssuerSettings } from './issuer-settings.ts'

const url = 'https://login.example.com'
const start = 1_800_000_000_000
const now = start / 1000

interface SigningKey {
  readonly id: string
  readonly sign: (claims: Record<string, unknown>, header?: Partial<JWTHeaderParameters>) => Promise<string>
  readonly public: JWK
}

async function signingKey(id: string, alg: 'RS256' | 'ES256' | 'EdDSA' = 'ES256'): Promise<SigningKey> {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true })
  return {
    id,
    sign: (claims, header = { kid: id }) => new SignJWT(claims).setProtectedHeader({ alg, ...header }).sign(privateKey),
    public: { ...(await exportJWK(publicKey)), kid: id, alg, use: 'sig' },
  }
}

let key: SigningKey
let otherKey: SigningKey
beforeAll(async () => {
  ;[key, otherKey] = await Promise.all([signingKey('one'), signingKey('two')])
})

const claims = { iss: url, aud: 'aviary', sub: 'ann', groups: ['birders'], exp: now + 3600 }

function setUp(settings: Partial<IssuerSettings> = {}) {
  const clock = new VirtualClock({ start })
  const published = {
    keys: [key.public] as JWK[],
    isDown: false,
    issuer: url,
    jwks: undefined as string | undefined,
    asked: [] as string[],
  }
  const serve = ({ url: { pathname } }: ServedRequest) => {
    published.asked.push(pathname)
    if (published.isDown) throw Unreachable({ target: url, why: 'refused', sent: false })
    if (pathname === '/keys') return { status: 200, body: published.jwks ?? JSON.stringify({ keys: published.keys }) }
    if (pathname === '/.well-known/openid-configuration') {
      return { status: 200, body: JSON.stringify({ issuer: published.issuer, jwks_uri: `${url}/keys` }) }
    }
    return { status: 404 }
  }
  const log = recordingLog()
  const issuer = new Issuer({
    settings: {
      url,
      audiences: ['aviary', 'aviary-dev'],
      algorithms: ['ES256', 'RS256', 'EdDSA'],
      userClaim: 'sub',
      groupsClaim: 'groups',
      groupsPrefix: '',
      requiredClaims: {},
      ...settings,
    },
    http: simulatedHttp(serve, { clock }),
    clock,
    log,
  })
  return { issuer, clock, published, log }
}

describe('a token of the issuer', () => {
  test('stands for the user and the groups it names', async () => {
    const { issuer } = setUp()
    expect(await issuer.userOf(await key.sign(claims))).toEqual({ name: `${url}#ann`, groups: ['birders'] })
  })

  test.each(['RS256', 'EdDSA'] as const)('may be signed with %s', async alg => {
    const { issuer, published } = setUp()
    const fresh = await signingKey('fresh', alg)
    published.keys = [fresh.public]
    expect(await issuer.userOf(await fresh.sign(claims))).toBeDefined()
  })

  const refused: readonly [string, Record<string, unknown>][] = [
    ['has expired', { exp: now - 31 }],
    ['never expires', { exp: undefined }],
    ['has an expiry that is no time', { exp: 'tomorrow' }],
    ['is not valid yet', { nbf: now + 31 }],
    ['is for somebody else', { aud: 'other' }],
    ['is for somebody else, in a list', { aud: ['other', 'another'] }],
    ['is for nobody', { aud: undefined }],
    ['names another issuer', { iss: 'https://evil.example.com' }],
    ['names no user', { sub: undefined }],
    ['names an empty user', { sub: '' }],
    ['names a user with a line end', { sub: 'ann\nroot' }],
    ['names a number as user', { sub: 7 }],
    ['has groups that are no names', { groups: [{ admin: true }] }],
  ]
  test.each(refused)('is refused if it %s', async (_, change) => {
    const { issuer } = setUp()
    expect(await issuer.userOf(await key.sign({ ...claims, ...change }))).toBeUndefined()
  })

  test('is accepted if clocks differ by less than half a minute', async () => {
    const { issuer } = setUp()
    expect(await issuer.userOf(await key.sign({ ...claims, exp: now - 29, nbf: now + 29 }))).toBeDefined()
  })

  test('never makes anybody a member of a system group, or a system user', async () => {
    const { issuer } = setUp({ userPrefix: '' })
    expect(await issuer.userOf(await key.sign({ ...claims, groups: ['system:masters', 'a'] }))).toEqual({ name: 'ann', groups: ['a'] })
    expect(await issuer.userOf(await key.sign({ ...claims, sub: 'system:admin' }))).toBeUndefined()
    const prefixing = setUp({ userPrefix: 'system:', groupsPrefix: 'system:' }).issuer
    expect(await prefixing.userOf(await key.sign(claims))).toBeUndefined()
  })

  test('takes names from the claims and with the prefixes that are configured', async () => {
    const { issuer } = setUp({ userClaim: 'email', groupsClaim: 'roles', groupsPrefix: 'sso:' })
    const token = { ...claims, email: 'ann@example.com', roles: 'keeper' }
    expect(await issuer.userOf(await key.sign(token))).toEqual({ name: 'ann@example.com', groups: ['sso:keeper'] })
    expect(await issuer.userOf(await key.sign({ ...token, email_verified: false }))).toBeUndefined()
  })

  test('must carry the claims that are required', async () => {
    const { issuer } = setUp({ requiredClaims: { hd: 'example.com' } })
    expect(await issuer.userOf(await key.sign(claims))).toBeUndefined()
    expect(await issuer.userOf(await key.sign({ ...claims, hd: 'example.com' }))).toBeDefined()
  })
})

describe('a forged token', () => {
  test('signed with another key under the name of a good one is refused', async () => {
    const { issuer } = setUp()
    expect(await issuer.userOf(await otherKey.sign(claims, { kid: 'one' }))).toBeUndefined()
  })

  test('that is not signed is refused', async () => {
    const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
    const { issuer } = setUp()
    for (const alg of ['none', 'None', 'NONE']) expect(await issuer.userOf(`${part({ alg, kid: 'one' })}.${part(claims)}.`)).toBeUndefined()
  })

  test('signed with the public key as a shared secret is refused, even if such a key is published', async () => {
    const secret = new TextEncoder().encode(JSON.stringify(key.public).padEnd(64))
    const token = await new SignJWT(claims).setProtectedHeader({ alg: 'HS256', kid: 'one' }).sign(secret)
    const { issuer, published } = setUp()
    published.keys = [key.public, { kty: 'oct', kid: 'one', k: Buffer.from(secret).toString('base64url'), alg: 'HS256' }]
    expect(await issuer.userOf(token)).toBeUndefined()
  })

  test('with claims changed after signing is refused', async () => {
    const [header, , signature] = (await key.sign(claims)).split('.')
    const payload = Buffer.from(JSON.stringify({ ...claims, sub: 'root' })).toString('base64url')
    expect(await setUp().issuer.userOf(`${header}.${payload}.${signature}`)).toBeUndefined()
  })

  test('with an algorithm that is not allowed is refused', async () => {
    const { issuer } = setUp({ algorithms: ['RS256'] })
    expect(await issuer.userOf(await key.sign(claims))).toBeUndefined()
  })

  test('that brings its own key is refused', async () => {
    const { issuer } = setUp()
    expect(await issuer.userOf(await otherKey.sign(claims, { jwk: otherKey.public, kid: 'mine' }))).toBeUndefined()
  })

  test.each(['', 'a', 'a.b', '..', 'a.b.c', 'e30.e30.e30', '💥.💥.💥'])('%j is refused', async token => {
    expect(await setUp().issuer.userOf(token)).toBeUndefined()
  })
})

describe('the keys of the issuer', () => {
  test('are asked for once, by however many requests', async () => {
    const { issuer, published } = setUp()
    const tokens = await Promise.all([1, 2, 3].map(n => key.sign({ ...claims, n })))
    await Promise.all(tokens.map(token => issuer.userOf(token)))
    expect(published.asked).toEqual(['/.well-known/openid-configuration', '/keys'])
  })

  test('come straight from their place if that is configured', async () => {
    const { issuer, published } = setUp({ jwksUrl: `${url}/keys` })
    expect(await issuer.userOf(await key.sign(claims))).toBeDefined()
    expect(published.asked).toEqual(['/keys'])
  })

  test('are asked for again when a new one appears, which then works at once', async () => {
    const { issuer, published, clock } = setUp()
    await issuer.userOf(await key.sign(claims))
    published.keys = [otherKey.public]
    await clock.advance(31_000)
    expect(await issuer.userOf(await otherKey.sign(claims))).toBeDefined()
  })

  test('are asked for once by all who come with a new one at the same time, and it works for all of them', async () => {
    const { issuer, published, clock } = setUp()
    await issuer.userOf(await key.sign(claims))
    published.keys = [otherKey.public]
    published.asked.length = 0
    await clock.advance(31_000)
    const tokens = await Promise.all([1, 2, 3].map(n => otherKey.sign({ ...claims, n })))
    const users = await Promise.all(tokens.map(token => issuer.userOf(token)))
    expect(users.map(user => user?.name)).toEqual(Array(3).fill(`${url}#ann`))
    expect(published.asked.filter(path => path === '/keys')).toHaveLength(1)
  })

  test('are all tried for a token that names none', async () => {
    const { issuer, published } = setUp()
    published.keys = [key.public, otherKey.public]
    for (const signer of [key, otherKey]) expect(await issuer.userOf(await signer.sign(claims, {}))).toBeDefined()
    const stranger = await signingKey('three')
    expect(await issuer.userOf(await stranger.sign(claims, {}))).toBeUndefined()
  })

  test('no longer count once they are withdrawn', async () => {
    const { issuer, published, clock } = setUp()
    expect(await issuer.userOf(await key.sign(claims))).toBeDefined()
    published.keys = [otherKey.public]
    await clock.advance(11 * 60_000)
    await issuer.userOf(await otherKey.sign(claims))
    expect(await issuer.userOf(await key.sign({ ...claims, n: 2 }))).toBeUndefined()
  })

  test('are asked for at most twice a minute by a flood of forged tokens', async () => {
    const { issuer, published, clock } = setUp()
    await issuer.userOf(await key.sign(claims))
    published.asked.length = 0
    for (let second = 0; second < 60; second++) {
      expect(await issuer.userOf(await otherKey.sign(claims, { kid: `made up ${second}` }))).toBeUndefined()
      await clock.advance(1000)
    }
    expect(published.asked.filter(path => path === '/keys').length).toBeLessThanOrEqual(2)
  })

  test('stay good for a day while the issuer is down', async () => {
    const { issuer, published, clock } = setUp()
    await issuer.userOf(await key.sign(claims))
    published.isDown = true
    await clock.advance(23 * 3_600_000)
    const late = { ...claims, exp: now + 48 * 3600 }
    expect(await issuer.userOf(await key.sign(late))).toBeDefined()
    await clock.advance(2 * 3_600_000)
    for (const n of [1, 2])
      await expect(issuer.userOf(await key.sign({ ...late, n }))).rejects.toSatisfy(error => StoreError.is(error, 'ServiceUnavailable'))
  })

  test('that cannot be had make a token neither good nor bad, and the issuer is not hammered', async () => {
    const { issuer, published, clock, log } = setUp()
    published.isDown = true
    for (let i = 0; i < 5; i++) {
      await expect(issuer.userOf(await key.sign({ ...claims, i }))).rejects.toSatisfy(error => StoreError.is(error, 'ServiceUnavailable'))
    }
    expect(published.asked).toHaveLength(1)
    expect(log.lines.map(line => line.message)).toEqual(['keys of the issuer cannot be fetched'])
    published.isDown = false
    await clock.advance(5000)
    expect(await issuer.userOf(await key.sign(claims))).toBeDefined()
  })

  test.each([
    ['names another issuer', (published: { issuer: string }) => (published.issuer = 'https://evil.example.com')],
    ['is no JSON', (published: { jwks: string | undefined }) => (published.jwks = '<html>')],
    ['is no set of keys', (published: { jwks: string | undefined }) => (published.jwks = '{"keys":5}')],
  ])('do not count if a document %s', async (_, spoil) => {
    const { issuer, published } = setUp()
    spoil(published)
    await expect(issuer.userOf(await key.sign(claims))).rejects.toSatisfy(error => StoreError.is(error, 'ServiceUnavailable'))
  })
})

test('a token that was checked a moment ago is not checked again, but never outlives itself', async () => {
  const { issuer, clock } = setUp()
  const token = await key.sign({ ...claims, exp: now + 5 })
  const first = await issuer.userOf(token)
  expect(await issuer.userOf(token)).toBe(first)
  await clock.advance(5000)
  expect(await issuer.userOf(token)).not.toBe(first)
  await clock.advance(31_000)
  expect(await issuer.userOf(token)).toBeUndefined()
})

test('the issuer that a token claims is read without believing it', async () => {
  expect(claimedIssuer(await key.sign(claims))).toBe(url)
  expect(claimedIssuer('aviary_a_b')).toBeUndefined()
  expect(claimedIssuer('a.bnVsbA.c')).toBeUndefined()
  expect(claimedIssuer('a.b.c.d')).toBeUndefined()
})
