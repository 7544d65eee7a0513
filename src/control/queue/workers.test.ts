import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { prometheusMetrics, recordingLog, seededChance, VirtualClock } from '../../ports/index.ts'
import { Nest } from '../../kinds/index.ts'
import { conflict } from '../../store/index.ts'
import { TerminalError } from '../errors.ts'
import { workMetrics } from '../metrics.ts'
import { type Job, Workers, type WorkersOptions } from './workers.ts'

interface Scene {
  readonly clock: VirtualClock
  readonly log: ReturnType<typeof recordingLog>
  readonly workers: Workers
  /** The keys that were worked on, in order. */
  readonly begun: string[]
  readonly metric: (name: string) => Promise<number | undefined>
}

function makeScene(work: (job: Job) => Promise<void>, options: Partial<WorkersOptions> = {}): Scene {
  const clock = new VirtualClock()
  const log = recordingLog()
  const metrics = prometheusMetrics()
  const begun: string[] = []
  const workers = new Workers({
    name: 'test',
    clock,
    log,
    chance: seededChance(3),
    metrics: workMetrics(metrics, 'test'),
    work: async job => {
      begun.push(job.key)
      await work(job)
      return { result: 'done' }
    },
    ...options,
  })
  workers.start()
  const metric = async (name: string) => {
    const line = (await metrics.text()).split('\n').find(each => each.startsWith(`aviary_controller_${name}`))
    return line === undefined ? undefined : Number(line.split(' ').at(-1))
  }
  return { clock, log, workers, begun, metric }
}

const never = () => new Promise<void>(() => {})
const obey = ({ signal }: Job) =>
  new Promise<void>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true }))

describe('a key that throws', () => {
  test('is tried again after growing pauses while others go on, and is forgiven when it goes well', async () => {
    let failing = true
    const { clock, workers, begun, metric } = makeScene(async ({ key }) => {
      if (key === 'bad' && failing) throw new Error('cannot')
    })
    workers.queue.add('bad')
    workers.queue.add('good')
    await clock.advance(3_600_000)
    const tries = begun.filter(key => key === 'bad').length
    expect(begun).toContain('good')
    expect(tries).toBeGreaterThan(10)
    expect(tries).toBeLessThan(60)
    expect(await metric('reconcile_total{controller="test",result="error"}')).toBe(tries)
    expect(await metric('retries_total{controller="test"}')).toBe(tries)
    failing = false
    await clock.advance(600_000)
    expect(workers.queue.failures('bad')).toBe(0)
    expect(workers.queue.waiting).toBe(0)
  })

  test('is not tried again after a TerminalError', async () => {
    const { clock, workers, begun } = makeScene(async () => {
      throw TerminalError({ reason: 'Wrong', message: 'no such flavor', fix: 'use another' })
    })
    workers.queue.add('a')
    await clock.advance(3_600_000)
    expect(begun).toEqual(['a'])
    workers.queue.add('a')
    await clock.advance(0)
    expect(begun).toEqual(['a', 'a'])
  })

  test('is tried again at once after a Conflict, and with small pauses if that goes on', async () => {
    let conflicts = 0
    const { clock, workers, begun } = makeScene(async () => {
      if (conflicts++ < 4) throw conflict(Nest, 'a')
    })
    workers.queue.add('a')
    await clock.advance(0)
    expect(begun).toHaveLength(2)
    await clock.advance(1_000)
    expect(begun).toHaveLength(5)
    expect(workers.queue.failures('a')).toBe(0)
  })
})

describe('a key that hangs', () => {
  test('is aborted at the deadline; if it obeys, it is tried again later', async () => {
    const { clock, workers, begun, metric } = makeScene(obey, { deadline: 10_000 })
    workers.queue.add('slow')
    await clock.advance(9_999)
    expect(begun).toEqual(['slow'])
    expect(workers.isBusy('slow')).toBe(true)
    await clock.advance(1)
    expect(workers.isBusy('slow')).toBe(false)
    expect(await metric('reconcile_total{controller="test",result="timeout"}')).toBe(1)
    await clock.advance(600_000)
    expect(begun.length).toBeGreaterThan(5)
  })

  test('and ignores that loses its place to others, but keeps its key to itself until it ends', async () => {
    let release: () => void = () => {}
    const stuck: string[] = []
    const { clock, workers, begun, metric, log } = makeScene(
      async ({ key }) => {
        if (key === 'hung' && begun.filter(each => each === 'hung').length === 1) await new Promise<void>(resolve => (release = resolve))
      },
      { deadline: 10_000, concurrency: 1, onStuck: ({ key }) => stuck.push(key) },
    )
    workers.queue.add('hung')
    workers.queue.add('other')
    await clock.advance(10_500)
    expect(begun).toEqual(['hung'])
    await clock.advance(500)
    expect(begun).toEqual(['hung', 'other'])
    expect(stuck).toEqual(['hung'])
    expect(await metric('stuck{')).toBe(1)
    expect(await metric('active_workers{')).toBe(0)
    expect(log.lines.some(({ message }) => message.startsWith('work ignores its deadline'))).toBe(true)
    workers.queue.add('hung')
    await clock.advance(3_600_000)
    expect(begun).toEqual(['hung', 'other'])
    release()
    await clock.advance(600_000)
    expect(begun).toEqual(['hung', 'other', 'hung'])
    expect(await metric('stuck{')).toBe(0)
  })

  test('many of them do not stop the others', async () => {
    const { clock, workers, begun } = makeScene(({ key }) => (key.startsWith('hung') ? never() : Promise.resolve()), {
      deadline: 1_000,
      concurrency: 2,
    })
    for (let n = 0; n < 10; n++) workers.queue.add(`hung ${n}`)
    workers.queue.add('good')
    await clock.advance(60_000)
    expect(begun).toContain('good')
    expect(begun).toHaveLength(11)
  })

  test('shows how long the oldest has taken', async () => {
    const { clock, workers, metric } = makeScene(never, { deadline: 100_000 })
    workers.queue.add('a')
    await clock.advance(30_000)
    workers.queue.add('b')
    await clock.advance(12_000)
    expect(await metric('unfinished_seconds{')).toBe(42)
    expect(await metric('active_workers{')).toBe(2)
  })
})

