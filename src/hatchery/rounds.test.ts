import { expect, test } from 'vitest'
import { recordingLog, VirtualClock } from '../ports/index.ts'
import { Rounds } from './rounds.ts'

function bench(options: { atOnce?: boolean; takes?: number; fails?: (round: number) => boolean } = {}) {
  const clock = new VirtualClock()
  const log = recordingLog()
  const begun: number[] = []
  const start = clock.now()
  const rounds = new Rounds({
    name: 'test',
    every: 60_000,
    atOnce: options.atOnce ?? true,
    clock,
    log,
    round: async signal => {
      begun.push(clock.now() - start)
      if (options.takes !== undefined) await clock.sleep(options.takes, signal)
      if (options.fails?.(begun.length) === true) throw new Error('it failed')
    },
  })
  return { clock, log, begun, rounds }
}

test('the first round comes at once, the others at their time', async () => {
  const { rounds, clock, begun } = bench()
  rounds.start()
  await clock.advance(125_000)
  expect(begun).toEqual([0, 60_000, 120_000])
  await rounds.stop()
})

test('the first round can wait for its time', async () => {
  const { rounds, clock, begun } = bench({ atOnce: false })
  rounds.start()
  await clock.advance(65_000)
  expect(begun).toEqual([60_000])
  await rounds.stop()
})

test('three requests, before and during a round, make one more round', async () => {
  const { rounds, clock, begun } = bench({ takes: 5_000 })
  rounds.start()
  await clock.advance(1_000)
  for (let request = 0; request < 3; request++) rounds.request()
  await clock.advance(9_000)
  expect(begun).toEqual([0, 5_000])
  await clock.advance(2_000)
  for (let request = 0; request < 3; request++) rounds.request()
  await clock.advance(1_000)
  expect(begun).toEqual([0, 5_000, 12_000])
  await rounds.stop()
})

test('a round never begins before the last one is over, even if it takes longer than the interval', async () => {
  const { rounds, clock, begun } = bench({ takes: 90_000 })
  rounds.start()
  await clock.advance(300_000)
  expect(begun).toEqual([0, 150_000, 300_000])
  await rounds.stop()
})

test('a round that throws is told, shows in the health, and does not end the rounds', async () => {
  const { rounds, clock, begun, log } = bench({ fails: round => round === 1 })
  rounds.start()
  await clock.advance(100)
  expect([rounds.isHealthy, log.lines.length]).toEqual([false, 1])
  await clock.advance(70_000)
  expect([begun.length, rounds.isHealthy]).toEqual([2, true])
  await rounds.stop()
  expect(rounds.isHealthy).toBe(false)
})

test('requests do not make a failing round spin', async () => {
  const { rounds, clock, begun } = bench({ fails: () => true })
  rounds.start()
  for (let second = 0; second < 10; second++) {
    rounds.request()
    await clock.advance(100)
  }
  expect(begun.length).toBeLessThanOrEqual(2)
  await rounds.stop()
})

test('a round can be asked for at a time; of several the earliest counts', async () => {
  const { rounds, clock, begun } = bench()
  rounds.start()
  await clock.advance(1_000)
  for (const later of [9_000, 4_000, 30_000]) rounds.requestAt(clock.now() + later)
  await clock.advance(40_000)
  expect(begun).toEqual([0, 5_000])
  await rounds.stop()
})
