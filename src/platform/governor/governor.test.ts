import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { prometheusMetrics, seededChance, VirtualClock } from '../../ports/index.ts'
import { simulatedPlatform, SimulatedWorld } from '../../simulation/index.ts'
import { WaitedTooLong } from '../errors.ts'
import { governed } from './governed.ts'
import { Governor, type GovernorOptions, type Work } from './governor.ts'

const never = new AbortController().signal

function setUp(limits: GovernorOptions['limits'] = {}) {
  const clock = new VirtualClock()
  const governor = new Governor({ platform: 'vc', clock, limits })
  const begun: string[] = []
  let vm = 0
  const work = (given: Partial<Work>): Work => ({
    owner: 'a',
    operation: 'clone',
    target: `vm-${++vm}`,
    host: undefined,
    weight: 1,
    ...given,
  })
  const run = (given: Partial<Work> & { label?: string }, milliseconds = 1_000, signal = never) => {
    const { label, ...rest } = given
    const all = work(rest)
    return governor.run(
      all,
      async () => {
        begun.push(label ?? all.target)
        await clock.sleep(milliseconds)
      },
      signal,
    )
  }
  return { clock, governor, begun, run }
}

describe('the governor', () => {
  test('lets no more begin than the platform may bear, the rest in order', async () => {
    const { clock, governor, begun, run } = setUp({ total: 2 })
    for (const label of ['1', '2', '3', '4']) void run({ label })
    await clock.advance(0)
    expect(begun).toEqual(['1', '2'])
    expect(governor.waiting().map(({ position, reason }) => [position, reason])).toEqual([
      [1, 'PlatformBusy'],
      [2, 'PlatformBusy'],
    ])
    await clock.advance(1_000)
    expect(begun).toEqual(['1', '2', '3', '4'])
    await clock.advance(1_000)
    expect([governor.running(), governor.waiting()]).toEqual([[], []])
  })

  test('does one thing at a time with a VM, and says what it waits for', async () => {
    const { clock, governor, begun, run } = setUp()
    void run({ label: 'first', target: 'vm', operation: 'powerOn' })
    void run({ label: 'second', target: 'vm' })
    void run({ label: 'other' })
    await clock.advance(0)
    expect(begun).toEqual(['first', 'other'])
    expect(governor.waiting()).toMatchObject([{ target: 'vm', reason: 'VmBusy', message: 'powerOn of vm is under way' }])
    await clock.advance(1_000)
    expect(begun).toEqual(['first', 'other', 'second'])
  })

  test('lets a host bear only so much weight, whatever others do', async () => {
    const { clock, governor, begun, run } = setUp({ perHost: 4 })
    void run({ label: 'heavy', host: 'h1', weight: 4 })
    void run({ label: 'light', host: 'h1' })
    void run({ label: 'elsewhere', host: 'h2' })
    await clock.advance(0)
    expect(begun).toEqual(['heavy', 'elsewhere'])
    expect(governor.waiting()).toMatchObject([{ reason: 'HostBusy', message: 'host h1 does 4 of 4 already, this takes 1' }])
  })

  test('gives every owner a turn', async () => {
    const { clock, begun, run } = setUp({ total: 1 })
    for (let count = 0; count < 5; count++) void run({ owner: 'greedy', label: `g${count}` })
    void run({ owner: 'modest', label: 'm0' })
    void run({ owner: 'modest', label: 'm1' })
    await clock.advance(10_000)
    expect(begun).toEqual(['g0', 'g1', 'm0', 'g2', 'm1', 'g3', 'g4'])
  })

  test('does not let light work keep heavy work from a host for ever', async () => {
    const { clock, begun, run } = setUp({ perHost: 4 })
    for (let count = 0; count < 4; count++) void run({ host: 'h1' }, 500 * (count + 1))
    void run({ owner: 'heavy', label: 'heavy', host: 'h1', weight: 4 })
    for (let tick = 0; tick < 60; tick++) {
      void run({ host: 'h1' }, 2_000)
      await clock.advance(500)
    }
    expect(begun).toContain('heavy')
  })

  test('forgets whoever gives up, and gives up itself after a while', async () => {
    const { clock, governor, begun, run } = setUp({ total: 1, longestWait: 60_000 })
    const stop = new AbortController()
    void run({ label: 'endless' }, 3_600_000)
    const impatient = run({ label: 'impatient' }, 1, stop.signal).catch((error: unknown) => error)
    const patient = run({ label: 'patient' }).catch((error: unknown) => error)
    stop.abort(new Error('enough'))
    expect(await impatient).toBe(stop.signal.reason)
    expect(governor.waiting()).toHaveLength(1)
    await clock.advance(60_000)
    const error = await patient
    expect(WaitedTooLong.is(error) && error.message).toContain('held back for 1 minutes')
    expect([begun, governor.waiting()]).toEqual([['endless'], []])
    await expect(run({}, 1, AbortSignal.abort(new Error('never meant')))).rejects.toThrow('never meant')
  })

  test('goes on when work fails', async () => {
    const { clock, governor } = setUp({ total: 1 })
    const work = { owner: 'a', operation: 'clone', target: 'x', host: undefined, weight: 1 }
    await expect(governor.run(work, () => Promise.reject(new Error('broken')), never)).rejects.toThrow('broken')
    expect(await governor.run({ ...work }, async () => 'fine', never)).toBe('fine')
    await clock.advance(0)
    expect(governor.running()).toEqual([])
  })

  test('shows in metrics what goes on and who waits', async () => {
    const metrics = prometheusMetrics()
    const clock = new VirtualClock()
    const governor = new Governor({ platform: 'vc', clock, metrics, limits: { total: 1 } })
    for (const target of ['a', 'b'])
      void governor.run({ owner: 'o', operation: 'clone', target, host: undefined, weight: 1 }, () => clock.sleep(1_000), never)
    const text = await metrics.text()
    expect(text).toContain('aviary_platform_operations{platform="vc",state="running"} 1')
    expect(text).toContain('aviary_platform_operations{platform="vc",state="waiting"} 1')
    await clock.advance(2_000)
    expect(await metrics.text()).toContain('aviary_platform_wait_seconds_sum{platform="vc",operation="clone"} 1')
  })
})

