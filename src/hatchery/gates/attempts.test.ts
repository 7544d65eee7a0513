import { describe, expect, test } from 'vitest'
import { GateWorld } from '../testing/gate-world.ts'

/** Decides again and again, as long as it takes; each start fails. Returns what came of it, and the moments of the starts. */
async function failAlways(world: GateWorld, job: Parameters<GateWorld['decide']>[0], rounds = 100) {
  const starts: number[] = []
  for (let round = 0; round < rounds; round++) {
    const verdict = await world.decide(job)
    if (verdict.kind === 'go') {
      starts.push(world.clock.now())
      world.attempts.begin(job.id)
      world.attempts.failed(job.id)
      verdict.undertaking[Symbol.dispose]()
    } else if (verdict.kind === 'fail') return { starts, end: verdict.why }
    await world.clock.advance(10_000)
  }
  return { starts, end: 'still waiting' }
}

describe('a job whose workers never start', () => {
  test('is tried exactly so often, then failed if it is V1', async () => {
    const world = new GateWorld({ provision: { maxAttempts: 2 } })
    world.v1Model()
    const job = world.v1Job('42')
    const { starts, end } = await failAlways(world, job)
    expect(starts).toHaveLength(2)
    expect(end).toBe('hatchery "aviary" failed to start worker after 2 attempts')
    expect((await world.decide(job)).kind).toBe('fail')
  })

  test('is tried exactly so often, then left to CDS if it is V2', async () => {
    const world = new GateWorld({ provision: { maxAttempts: 5 } })
    const job = world.v2Job('42')
    const { starts } = await failAlways(world, job)
    expect(starts).toHaveLength(5)
    expect(await world.decide(job)).toMatchObject({ kind: 'wait', refusal: { gate: 'Attempts', reason: 'TooManyAttempts' } })
  })

  test('is tried for ever if nobody sets a limit', async () => {
    const world = new GateWorld({ provision: { maxAttempts: undefined } })
    const { starts } = await failAlways(world, world.v2Job('42'), 1_000)
    expect(starts.length).toBeGreaterThan(20)
  })

  test('rests after each failure, longer each time, and says until when', async () => {
    const world = new GateWorld({ provision: { maxAttempts: undefined } })
    const { starts } = await failAlways(world, world.v2Job('42'), 1_000)
    const pauses = starts.slice(1).map((start, index) => start - (starts[index] ?? 0))
    expect(pauses[0]).toBeGreaterThanOrEqual(2_500)
    expect(Math.max(...pauses)).toBeLessThanOrEqual(310_000)
    expect(pauses.at(-1)).toBeGreaterThan(100_000)
  })

  test('waits with the moment of the next attempt', async () => {
    const world = new GateWorld()
    const job = world.v2Job('42')
    world.attempts.begin('42')
    world.attempts.failed('42')
    const verdict = await world.decide(job)
    expect(verdict).toMatchObject({ kind: 'wait', refusal: { gate: 'Attempts', reason: 'Pausing' } })
    const until = (verdict.kind === 'wait' && verdict.refusal.until) || 0
    await world.clock.advance(until - world.clock.now())
    expect((await world.decide(job)).kind).toBe('go')
  })
})

describe('attempts', () => {
  test('that were never begun do not count: refusals, and jobs that another took', async () => {
    const world = new GateWorld({ provision: { maxAttempts: 1, maxWorker: 1 } })
    const job = world.v2Job('42')
    const busy = world.vm({ name: 'busy', note: {} })
    for (let round = 0; round < 5; round++) expect(await world.verdict(job)).toBe('MaxWorkerReached')
    world.inventory.drop(busy.id)
    for (let round = 0; round < 5; round++) {
      const verdict = await world.decide(job)
      expect(verdict.kind).toBe('go')
      if (verdict.kind === 'go') verdict.undertaking[Symbol.dispose]()
    }
  })

  test('are forgotten an hour after the first', async () => {
    const world = new GateWorld({ provision: { maxAttempts: 1 } })
    const job = world.v2Job('42')
    world.attempts.begin('42')
    expect(await world.verdict(job)).toBe('TooManyAttempts')
    await world.clock.advance(3_600_000)
    expect(await world.verdict(job)).toBe('go')
  })

  test('from before a restart count on', () => {
    const { attempts, clock } = new GateWorld({ provision: { maxAttempts: 3 } })
    attempts.restore('42', { count: 2, since: clock.now(), pauseUntil: 0 })
    expect(attempts.begin('42')).toBe(3)
    expect(attempts.standing('42')).toMatchObject({ kind: 'enough', count: 3 })
    attempts.forget('42')
    expect(attempts.standing('42')).toEqual({ kind: 'go' })
  })

  test('from before a restart keep their hour and their pause', () => {
    const { attempts, clock } = new GateWorld({ provision: { maxAttempts: 2 } })
    const [since, pauseUntil] = [clock.now() - 1_800_000, clock.now() + 60_000]
    attempts.restore('42', { count: 1, since, pauseUntil })
    expect(attempts.standing('42')).toEqual({ kind: 'pause', count: 1, until: pauseUntil })
    attempts.begin('42')
    expect(attempts.standing('42')).toEqual({ kind: 'enough', count: 2, until: since + 3_600_000 })
    attempts.restore('43', { count: 2, since: clock.now() - 3_600_000, pauseUntil })
    expect(attempts.standing('43')).toEqual({ kind: 'go' })
  })

  test('of jobs long gone take no room', async () => {
    const { attempts, clock } = new GateWorld()
    for (let job = 0; job < 100; job++) attempts.begin(`old-${job}`)
    await clock.advance(3_600_000)
    attempts.begin('new')
    expect([attempts.of('old-0').count, attempts.of('new').count]).toEqual([0, 1])
  })
})
