import { describe, expect, test } from 'vitest'
import { seededChance, type WebSocketHandler } from '../../ports/index.ts'
import { CdsBench, type CdsBenchOptions } from '../testing/cds-bench.ts'
import { plainSettings } from '../testing/plain-settings.ts'
import { jobSource, type JobSourceOptions } from './job-source.ts'

const minute = 60_000
const debian = { name: 'debian', type: 'vsphere', osarch: 'linux/amd64', spec: { image: 'debian12' } }
const { provision } = plainSettings()

/** A source that runs before a simulated CDS, and the batches that it handed on. */
async function running(options: CdsBenchOptions = {}, more: Partial<JobSourceOptions> = {}) {
  const bench = new CdsBench(options)
  const { cds, settings, clock, log } = bench
  const batches: (readonly string[])[] = []
  const source = jobSource({ cds, settings, isPending: () => false, clock, chance: seededChance('a source'), log, ...more })
  source.start(jobs => batches.push(jobs.map(job => job.id)))
  await clock.advance(1000)
  return { bench, source, batches }
}

describe('events', () => {
  test('bring a V1 job and a V2 job at once', async () => {
    const { bench, batches } = await running()
    bench.simulated.addJobV1()
    const { id } = bench.simulated.addJobV2({ region: 'north', model: debian })
    await bench.clock.advance(200)
    expect(new Set(batches)).toEqual(new Set([['1'], [id]]))
  })

  test('come over connections that carry session and date', async () => {
    const { bench } = await running()
    expect(bench.upgrades.map(({ url }) => url.pathname).toSorted()).toEqual(['/v2/hatchery/ws', '/ws'])
    for (const { headers } of bench.upgrades) {
      expect(headers).toMatchObject({
        authorization: expect.stringMatching(/^Bearer ey/),
        date: expect.any(String),
        'x-cds-remotetime': expect.any(String),
      })
    }
  })

  test('of jobs that are taken already, or in somebody’s hands, are not handed on', async () => {
    const { bench, batches } = await running({}, { isPending: id => id === '2' })
    bench.simulated.addJobV1()
    bench.simulated.stopJob('1')
    bench.simulated.addJobV1()
    await bench.clock.advance(minute)
    expect(batches).toEqual([])
  })

  test('that cannot be read are said aloud, and the next one is heard', async () => {
    const { bench, batches } = await running()
    bench.simulated.faults.cutNext('job v1', 'before')
    bench.simulated.addJobV1()
    await bench.clock.advance(1000)
    expect(batches).toEqual([['1']])
  })

  test('in a burst are all looked up, a few at a time', async () => {
    const { bench, batches } = await running()
    for (let count = 0; count < 100; count++) bench.simulated.addJobV1()
    await bench.clock.advance(1000)
    expect(batches.flat().toSorted((a, b) => Number(a) - Number(b))).toEqual(Array.from({ length: 100 }, (_, index) => String(index + 1)))
  })
})

describe('polls', () => {
  test('find what no event told of, at the start and every 20 seconds', async () => {
    const bench = new CdsBench({ sides: [1] })
    const { cds, settings, clock, log } = bench
    bench.simulated.addJobV1({ announced: false })
    const batches: (readonly string[])[] = []
    const source = jobSource({ cds, settings, isPending: () => false, clock, chance: seededChance('a source'), log })
    source.start(jobs => batches.push(jobs.map(job => job.id)))
    await clock.advance(1000)
    expect(batches).toEqual([['1']])
    await clock.advance(minute)
    expect(batches).toEqual([['1'], ['1'], ['1'], ['1']])
    expect(bench.simulated.calls().get('queue v1')).toBe(4)
  })

  test('hand on twice as many jobs as may be provisioned, in the fair order, for V1 and V2', async () => {
    const settings = { provision: { ...provision, maxConcurrentProvisioning: 2 } }
    const { bench, batches } = await running({ settings })
    for (let count = 0; count < 6; count++) {
      bench.simulated.addJobV1({ project: 'BUSY', announced: false })
      bench.simulated.addJobV2({ project: 'BUSY', announced: false, region: 'north', model: debian })
    }
    bench.simulated.addJobV1({ project: 'QUIET', announced: false })
    const quiet = bench.simulated.addJobV2({ project: 'QUIET', announced: false, region: 'north', model: debian })
    await bench.clock.advance(20_000)
    const [v1, v2] = batches.toSorted((a, b) => (a[0] ?? '').length - (b[0] ?? '').length)
    expect(v1).toEqual(['7', '1', '2', '3'])
    expect(v2?.[0]).toBe(quiet.id)
    expect(v2).toHaveLength(4)
  })

  test('leave out what somebody has in hand, and thereby reach further', async () => {
    const settings = { provision: { ...provision, maxConcurrentProvisioning: 1 } }
    const { bench, batches } = await running({ settings }, { isPending: id => Number(id) <= 3 })
    for (let count = 0; count < 6; count++) bench.simulated.addJobV1({ announced: false })
    await bench.clock.advance(20_000)
    expect(batches).toEqual([['4', '5']])
  })

  test('of V2 do not happen if they are switched off, nor does its web socket', async () => {
    const { bench, source, batches } = await running({ settings: { provision: { ...provision, pollV2Queue: false } } })
    bench.simulated.addJobV2({ region: 'north', model: debian })
    await bench.clock.advance(minute)
    expect(batches).toEqual([])
    expect(Array.from(source.health.keys())).toEqual(['queuePolling'])
    expect(bench.upgrades.map(({ url }) => url.pathname)).toEqual(['/ws'])
  })

  test('that CDS does not want to answer without a session are passed over in silence', async () => {
    const answer: CdsBenchOptions['answer'] = ({ url }) =>
      url.pathname === '/queue/workflows' ? { status: 401, body: '{"id":10}' } : undefined
    const { bench } = await running({ answer, sides: [1] })
    await bench.clock.advance(minute)
    expect(bench.sent('/queue/workflows').length).toBeGreaterThan(3)
    expect(bench.log.lines).toEqual([])
  })
})

