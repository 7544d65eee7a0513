import { createPublicKey } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { Secret } from '../../ports/index.ts'
import { CdsBench, never } from '../testing/cds-bench.ts'
import { plainSettings } from '../testing/plain-settings.ts'
import { testRsaKey } from '../testing/operator-file.ts'
import { CdsAnswerNotUnderstood, CdsRefused } from './errors.ts'
import { signInPatiently } from './patient-sign-in.ts'

const hour = 3_600_000
const day = 24 * hour

function bodyOf(bench: CdsBench, path: string): Record<string, unknown> {
  return JSON.parse(bench.sent(path)[0]?.text() ?? '{}')
}

describe('signing in as a V1 service', () => {
  const path = '/auth/consumer/builtin/signin'

  test('sends the whole service, with the public half of the key in PKCS#1 form', async () => {
    const bench = new CdsBench()
    await bench.outcome(bench.v1.signIn(never))
    const { token, service } = bodyOf(bench, path) as { token: string; service: Record<string, unknown> }
    expect(token).toBe(bench.settings.api.tokenV1?.reveal())
    expect(service).toMatchObject({
      id: 0,
      name: 'aviary',
      type: 'hatchery',
      http_url: 'http://localhost:8086',
      region: null,
      ignore_job_with_no_region: null,
      last_heartbeat: '0001-01-01T00:00:00Z',
      monitoring_status: { now: '0001-01-01T00:00:00Z', lines: null },
    })
    const pem = Buffer.from(String(service['public_key']), 'base64').toString()
    expect(pem).toMatch(/^-----BEGIN RSA PUBLIC KEY-----/)
    expect(createPublicKey(pem).equals(createPublicKey(testRsaKey()))).toBe(true)
  })

  test('names region and ignoreJobWithNoRegion when they are set, and CDS compares them', async () => {
    const { provision } = plainSettings()
    const bench = new CdsBench({ settings: { provision: { ...provision, region: 'eu', ignoreJobWithNoRegion: true } } })
    await bench.outcome(bench.v1.signIn(never))
    expect(bodyOf(bench, path)['service']).toMatchObject({ region: 'eu', ignore_job_with_no_region: true })
  })

  test('tells CDS nothing that is secret', async () => {
    const { provision } = plainSettings()
    const bench = new CdsBench({ settings: { provision: { ...provision, environment: { PASS: 'hidden-variable' } } } })
    await bench.outcome(Promise.all([bench.v1.signIn(never), bench.v2.signIn(never)]))
    const configs = bench.requests.map(each => {
      const body = JSON.parse(each.text()) as { config?: unknown; service?: { config: unknown } }
      return JSON.stringify(body.config ?? body.service?.config)
    })
    expect(configs).toHaveLength(2)
    for (const config of configs) {
      expect(config).not.toMatch(/PRIVATE KEY|hidden-variable|vsphere-password|eyJ/)
      expect(JSON.parse(config)).toMatchObject({ osArch: ['linux/amd64'] })
    }
  })

  test('without a token that side is not there', () => {
    expect(new CdsBench({ sides: [2] }).cds.v1).toBeUndefined()
    expect(new CdsBench({ sides: [1] }).cds.v2).toBeUndefined()
  })

  test('a V2 token in its place is recognised', async () => {
    const bench = new CdsBench()
    const { api } = bench.settings
    const swapped = new CdsBench({ settings: { api: { ...api, tokenV1: api.tokenV2 } } })
    const error = await swapped.outcome(swapped.v1.signIn(never)).catch((caught: unknown) => caught)
    expect(error).toMatchObject({ code: CdsRefused.code, fix: expect.stringContaining('put it into api.tokenV2') })
  })
})

