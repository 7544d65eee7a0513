import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Lease } from '../../kinds/index.ts'
import { StoreError } from '../../store/index.ts'
import { FlakyStore } from '../testing/flaky-store.ts'
import { PausableClock } from '../testing/pausable-clock.ts'
import { makeWorld, type World } from '../testing/world.ts'
import type { Leadership } from './leadership.ts'
import { runElection } from './run-election.ts'

const lease = { namespace: 'default', name: 'aviary' }

/** A process that takes part in an election and, while it leads, does something twice a second. */
interface Candidate {
  readonly name: string
  readonly clock: PausableClock
  readonly store: FlakyStore
  /** All leaderships it ever had. */
  readonly leaderships: Leadership[]
  isLeading(): boolean
  /** Asks it to stop; resolves when it has. */
  stop(): Promise<void>
}

interface Act {
  readonly by: string
  readonly term: number
}

function candidate(world: World, name: string, acts: Act[]): Candidate {
  const clock = new PausableClock(world.clock)
  const store = new FlakyStore(world.store)
  store.before = () => clock.running()
  store.after = () => clock.running()
  const leaderships: Leadership[] = []
  const stop = new AbortController()
  const lead = async (leadership: Leadership, stopping: AbortSignal) => {
    leaderships.push(leadership)
    while (!leadership.signal.aborted && !stopping.aborted) {
      acts.push({ by: name, term: leadership.fence() })
      await clock.sleep(500, leadership.signal).catch(() => {})
    }
  }
  const ended = runElection({ store, clock, chance: world.chance, log: world.log, lease, identity: name, lead, signal: stop.signal })
  return {
    name,
    clock,
    store,
    leaderships,
    isLeading: () => leaderships.at(-1)?.isCurrent() ?? false,
    stop: () => (stop.abort(), ended),
  }
}

const leaders = (candidates: readonly Candidate[]) => candidates.filter(each => each.isLeading()).map(({ name }) => name)

