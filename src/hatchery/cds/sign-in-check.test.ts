import { expect, test } from 'vitest'
import { CdsBench, type CdsBenchOptions, never } from '../testing/cds-bench.ts'
import { plainSettings } from '../testing/plain-settings.ts'
import { checkSignIns } from './sign-in-check.ts'

const day = 86_400_000

/** What is found of a CDS, so long after its tokens were given out. */
async function checked(options: CdsBenchOptions = {}, later = 0) {
  const bench = new CdsBench(options)
  await bench.clock.advance(later)
  return { bench, checks: await bench.outcome(checkSignIns(bench.options, never)) }
}

test('each side says who it is there, and until when its token is good', async () => {
  const { checks } = await checked()
  expect(checks).toEqual([
    { what: 'signing in to CDS http://localhost:8081 for V1 jobs', ok: true, found: 'as "aviary"; its token does not end' },
    {
      what: 'signing in to CDS http://localhost:8081 for V2 jobs',
      ok: true,
      found: 'as "aviary", region "north"; its token ends at 2027-01-01T00:00:00Z, in 364 days',
    },
  ])
})

test('a side without a token is not asked', async () => {
  const { checks, bench } = await checked({ sides: [2] })
  expect(checks).toHaveLength(1)
  expect(bench.requests.map(({ url }) => url.pathname)).toEqual(['/v2/auth/consumer/hatchery/signin'])
})

test('nothing is asked of CDS but the sign-ins, each once', async () => {
  const { bench } = await checked()
  expect(bench.requests.map(({ url }) => url.pathname)).toEqual(['/auth/consumer/builtin/signin', '/v2/auth/consumer/hatchery/signin'])
})

test('a token that ends soon is good, and is told with what to do', async () => {
  const { checks } = await checked({ sides: [2] }, 353 * day)
  expect(checks).toMatchObject([
    { ok: true, found: expect.stringMatching(/, in 11 days: ask CDS for a new one and put it into the configuration$/) },
  ])
})

test('a token that has ended, and a name that CDS does not know, are refused with the fix', async () => {
  const old = await checked({ sides: [2] }, 366 * day)
  expect(old.checks).toMatchObject([{ ok: false, fix: expect.stringContaining('api.tokenV2 is its latest token and has not expired') }])
  const { checks } = await checked({ settings: { name: 'another' } })
  expect(checks).toMatchObject([
    {
      ok: false,
      found: expect.stringContaining('CDS refused POST /auth/consumer/builtin/signin'),
      fix: expect.stringContaining('"another"'),
    },
    { ok: false, breaks: expect.stringContaining('does not start'), fix: expect.stringContaining('"another"') },
  ])
})

test.each([
  { what: 'another web server', answer: async () => ({ status: 404, body: '<html>not here</html>' }) },
  { what: 'a proxy before nothing', answer: async () => ({ status: 502, body: 'Bad Gateway' }) },
  { what: 'a page', answer: async () => ({ status: 200, body: '<html>welcome</html>' }) },
])('$what in the place of CDS is no reason to look at the token', async ({ answer }) => {
  const { checks } = await checked({ sides: [1], answer })
  expect(checks).toMatchObject([{ ok: false, fix: expect.stringContaining('commonConfiguration.api.http.url is the address of') }])
})

test('a CDS that does not answer is given up after ten seconds, however patient the hatchery is', async () => {
  const { api } = plainSettings()
  const settings = { api: { ...api, requestTimeout: 3_600_000 } }
  const bench = new CdsBench({ settings, answer: () => new Promise(() => {}) })
  const inTime = { ok: false, found: 'not done after 10000 ms' }
  expect(await bench.outcome(checkSignIns(bench.options, never), 10_001)).toMatchObject([inTime, inTime])
})
