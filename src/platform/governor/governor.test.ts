import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { prometheusMetrics, seededChance, VirtualClock } from '../../ports/index.ts'
import { simulatedPlatform, SimulatedWorld } from '../../simulation/index.ts'
import { WaitedTooLong } from '../errors.ts'
import { IndexedInventory } from '../indexed-inventory.ts'
import { aVm } from '../testing/a-vm.ts'
import { governed } from './governed.ts'
import { Governor, type GovernorOptions, type Work } from './governor.ts'
import { KnownHosts } from './known-hosts.ts'

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

  test('lets work that can wait go last, and keeps a quarter of the room from it', async () => {
    const { clock, governor, begun, run } = setUp({ total: 4 })
    for (let count = 0; count < 5; count++) void run({ label: `later ${count}`, canWait: true }, 10_000)
    await clock.advance(0)
    expect(begun).toEqual(['later 0', 'later 1', 'later 2'])
    expect(governor.waiting()[0]).toMatchObject({ reason: 'PlatformBusy', message: expect.stringContaining('a quarter of its 4') })
    for (let count = 0; count < 3; count++) void run({ label: `now ${count}` }, 10_000)
    await clock.advance(0)
    expect(begun.slice(3)).toEqual(['now 0'])
    await clock.advance(10_000)
    expect(begun.slice(4)).toEqual(['now 1', 'now 2', 'later 3', 'later 4'])
  })

  test('keeps a quarter of each host from work that can wait, but always lets some of it go', async () => {
    const { clock, begun, run } = setUp({ perHost: 4 })
    for (let count = 0; count < 4; count++) void run({ label: `later ${count}`, host: 'h1', canWait: true })
    void run({ label: 'now', host: 'h1' })
    void run({ label: 'heavy', host: 'h2', weight: 4, canWait: true })
    await clock.advance(0)
    expect(begun).toEqual(['later 0', 'later 1', 'later 2', 'now', 'heavy'])
  })

  test('lets work that has waited long take its turn, however much else there is', async () => {
    const { clock, begun, run } = setUp({ total: 1 })
    void run({ owner: 'patient', label: 'later', canWait: true }, 1_000)
    await clock.advance(0)
    void run({ owner: 'patient', label: 'second', canWait: true })
    for (let second = 0; second < 130; second++) {
      void run({ owner: 'busy', label: 'now' })
      void run({ owner: 'busy', label: 'now' })
      await clock.advance(1_000)
    }
    expect(begun.indexOf('second')).toBeGreaterThan(100)
  })

  test('lets as much begin as the hosts bear together if nobody says otherwise, at least 32 and at most 512', async () => {
    let hosts = 0
    const governor = new Governor({ platform: 'vc', clock: new VirtualClock(), hosts: () => hosts })
    const totals = [0, 4, 5, 64, 1_000].map(count => {
      hosts = count
      return governor.total
    })
    expect(totals).toEqual([32, 32, 40, 512, 512])
    expect(setUp({ total: 7 }).governor.total).toBe(7)
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

  test('serves heavy work that has waited equally long for one host in turns', async () => {
    const { clock, begun, run } = setUp({ perHost: 4 })
    void run({ owner: 'first', host: 'h1', weight: 4 }, 12_000)
    for (let count = 0; count < 3; count++) void run({ owner: 'greedy', label: `g${count}`, host: 'h1', weight: 4 })
    for (let count = 0; count < 2; count++) void run({ owner: 'modest', label: `m${count}`, host: 'h1', weight: 4 })
    void run({ owner: 'light', label: 'l', host: 'h1' })
    await clock.advance(30_000)
    expect(begun.slice(1)).toEqual(['g0', 'm0', 'g1', 'm1', 'g2', 'l'])
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
    expect(text).toContain('aviary_platform_held_back{platform="vc",reason="PlatformBusy"} 1')
    expect(text).toContain('aviary_platform_held_back{platform="vc",reason="HostBusy"} 0')
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
    canWait: fc.boolean(),
  })
  return fc.assert(
    fc.asyncProperty(fc.array(asked, { maxLength: 40 }), async all => {
      const { clock, governor } = setUp({ total: 4, perHost: 5 })
      let ended = 0
      const broken: string[] = []
      const check = () => {
        const running = governor.running()
        if (running.length > 4) broken.push('total')
        if (running.filter(each => each.canWait).length > 3) broken.push('what can wait')
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

test('the hosts of a platform are counted as VMs come, move and go', () => {
  const inventory = new IndexedInventory('vc', new VirtualClock())
  const hosts = new KnownHosts()
  hosts.watch(inventory)
  const on = (id: string, host: string | undefined) => aVm({ id, host })
  inventory.replace([on('vm-1', 'a'), on('vm-2', 'a'), on('vm-3', 'b'), on('vm-4', undefined)])
  expect(hosts.count).toBe(2)
  inventory.put(on('vm-3', 'c'))
  inventory.put(on('vm-4', 'd'))
  expect(hosts.count).toBe(3)
  inventory.drop('vm-1')
  expect(hosts.count).toBe(3)
  inventory.drop('vm-2')
  expect(hosts.count).toBe(2)
  const late = new KnownHosts()
  late.watch(inventory)
  expect(late.count).toBe(2)
})
