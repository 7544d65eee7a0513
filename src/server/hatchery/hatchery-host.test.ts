import { expect, test } from 'vitest'
import { prometheusMetrics, recordingLog, seededChance, VirtualClock } from '../../ports/index.ts'
import type { ControllerContext } from '../../control/index.ts'
import type { Hatchery } from '../../hatchery/index.ts'
import { HatcheryHost, type HatcheryWithGround } from './hatchery-host.ts'

/** A host of hatcheries that end when the test says so. */
function host() {
  const clock = new VirtualClock()
  const log = recordingLog()
  const made: { fail(error: Error): void; readonly events: string[] }[] = []
  const hatcheryHost = new HatcheryHost(async () => {
    const events: string[] = []
    const { promise: ended, resolve, reject } = Promise.withResolvers<void>()
    ended.catch(() => {})
    made.push({ fail: reject, events })
    const stop = async () => {
      events.push('stopped')
      resolve()
    }
    const start = async () => void events.push('started')
    const ground: HatcheryWithGround = {
      hatchery: { ended, stop } as unknown as Hatchery,
      operations: () => [],
      start,
      [Symbol.asyncDispose]: async () => void events.push('ground gone'),
    }
    return ground
  })
  const context = { clock, log, chance: seededChance(1), metrics: prometheusMetrics() } as unknown as ControllerContext
  return { clock, log, made, hatcheryHost, running: hatcheryHost.controller.start(context) }
}

test('a hatchery runs until the program stops, and what it stands on ends after it', async () => {
  const { clock, made, hatcheryHost, running } = host()
  await clock.advance(1000)
  expect(made).toHaveLength(1)
  expect(hatcheryHost.current).toBeDefined()
  await running.stop({ within: 1000 })
  expect(made[0]!.events).toEqual(['started', 'stopped', 'stopped', 'ground gone'])
  expect(hatcheryHost.current).toBeUndefined()
  await clock.advance(600_000)
  expect(made).toHaveLength(1)
})

test('a hatchery that CDS turns away is told, and begun again after a pause', async () => {
  const { clock, log, made, hatcheryHost, running } = host()
  await clock.advance(1000)
  made[0]!.fail(new Error('CDS says no'))
  await clock.advance(1000)
  expect(await hatcheryHost.failed).toMatchObject({ message: 'CDS says no' })
  expect(hatcheryHost.current).toBeUndefined()
  expect(made[0]!.events.at(-1)).toBe('ground gone')
  expect(log.lines.map(({ message }) => message)).toContain('the hatchery has come to an end; it is begun again')
  await clock.advance(50_000)
  expect(made).toHaveLength(1)
  await clock.advance(10_000)
  expect(made).toHaveLength(2)
  expect(hatcheryHost.current).toBeDefined()
  await running.stop({ within: 1000 })
})
