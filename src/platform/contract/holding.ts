import { describe, expect, test } from 'vitest'
import type { Bench } from './subject.ts'

/** What is promised about tasks that take long. */
export function holding(theBench: () => Bench): void {
  describe('a task that does not end', () => {
    test('is called off when the caller of clone gives up, and makes nothing', async () => {
      const { platform, world, name, request } = theBench()
      const chosen = name('aborted')
      const stop = new AbortController()
      const reason = new Error('given up')
      world.holdNext!('clone')
      const made = platform.clone(request(chosen), stop.signal)
      const outcome = made.then(
        () => 'made',
        (error: unknown) => error,
      )
      await underWay(theBench(), chosen)
      stop.abort(reason)
      expect(await world.settle(outcome)).toBe(reason)
      expect(await world.runningTasks()).toBe(0)
      expect(await world.named(chosen)).toEqual([])
    })

    test('is called off when the caller of powerOn gives up', async () => {
      const { platform, world, vm } = theBench()
      const { id } = await vm('held')
      const stop = new AbortController()
      world.holdNext!('powerOn')
      const outcome = platform.powerOn(id, stop.signal).catch((error: unknown) => error)
      await underWay(theBench(), id)
      stop.abort(new Error('given up'))
      expect(await world.settle(outcome)).toBe(stop.signal.reason)
      expect(await world.runningTasks()).toBe(0)
    })

    test('is shown, with when it began', async () => {
      const { platform, world, name, request } = theBench()
      const chosen = name('watched')
      const stop = new AbortController()
      world.holdNext!('clone')
      const outcome = platform.clone(request(chosen), stop.signal).catch(() => undefined)
      await underWay(theBench(), chosen)
      const task = platform.tasks().find(each => each.state === 'running' && each.target.includes(chosen))
      expect(task).toMatchObject({ problem: undefined })
      expect(task!.since).toBeGreaterThan(0)
      stop.abort(new Error('enough'))
      await world.settle(outcome)
    })
  })
}

/** Resolves when the platform shows a task on the name or VM. */
async function underWay({ platform, world }: Bench, target: string): Promise<void> {
  for (let tries = 0; tries < 300; tries++) {
    if (platform.tasks().some(task => task.state === 'running' && task.target.includes(target))) return
    await world.pass(100)
  }
  throw new Error(`no task on ${target} is shown`)
}
