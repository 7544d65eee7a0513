import { expect, test } from 'vitest'
import { calmLog } from './calm-log.ts'
import { failure } from './failure.ts'
import { recordingLog } from './recording-log.ts'
import { VirtualClock } from './virtual-clock.ts'

const DiskFull = failure('DISK_FULL', () => ({ message: 'the disk is full' }))
const Away = failure('AWAY', () => ({ message: 'the server is away' }))

function world() {
  const clock = new VirtualClock()
  const lines = recordingLog()
  return { clock, lines: lines.lines, log: calmLog(lines, clock) }
}

test('a warning or an error is written ten times a minute at most, however many say it', async () => {
  const { clock, lines, log } = world()
  for (let job = 0; job < 1000; job++) log.with({ job }).warn('a job could not be written down', { error: DiskFull({}) })
  expect(lines).toHaveLength(10)
  expect(lines[9]!.fields).toMatchObject({ job: 9 })
  await clock.advance(60_000)
  expect(lines.slice(10)).toEqual([
    {
      level: 'warn',
      message: 'a job could not be written down',
      fields: { error: { code: 'DISK_FULL', message: 'the disk is full' }, leftOut: 990 },
    },
  ])
  log.warn('a job could not be written down', { error: DiskFull({}) })
  expect(lines).toHaveLength(12)
})

test('what differs in its words or in the cause is written all the same', () => {
  const { lines, log } = world()
  for (let time = 0; time < 50; time++) {
    log.warn('work failed', { error: DiskFull({}) })
    log.warn('work failed', { error: Away({}) })
    log.error('work failed for good')
  }
  expect(lines).toHaveLength(30)
})

test('nothing is told of a minute in which nothing was left out', async () => {
  const { clock, lines, log } = world()
  for (let time = 0; time < 10; time++) log.error('a defect')
  await clock.advance(120_000)
  expect(lines).toHaveLength(10)
})

test('what went well is never left out', () => {
  const { lines, log } = world()
  for (let time = 0; time < 50; time++) log.info('a VM is ready')
  expect(lines).toHaveLength(50)
})
