import { getEventListeners } from 'node:events'
import { setImmediate as turn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { aborted, unlessAborted } from './abort.ts'

const reason = new Error('stopped')

test('work is waited for until the signal is aborted, and nothing stays behind on the signal', async () => {
  const { signal } = new AbortController()
  expect(await unlessAborted(Promise.resolve(1), signal)).toBe(1)
  await expect(unlessAborted(Promise.reject(new Error('failed')), signal)).rejects.toThrow('failed')
  await turn()
  expect(getEventListeners(signal, 'abort')).toEqual([])
  expect(await unlessAborted(Promise.resolve(2), undefined)).toBe(2)
})

test.each(['before', 'meanwhile'])('who stops waiting %s gets the reason, and how the work fails later harms nobody', async when => {
  const unhandled: unknown[] = []
  const note = (error: unknown) => unhandled.push(error)
  process.on('unhandledRejection', note)
  const controller = new AbortController()
  const work = Promise.withResolvers<never>()
  if (when === 'before') controller.abort(reason)
  const waiting = unlessAborted(work.promise, controller.signal)
  controller.abort(reason)
  await expect(waiting).rejects.toBe(reason)
  work.reject(new Error('too late'))
  await turn()
  process.off('unhandledRejection', note)
  expect(unhandled).toEqual([])
})

test('a signal is awaited, also one that is aborted already', async () => {
  const controller = new AbortController()
  const waiting = aborted(controller.signal)
  controller.abort()
  await waiting
  await aborted(controller.signal)
  expect(controller.signal.aborted).toBe(true)
})