test('a key that floods the queue stands behind the others', async () => {
  const scene = makeScene(
    async ({ key }) => {
      if (key === 'flood' && scene.begun.length < 500) for (let n = 0; n < 10; n++) scene.workers.queue.add('flood')
    },
    { concurrency: 1 },
  )
  const { workers, clock, begun } = scene
  workers.queue.add('flood')
  for (let n = 0; n < 20; n++) workers.queue.add(`other ${n}`)
  await clock.advance(0)
  expect(begun.indexOf('other 19')).toBeLessThan(45)
})

test('no more are under way at one time than is allowed', async () => {
  let active = 0
  let most = 0
  const scene = makeScene(
    async () => {
      most = Math.max(most, ++active)
      await scene.clock.sleep(10)
      active--
    },
    { concurrency: 3 },
  )
  for (let n = 0; n < 20; n++) scene.workers.queue.add(String(n))
  await scene.clock.advance(1_000)
  expect(scene.begun).toHaveLength(20)
  expect(most).toBe(3)
})

describe('stopping', () => {
  test('takes no new work and waits for what is under way', async () => {
    const ended: string[] = []
    const scene = makeScene(async ({ key }) => {
      await scene.clock.sleep(3_000)
      ended.push(key)
    })
    const { workers, clock, begun } = scene
    workers.queue.add('a')
    await clock.advance(0)
    const stopped = workers.stop({ within: 10_000 })
    workers.queue.add('b')
    await clock.advance(3_000)
    await stopped
    expect(begun).toEqual(['a'])
    expect(ended).toEqual(['a'])
  })

  test('aborts what takes longer, without counting it as a failure to be tried again', async () => {
    let reason: unknown
    const { workers, clock, log } = makeScene(async job => {
      await obey(job).finally(() => (reason = job.signal.reason))
    })
    workers.queue.add('a')
    await clock.advance(0)
    const stopped = workers.stop({ within: 5_000 })
    await clock.advance(4_999)
    expect(reason).toBeUndefined()
    await clock.advance(1)
    await stopped
    expect(reason).toMatchObject({ code: 'CONTROL_STOPPING' })
    expect(log.lines.filter(({ level }) => level !== 'debug')).toEqual([])
  })

  test('does not wait for ever for what ignores it, and leaves no gauges and no timers behind', async () => {
    const { workers, clock, log, metric } = makeScene(never)
    workers.queue.add('a')
    await clock.advance(0)
    const stopped = workers.stop({ within: 5_000 })
    await clock.advance(6_000)
    await stopped
    expect(log.lines.some(({ message }) => message === 'work ignored that it was aborted')).toBe(true)
    expect(await metric('active_workers{')).toBeUndefined()
    expect(await clock.runUntilIdle(1_000_000)).toBe(true)
  })
})

test('whatever work does, no key is ever worked on twice at one time, and each is worked on after its last request', async () => {
  const plan = fc.record({
    requests: fc.array(fc.record({ key: fc.constantFrom('a', 'b', 'c', 'd'), at: fc.nat(60_000) }), { minLength: 1, maxLength: 40 }),
    conduct: fc.array(fc.constantFrom('well', 'slow', 'throw', 'hang', 'conflict'), { minLength: 1, maxLength: 20 }),
    concurrency: fc.integer({ min: 1, max: 3 }),
  })
  await fc.assert(
    fc.asyncProperty(plan, async ({ requests, conduct, concurrency }) => {
      const active = new Set<string>()
      const lastBegun = new Map<string, number>()
      let turn = 0
      const scene = makeScene(
        async ({ key, signal }) => {
          expect(active.has(key)).toBe(false)
          active.add(key)
          lastBegun.set(key, scene.clock.now())
          try {
            const way = conduct[turn++] ?? 'well'
            if (way === 'slow') await scene.clock.sleep(700)
            if (way === 'hang') await scene.clock.sleep(5_000)
            if (way === 'throw') throw new Error('cannot')
            if (way === 'conflict') throw conflict(Nest, key)
            signal.throwIfAborted()
          } finally {
            active.delete(key)
          }
        },
        { concurrency, deadline: 1_000 },
      )
      const start = scene.clock.now()
      for (const { key, at } of requests) scene.clock.after(at, () => scene.workers.queue.add(key))
      await scene.clock.advance(7_200_000)
      for (const { key, at } of requests) expect(lastBegun.get(key)).toBeGreaterThanOrEqual(start + at)
      expect(active.size).toBe(0)
      expect(scene.workers.queue.depth() + scene.workers.queue.waiting + scene.workers.queue.taken).toBe(0)
    }),
    { numRuns: 100 },
  )
})