describe('signing in as a V2 hatchery', () => {
  test('sends what it is, and works in the region that CDS names, whatever is configured', async () => {
    const { provision } = plainSettings()
    const bench = new CdsBench({ settings: { provision: { ...provision, region: 'configured' } }, sides: [2] })
    expect(bench.v2.region).toBe('')
    await bench.outcome(bench.v2.waitingJobs(never))
    expect(bodyOf(bench, '/v2/auth/consumer/hatchery/signin')).toMatchObject({
      token: bench.settings.api.tokenV2?.reveal(),
      name: 'aviary',
      type: 'vsphere',
      http_url: 'http://localhost:8086',
      version: 'snapshot',
    })
    expect(bench.v2.region).toBe('north')
    expect(bench.sent('/v2/queue/north')[0]?.url.search).toBe('?osarch=linux%2Famd64')
  })

  test('a refusal lists both causes that CDS keeps to itself', async () => {
    const bench = new CdsBench({ settings: { name: 'another' }, sides: [2] })
    const error = await bench.outcome(bench.v2.signIn(never)).catch((caught: unknown) => caught)
    expect(error).toMatchObject({ code: CdsRefused.code, details: { id: 11, status: 403 } })
    expect(error).toHaveProperty('fix', expect.stringMatching(/name "another".*granted.*region/))
  })

  test('an answer without a session or a region is named as what it is', async () => {
    const answer = () => ({ status: 200, body: '{"token":"x"}' })
    const bench = new CdsBench({ answer, sides: [2] })
    await expect(bench.outcome(bench.v2.signIn(never))).rejects.toMatchObject({ code: CdsAnswerNotUnderstood.code })
  })
})

describe('a session', () => {
  test('is shared by calls that come at once, and used until just before its hour is over', async () => {
    const bench = new CdsBench()
    await bench.outcome(Promise.all([bench.v1.workers(never), bench.v1.models(never), bench.v1.waitingJobs(never)]))
    await bench.clock.advance(57 * 60_000)
    await bench.outcome(bench.v1.workers(never), 1000)
    expect(bench.simulated.calls().get('sign in v1')).toBe(1)
    await bench.clock.advance(60_000)
    await bench.outcome(bench.v1.workers(never))
    expect(bench.simulated.calls().get('sign in v1')).toBe(2)
  })

  test('of a short lifetime is used for most of it: the margin is a share of the lifetime', async () => {
    const claims = Buffer.from(JSON.stringify({ iat: 1_000, exp: 1_040 })).toString('base64url')
    const bench = new CdsBench({
      answer: ({ url }) =>
        url.pathname.endsWith('/signin') ? { status: 200, body: `{"token":"a.${claims}.c","service":{}}` } : { status: 200, body: '[]' },
    })
    for (let second = 0; second < 100; second += 5) {
      await bench.outcome(bench.v1.workers(never), 1_000)
      await bench.clock.advance(4_000)
    }
    expect(bench.sent('/auth/consumer/builtin/signin').length).toBeLessThanOrEqual(4)
    await bench.outcome(bench.v1.workers(never), 1_000)
    await bench.outcome(bench.v1.signOut(never), 1_000)
    expect(bench.sent('/auth/consumer/signout')).toHaveLength(1)
  })

  test('is measured by our own clock, however wrong CDS’s is', async () => {
    const claims = Buffer.from(JSON.stringify({ iat: 1_000, exp: 4_600 })).toString('base64url')
    const answer: ConstructorParameters<typeof CdsBench>[0] = {
      answer: ({ url }) =>
        url.pathname.endsWith('/signin') ? { status: 200, body: `{"token":"a.${claims}.c","service":{}}` } : { status: 200, body: '[]' },
    }
    const bench = new CdsBench(answer)
    for (let call = 0; call < 3; call++) await bench.outcome(bench.v1.workers(never), 15 * 60_000)
    expect(bench.sent('/auth/consumer/builtin/signin')).toHaveLength(1)
  })

  test('that CDS has ended is replaced at once, by a sign-in with all that belongs to it', async () => {
    const bench = new CdsBench()
    await bench.outcome(Promise.all([bench.v1.workers(never), bench.v2.workers(never)]))
    bench.simulated.endHatcherySessions()
    await bench.outcome(Promise.all([bench.v1.workers(never), bench.v2.workers(never)]))
    const again = bench.requests.filter(({ url }) => url.pathname.endsWith('/signin')).slice(2)
    expect(again.map(({ url }) => url.pathname).toSorted()).toEqual(['/auth/consumer/builtin/signin', '/v2/auth/consumer/hatchery/signin'])
    const v1 = again.find(({ url }) => url.pathname.startsWith('/auth'))
    expect(JSON.parse(v1?.text() ?? '')).toHaveProperty('service.public_key')
  })

  test('goes on being made when the one who began it gives up', async () => {
    const bench = new CdsBench()
    const impatient = new AbortController()
    const first = bench.v1.workers(impatient.signal)
    const second = bench.v1.workers(never)
    first.catch(() => {})
    impatient.abort('enough')
    await expect(first).rejects.toBe('enough')
    expect(await bench.outcome(second)).toEqual([])
    expect(bench.simulated.calls().get('sign in v1')).toBe(1)
  })

  test('is ended at the end, and none is begun for that', async () => {
    const bench = new CdsBench()
    await bench.outcome(bench.v1.signOut(never))
    expect(bench.requests).toHaveLength(0)
    await bench.outcome(bench.v1.signIn(never))
    await bench.outcome(bench.v1.signOut(never))
    expect(bench.sent().map(({ url }) => url.pathname)).toEqual(['/auth/consumer/signout'])
    await bench.outcome(bench.v1.workers(never))
    expect(bench.simulated.calls().get('sign in v1')).toBe(2)
    expect(bench.simulated.calls().get('workers v1')).toBe(1)
  })
})

