import { expect, test } from 'vitest'
import { VirtualClock } from '../../ports/index.ts'
import { Pace } from './pace.ts'

function pace(options: Partial<ConstructorParameters<typeof Pace>[0]>) {
  const clock = new VirtualClock()
  return { clock, pace: new Pace({ perSecond: 0, burst: 1, concurrent: 100, ...options }, clock) }
}

test('a burst goes at once, what follows at the rate', async () => {
  const { clock, pace: limited } = pace({ perSecond: 10, burst: 3 })
  const times: number[] = []
  const started = clock.monotonic()
  for (let i = 0; i < 6; i++) void limited.run(async () => void times.push(clock.monotonic() - started))
  await clock.advance(1000)
  expect(times).toEqual([0, 0, 0, 100, 200, 300])
})

test('after a quiet time there is a burst again, but not a larger one', async () => {
  const { clock, pace: limited } = pace({ perSecond: 10, burst: 2 })
  let done = 0
  await clock.advance(60_000)
  for (let i = 0; i < 5; i++) void limited.run(async () => void done++)
  await clock.advance(0)
  expect(done).toBe(2)
})

test('0 a second means no limit', async () => {
  const { clock, pace: free } = pace({ perSecond: 0, burst: 1 })
  let done = 0
  for (let i = 0; i < 50; i++) void free.run(async () => void done++)
  await clock.advance(0)
  expect(done).toBe(50)
})

test('no more than allowed are under way, and who waits is served in order', async () => {
  const { clock, pace: gate } = pace({ concurrent: 2 })
  const order: number[] = []
  let underWay = 0
  let most = 0
  const work = (i: number) => async () => {
    order.push(i)
    most = Math.max(most, ++underWay)
    await clock.sleep(10)
    underWay--
  }
  for (let i = 0; i < 6; i++) void gate.run(work(i))
  await clock.advance(100)
  expect(order).toEqual([0, 1, 2, 3, 4, 5])
  expect(most).toBe(2)
})

test('who stops waiting takes no place', async () => {
  const { clock, pace: gate } = pace({ concurrent: 1 })
  const stop = new AbortController()
  void gate.run(() => clock.sleep(10))
  const refused = gate.run(async () => 'ran', stop.signal).catch((error: unknown) => error)
  const later = gate.run(async () => 'later')
  // Only now both stand in the queue.
  await clock.advance(0)
  stop.abort(new Error('enough'))
  await clock.advance(10)
  expect(await refused).toMatchObject({ message: 'enough' })
  expect(await later).toBe('later')
})

test('work that fails makes room', async () => {
  const { clock, pace: gate } = pace({ concurrent: 1 })
  await expect(gate.run(async () => Promise.reject(new Error('no')))).rejects.toThrow('no')
  await clock.advance(0)
  expect(await gate.run(async () => 'next')).toBe('next')
})