describe('an election', () => {
  test('makes one process the leader, which renews its lease, and the others wait', async () => {
    const world = await makeWorld()
    const all = ['a', 'b', 'c'].map(name => candidate(world, name, []))
    await world.clock.advance(120_000)
    expect(leaders(all)).toEqual(['a'])
    const { spec } = await world.store.get(Lease, lease)
    expect(spec).toMatchObject({ holderIdentity: 'a', leaseDurationSeconds: 15, leaseTransitions: 1 })
    expect(spec.renewTime).toMatch(/^2026-01-01T00:0(1:5|2:0)/)
  })

  test('costs one request every two seconds while nothing happens', async () => {
    const world = await makeWorld()
    const { store } = candidate(world, 'a', [])
    await world.clock.advance(10_000)
    const requests: string[] = []
    store.before = operation => void requests.push(operation)
    await world.clock.advance(60_000)
    expect(requests).toEqual(Array.from({ length: 30 }, () => 'update'))
  })

  test('a leader that stops gives the lease back, and the next one takes over at once with a new term', async () => {
    const world = await makeWorld()
    const all = ['a', 'b'].map(name => candidate(world, name, []))
    await world.clock.advance(10_000)
    const stopped = all[0]!.stop()
    await world.clock.advance(3_000)
    await stopped
    expect(leaders(all)).toEqual(['b'])
    expect(all[1]!.leaderships[0]!.term).toBe(2)
  })

  test('a leader that is asked to stop may act until its work has ended in good order', async () => {
    const world = await makeWorld()
    const stop = new AbortController()
    const story: unknown[] = []
    const lead = async (leadership: Leadership, stopping: AbortSignal) => {
      await world.clock.sleep(3_600_000, stopping).catch(() => {})
      await world.clock.sleep(12_000)
      story.push(leadership.fence())
    }
    const ended = runElection({ ...world, lease, identity: 'a', lead, signal: stop.signal })
    await world.clock.advance(5_000)
    stop.abort()
    await world.clock.advance(11_000)
    expect((await world.store.get(Lease, lease)).spec.holderIdentity).toBe('a')
    await world.clock.advance(5_000)
    await ended
    expect(story).toEqual([1])
    expect((await world.store.get(Lease, lease)).spec.holderIdentity).toBeUndefined()
  })

  test('a leader that dies is replaced within 20 s', async () => {
    const world = await makeWorld()
    const all = ['a', 'b'].map(name => candidate(world, name, []))
    await world.clock.advance(10_000)
    all[0]!.clock.pause()
    await world.clock.advance(14_000)
    expect(leaders(all)).toEqual([])
    await world.clock.advance(6_000)
    expect(leaders(all)).toEqual(['b'])
  })

  test('a leader that cannot renew stops by itself, well before another can lead', async () => {
    const world = await makeWorld()
    const all = ['a', 'b'].map(name => candidate(world, name, []))
    await world.clock.advance(10_000)
    all[0]!.store.before = () => {
      throw new StoreError('ServiceUnavailable', 'away')
    }
    await world.clock.advance(10_000)
    expect(leaders(all)).toEqual([])
    expect(all[0]!.leaderships[0]!.whyLost).toBe('it was not renewed in time')
    await world.clock.advance(10_000)
    expect(leaders(all)).toEqual(['b'])
  })

  test('requests that hang do not keep a leader in office', async () => {
    const world = await makeWorld()
    const all = ['a', 'b'].map(name => candidate(world, name, []))
    await world.clock.advance(10_000)
    all[0]!.store.before = () => new Promise(() => {})
    await world.clock.advance(25_000)
    expect(leaders(all)).toEqual(['b'])
  })

  test('one lost request, or one lost answer, does not cost the leadership', async () => {
    const world = await makeWorld()
    const a = candidate(world, 'a', [])
    await world.clock.advance(10_000)
    for (const side of ['before', 'after'] as const) {
      let lost = 0
      a.store[side] = () => {
        if (lost++ === 0) throw new StoreError('ServiceUnavailable', 'connection reset')
      }
      await world.clock.advance(20_000)
      expect(lost).toBeGreaterThan(1)
      a.store[side] = () => {}
    }
    expect(a.leaderships).toHaveLength(1)
    expect(a.isLeading()).toBe(true)
  })

  test('a Lease that somebody takes away or hands to another ends the leadership', async () => {
    const world = await makeWorld()
    const a = candidate(world, 'a', [])
    await world.clock.advance(10_000)
    const held = await world.store.get(Lease, lease)
    await world.store.update(Lease, { ...held, spec: { ...held.spec, holderIdentity: 'intruder', leaseTransitions: 9 } })
    await world.clock.advance(2_500)
    expect(a.isLeading()).toBe(false)
    expect(a.leaderships[0]!.whyLost).toBe('another process took it')
    await world.clock.advance(20_000)
    expect(a.isLeading()).toBe(true)
    expect(a.leaderships[1]!.term).toBe(10)
  })

  test('the times of another clock count for nothing: only how long the Lease did not change', async () => {
    const world = await makeWorld()
    const spec = { holderIdentity: 'old', leaseDurationSeconds: 40, renewTime: '2001-01-01T00:00:00.000000Z', leaseTransitions: 3 }
    await world.store.create(Lease, { metadata: lease, spec })
    const a = candidate(world, 'a', [])
    await world.clock.advance(39_000)
    expect(a.isLeading()).toBe(false)
    await world.clock.advance(4_000)
    expect(a.isLeading()).toBe(true)
    expect(a.leaderships[0]!.term).toBe(4)
  })

  test('work that fails gives up the leadership, and the campaign goes on', async () => {
    const world = await makeWorld()
    let tries = 0
    const lead = async () => {
      tries++
      throw new Error('cannot lead')
    }
    const stop = new AbortController()
    const ended = runElection({ ...world, lease, identity: 'a', lead, signal: stop.signal })
    await world.clock.advance(10_000)
    expect(tries).toBeGreaterThan(2)
    stop.abort()
    await world.clock.advance(3_000)
    await ended
    expect((await world.store.get(Lease, lease)).spec.holderIdentity).toBeUndefined()
  })
})

