import { expect, test } from 'vitest'
import { OneAtATime } from './one-at-a-time.ts'

const never = new AbortController().signal

test('who asks for the same goes one after another, also after one that failed', async () => {
  const turns = new OneAtATime()
  const told: string[] = []
  const first = Promise.withResolvers<void>()
  const failing = turns.run('vm-1', () => first.promise, never)
  const next = turns.run('vm-1', async () => told.push('next'), never)
  await turns.run('vm-2', async () => told.push('other'), never)
  expect(told).toEqual(['other'])
  first.reject(new Error('no'))
  await expect(failing).rejects.toThrow('no')
  await next
  expect(told).toEqual(['other', 'next'])
})

test('who gives up while others are at it is told at once, does nothing, and lets nobody overtake', async () => {
  const turns = new OneAtATime()
  const told: string[] = []
  const first = Promise.withResolvers<void>()
  const begun = turns.run('vm-1', () => first.promise, never)
  const stop = new AbortController()
  const given = turns.run('vm-1', async () => told.push('given up'), stop.signal)
  const last = turns.run('vm-1', async () => told.push('last'), never)
  stop.abort(new Error('enough'))
  await expect(given).rejects.toBe(stop.signal.reason)
  expect(told).toEqual([])
  first.resolve()
  await Promise.all([begun, last])
  expect(told).toEqual(['last'])
})

test('work that has begun is waited for although its caller gives up: it must say what it left behind', async () => {
  const turns = new OneAtATime()
  const stop = new AbortController()
  const work = Promise.withResolvers<string>()
  const run = turns.run('vm-1', () => work.promise, stop.signal)
  await Promise.resolve()
  stop.abort(new Error('enough'))
  work.resolve('done')
  expect(await run).toBe('done')
})