describe('the first sign-in', () => {
  test('is tried every 10 seconds, V1 before V2', async () => {
    const bench = new CdsBench()
    bench.simulated.setReachable(false)
    const started = signInPatiently(bench.cds, bench, never)
    await bench.clock.advance(35_000)
    bench.simulated.setReachable(true)
    await bench.outcome(started)
    const order = bench.requests.map(({ url }) => url.pathname)
    expect(order.lastIndexOf('/auth/consumer/builtin/signin')).toBeLessThan(order.indexOf('/v2/auth/consumer/hatchery/signin'))
    expect(bench.log.lines.filter(line => line.message === 'cannot sign in to CDS yet')).toHaveLength(4)
  })

  test('is given up after 5 minutes', async () => {
    const bench = new CdsBench({ settings: { name: 'another' }, sides: [2] })
    let failed: unknown
    signInPatiently(bench.cds, bench, never).catch((error: unknown) => (failed = error))
    await bench.clock.advance(4 * 60_000)
    expect(failed).toBeUndefined()
    await bench.clock.advance(61_000)
    expect(failed).toMatchObject({ code: CdsRefused.code })
  })
})

describe('a token of the configuration', () => {
  test('that ends within a month is warned of once a day, and loudly when it has ended', async () => {
    const bench = new CdsBench()
    const expires = bench.clock.now() + 10 * day
    const payload = { type: 'signinHatcheryConsumerToken', expire: expires / 1000, data: {} }
    const token = new Secret(`a.${Buffer.from(JSON.stringify(payload)).toString('base64url')}.c`)
    const { api } = bench.settings
    const expiring = new CdsBench({ settings: { api: { ...api, tokenV2: token } }, sides: [2] })
    const warnings = () => expiring.log.lines.filter(line => line.message.startsWith('a token for CDS'))
    for (let call = 0; call < 3; call++) await expiring.outcome(expiring.v2.signIn(never)).catch(() => {})
    expect(warnings()).toMatchObject([{ level: 'warn', fields: { key: 'api.tokenV2', days: 10 } }])
    await expiring.clock.advance(11 * day)
    await expiring.outcome(expiring.v2.signIn(never)).catch(() => {})
    expect(warnings().at(-1)).toMatchObject({ level: 'error', message: 'a token for CDS has expired' })
    expect(JSON.stringify(expiring.log.lines)).not.toContain(token.reveal())
  })
})