test('a lease whose answer comes too late is not led on', async () => {
  const world = await makeWorld()
  const a = candidate(world, 'a', [])
  a.store.after = operation => {
    if (operation === 'create') a.clock.pause()
    return a.clock.running()
  }
  await world.clock.advance(20_000)
  expect((await world.store.get(Lease, lease)).spec.holderIdentity).toBe('a')
  a.clock.resume()
  await world.settle()
  expect(a.leaderships).toEqual([])
  await world.clock.advance(5_000)
  expect(a.leaderships.map(({ term }) => term)).toEqual([2])
})

describe('the fence', () => {
  test('refuses a process that was stopped and goes on, before anything else of it runs', async () => {
    const world = await makeWorld()
    const acts: Act[] = []
    const all = ['a', 'b'].map(name => candidate(world, name, acts))
    await world.clock.advance(10_000)
    const [a] = all
    a!.clock.pause()
    await world.clock.advance(60_000)
    expect(leaders(all)).toEqual(['b'])
    expect(() => a!.leaderships[0]!.fence()).toThrow(expect.objectContaining({ code: 'CONTROL_NOT_LEADER' }))
    const before = acts.length
    a!.clock.resume()
    await world.clock.advance(5_000)
    expect(acts.slice(before).every(({ by, term }) => by === 'b' && term === 2)).toBe(true)
  })

  test('also heeds the wall clock, because the other one stands still while a machine sleeps', async () => {
    const world = await makeWorld()
    const a = candidate(world, 'a', [])
    await world.clock.advance(10_000)
    const now = a.clock.now.bind(a.clock)
    a.clock.now = () => now() + 3_600_000
    expect(() => a.leaderships[0]!.fence()).toThrow(/not renewed in time/)
  })
})

const trouble = fc.record({
  who: fc.nat(2),
  what: fc.constantFrom('pause', 'resume', 'cut before', 'cut after', 'hang', 'heal'),
  after: fc.constantFrom(100, 1_000, 3_000, 9_000, 14_000, 30_000),
})

test('whatever happens, never do two processes lead, and no term acts after a later one', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(trouble, { maxLength: 25 }), fc.nat(1_000), async (troubles, seed) => {
      const world = await makeWorld({ seed })
      const acts: Act[] = []
      const all = ['a', 'b', 'c'].map(name => candidate(world, name, acts))
      const check = () => {
        expect(leaders(all).length).toBeLessThanOrEqual(1)
        const terms = acts.map(({ term }) => term)
        expect(terms).toEqual(terms.toSorted((x, y) => x - y))
        for (const term of new Set(terms)) expect(new Set(acts.filter(act => act.term === term).map(({ by }) => by)).size).toBe(1)
      }
      for (const { who, what, after } of troubles) {
        const { clock, store } = all[who]!
        const lose = () => {
          throw new StoreError('ServiceUnavailable', 'lost')
        }
        if (what === 'pause') clock.pause()
        else if (what === 'resume') clock.resume()
        else if (what === 'cut before') store.before = lose
        else if (what === 'cut after') store.after = lose
        else if (what === 'hang') store.before = () => new Promise(() => {})
        else store.before = store.after = () => clock.running()
        for (let passed = 0; passed < after; passed += 500) {
          await world.clock.advance(Math.min(500, after - passed))
          check()
        }
      }
      for (const { clock, store } of all) {
        store.before = store.after = () => clock.running()
        clock.resume()
      }
      await world.clock.advance(40_000)
      check()
      expect(leaders(all)).toHaveLength(1)
    }),
    { numRuns: 60 },
  )
})