test('whatever is asked for, no limit is ever exceeded, and everything is done in the end', () => {
  const asked = fc.record({
    owner: fc.constantFrom('a', 'b', 'c'),
    target: fc.constantFrom('v1', 'v2', 'v3', 'v4', 'v5', 'v6'),
    host: fc.constantFrom(undefined, 'h1', 'h2'),
    weight: fc.integer({ min: 1, max: 4 }),
    takes: fc.integer({ min: 0, max: 3_000 }),
    after: fc.integer({ min: 0, max: 500 }),
    givesUpAfter: fc.option(fc.integer({ min: 0, max: 2_000 })),
    fails: fc.boolean(),
  })
  return fc.assert(
    fc.asyncProperty(fc.array(asked, { maxLength: 40 }), async all => {
      const { clock, governor } = setUp({ total: 4, perHost: 5 })
      let ended = 0
      const broken: string[] = []
      const check = () => {
        const running = governor.running()
        if (running.length > 4) broken.push('total')
        if (new Set(running.map(each => each.target)).size < running.length) broken.push('one at a time')
        for (const host of ['h1', 'h2']) {
          if (running.reduce((sum, each) => sum + (each.host === host ? each.weight : 0), 0) > 5) broken.push(host)
        }
      }
      for (const { takes, after, givesUpAfter, fails, ...work } of all) {
        const stop = new AbortController()
        const act = async () => {
          check()
          await clock.sleep(takes)
          if (fails) throw new Error('broken')
        }
        void governor
          .run({ ...work, operation: 'clone' }, act, stop.signal)
          .catch(() => {})
          .finally(() => ended++)
        if (givesUpAfter !== null) clock.after(givesUpAfter, () => stop.abort(new Error('enough')))
        await clock.advance(after)
      }
      await clock.advance(200_000)
      expect(broken).toEqual([])
      expect([ended, governor.running(), governor.waiting()]).toEqual([all.length, [], []])
    }),
    { numRuns: 50 },
  )
})

test('a governed platform makes no more at once than it may, and reading is not held back', async () => {
  const clock = new VirtualClock()
  const chance = seededChance(3)
  const world = new SimulatedWorld({ clock, chance, templates: [{ name: 'debian' }] })
  const governor = new Governor({ platform: 'sim', clock, limits: { total: 2 } })
  const platform = governed(simulatedPlatform({ world, chance }), governor, 'hatchery')
  await clock.advance(1_000)
  const clones = Array.from({ length: 6 }, (_, index) =>
    platform.clone({ name: `vm-${index}`, annotation: '', template: 'debian', isOurs: () => true }, never),
  )
  let most = 0
  for (let tick = 0; tick < 120; tick++) {
    most = Math.max(most, world.tasks().filter(task => task.state === 'running').length)
    await clock.advance(1_000)
  }
  expect(most).toBe(2)
  const made = await Promise.all(clones)
  expect(new Set(made.map(vm => vm.name)).size).toBe(6)
  expect((await platform.capacity()).cpuMHz.used).toBe(0)
})