describe('a web socket', () => {
  test.each(['close', 'breakOff'] as const)('that ends (%s) stands again soon, and jobs of the gap are found at once', async how => {
    const { bench, batches } = await running()
    await bench.clock.advance(12_000)
    bench.simulated.endWebSockets(how)
    await bench.clock.advance(500)
    bench.simulated.addJobV1()
    await bench.clock.advance(1500)
    expect(bench.simulated.webSockets()).toEqual({ v1: 1, v2: 1 })
    expect(batches).toEqual([['1']])
    bench.simulated.addJobV1()
    await bench.clock.advance(200)
    expect(batches.at(-1)).toEqual(['2'])
  })

  test('that falls silent is given up after a minute, and another stands', async () => {
    const { bench, batches } = await running()
    bench.simulated.endWebSockets('fallSilent')
    await bench.clock.advance(minute + 3000)
    expect(bench.simulated.webSockets()).toEqual({ v1: 1, v2: 1 })
    bench.simulated.addJobV1()
    await bench.clock.advance(200)
    expect(batches.at(-1)).toEqual(['1'])
  })

  test('is opened again with a whole sign-in when its session is over, on the route of its side', async () => {
    const { bench } = await running()
    bench.simulated.endHatcherySessions()
    bench.simulated.endWebSockets('close')
    const before = bench.requests.length
    await bench.clock.advance(5000)
    expect(bench.simulated.webSockets()).toEqual({ v1: 1, v2: 1 })
    const signIns = bench.requests.slice(before).filter(({ url }) => url.pathname.endsWith('/signin'))
    expect(signIns.map(({ url }) => url.pathname).toSorted()).toEqual([
      '/auth/consumer/builtin/signin',
      '/v2/auth/consumer/hatchery/signin',
    ])
    for (const { text } of signIns) expect(JSON.stringify(JSON.parse(text()))).toContain('public_key')
  })

  test('whose filters CDS refuses is tried again, ever more slowly, and said aloud once', async () => {
    const accept: WebSocketHandler = (_request, socket) => {
      socket.send('{"status":"KO","error":"invalid or empty given filter type","event":{}}')
      return undefined
    }
    const { bench } = await running({ sides: [1], accept })
    await bench.clock.advance(10 * minute)
    expect(bench.upgrades.length).toBeGreaterThan(10)
    expect(bench.upgrades.length).toBeLessThan(120)
    const said = bench.log.lines.filter(line => line.message.startsWith('no events come'))
    expect(said).toMatchObject([{ fields: { error: { message: expect.stringContaining('invalid or empty given filter type') } } }])
  })

  test('that cannot be had at all leaves the polls', async () => {
    const { bench, batches } = await running({ sides: [1], accept: () => new Promise(() => {}) })
    bench.simulated.addJobV1()
    await bench.clock.advance(10_000)
    expect(batches).toEqual([['1']])
  })
})

describe('an API that is away for a minute', () => {
  test('is met again, and every job is found', async () => {
    const { bench, source, batches } = await running()
    bench.simulated.setReachable(false)
    await bench.clock.advance(10_000)
    bench.simulated.addJobV1()
    const { id } = bench.simulated.addJobV2({ region: 'north', model: debian })
    await bench.clock.advance(50_000)
    expect(batches).toEqual([])
    expect(Array.from(source.health.values())).toEqual([true, true])
    bench.simulated.setReachable(true)
    await bench.clock.advance(21_000)
    expect(new Set(batches.flat())).toEqual(new Set(['1', id]))
    await bench.clock.advance(30_000)
    expect(bench.simulated.webSockets()).toEqual({ v1: 1, v2: 1 })
    const said = (text: string) => bench.log.lines.filter(line => line.message.startsWith(text)).length
    expect([said('the queue cannot be read'), said('the queue can be read again')]).toEqual([2, 2])
  })
})

describe('a source', () => {
  test('shows its loops by the names that CDS’s status has, alive until it is stopped', async () => {
    const { bench, source } = await running()
    expect(source.health).toEqual(
      new Map([
        ['queuePolling', true],
        ['V2QueuePolling', true],
      ]),
    )
    await source.stop()
    expect(Array.from(source.health.values())).toEqual([false, false])
    expect(bench.simulated.webSockets()).toEqual({ v1: 0, v2: 0 })
    const calls = bench.requests.length
    await bench.clock.advance(minute)
    expect(bench.requests).toHaveLength(calls)
  })

  test('goes on when the one who is told of jobs throws', async () => {
    const bench = new CdsBench({ sides: [1] })
    const { cds, settings, clock, log } = bench
    let told = 0
    jobSource({ cds, settings, isPending: () => false, clock, chance: seededChance('a source'), log }).start(() => {
      told++
      throw new Error('not now')
    })
    bench.simulated.addJobV1()
    await clock.advance(45_000)
    expect(told).toBeGreaterThan(2)
    expect(log.lines).toContainEqual(expect.objectContaining({ level: 'error', message: 'jobs could not be handed on' }))
  })

  test('with a V1 token only never asks V2 for anything', async () => {
    const { bench, source } = await running({ sides: [1] })
    await bench.clock.advance(minute)
    expect(Array.from(source.health.keys())).toEqual(['queuePolling'])
    expect([...bench.requests, ...bench.upgrades].filter(({ url }) => url.pathname.startsWith('/v2'))).toEqual([])
  })
})
