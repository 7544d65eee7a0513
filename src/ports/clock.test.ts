import { spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { DeadlineExceeded } from './errors.ts'
import { realClock } from './clock.ts'

const clock = realClock()

test('time goes on, and the monotonic time never goes back', async () => {
  const [wall, monotonic] = [clock.now(), clock.monotonic()]
  await clock.sleep(5)
  expect(clock.now()).toBeGreaterThanOrEqual(wall)
  expect(clock.monotonic()).toBeGreaterThan(monotonic)
  expect(Math.abs(clock.now() - Date.now())).toBeLessThan(60_000)
})

test('a timer runs once, unless it is called off', async () => {
  const ran: string[] = []
  clock.after(1, () => ran.push('kept'))
  clock.after(1, () => ran.push('called off')).cancel()
  await clock.sleep(20)
  expect(ran).toEqual(['kept'])
})

test('a timer of more than 24.8 days does not run at once, as it would with setTimeout alone', async () => {
  const ran: string[] = []
  const timer = clock.after(2 ** 31, () => ran.push('too early'))
  await clock.sleep(20)
  timer.cancel()
  expect(ran).toEqual([])
})

test('what is asked for soon runs after the promises that are waiting', async () => {
  const ran: string[] = []
  await new Promise<void>(resolve => {
    clock.soon(() => resolve(void ran.push('soon')))
    void Promise.resolve().then(() => ran.push('promise'))
  })
  expect(ran).toEqual(['promise', 'soon'])
})

test('a sleep ends with the reason of its signal', async () => {
  const stop = new AbortController()
  const slept = clock.sleep(60_000, stop.signal)
  stop.abort(new Error('enough'))
  await expect(slept).rejects.toThrow('enough')
})

test('a deadline aborts its signal', async () => {
  using deadline = clock.deadline(1)
  await new Promise(resolve => deadline.signal.addEventListener('abort', resolve))
  expect(DeadlineExceeded.is(deadline.signal.reason)).toBe(true)
})

test('a sleep keeps the process alive; timers and deadlines do not', () => {
  const script = `
    import { realClock } from ${JSON.stringify(new URL('clock.ts', import.meta.url).href)}
    const clock = realClock()
    clock.after(600_000, () => console.log('timer'))
    clock.deadline(600_000)
    clock.sleep(20).then(() => console.log('slept'))
  `
  const { stdout, status } = spawnSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8', timeout: 15_000 })
  expect({ stdout, status }).toEqual({ stdout: 'slept\n', status: 0 })
})
