import { expect, test } from 'vitest'
import { calmLog, jsonLog, type Log, type LogLevel, recordingLog, silentLog } from './log.ts'
import { failure } from './failure.ts'
import { VirtualClock } from './virtual-clock.ts'
import { spawnSync } from 'node:child_process'
import { Secret } from './secret.ts'
import { moduleText } from './testing/module-text.ts'

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

const NestGone = failure('NEST_GONE', ({ nest }: { nest: string; token: string }) => ({
  message: `nest ${nest} is gone`,
  fix: 'build another one',
}))

function linesOf(level: LogLevel, say: (log: Log) => void): Record<string, unknown>[] {
  const written: string[] = []
  say(jsonLog({ level, clock: new VirtualClock({ start: 1_794_784_903_125 }), write: line => written.push(line) }))
  return written.map(line => {
    expect(line.endsWith('}\n')).toBe(true)
    return JSON.parse(line) as Record<string, unknown>
  })
}

test('a line says level, time by the clock, fields and message', () => {
  expect(linesOf('info', log => log.info('hatched', { nest: 'a', eggs: 3 }))).toEqual([
    { level: 'info', time: '2026-11-15T23:21:43.125Z', nest: 'a', eggs: 3, msg: 'hatched' },
  ])
})

test.each([
  ['debug', ['debug', 'info', 'warn', 'error']],
  ['info', ['info', 'warn', 'error']],
  ['warn', ['warn', 'error']],
  ['error', ['error']],
  ['silent', []],
] as const)('level %s lets through %s', (level, through) => {
  const said = linesOf(level, log => {
    log.debug('d')
    log.info('i')
    log.warn('w')
    log.error('e')
  })
  expect(said.map(line => line['level'])).toEqual(through)
})

test('context goes with every line, and the nearest value of a name wins, once', () => {
  const written: string[] = []
  const log = jsonLog({ level: 'info', clock: new VirtualClock(), write: line => written.push(line) })
  log.with({ room: 'store', key: 'outer' }).with({ key: 'inner' }).info('said', { key: 'own' })
  log.info('plain')
  expect(JSON.parse(written[0] as string)).toMatchObject({ room: 'store', key: 'own' })
  expect(written[0]?.match(/"key"/g)).toHaveLength(1)
  expect(written[1]).not.toContain('store')
})

test('a field cannot take the place of what the line says by itself', () => {
  const [line] = linesOf('info', log => log.with({ level: 'x' }).info('message', { time: 'y', msg: 'z' }))
  expect(line).toMatchObject({ level: 'info', msg: 'message', level_: 'x', time_: 'y', msg_: 'z' })
})

test('a planned error shows code, message, fix and causes, but no details and no stack', () => {
  const error = NestGone({ nest: 'a', token: 'hidden' }, { cause: Object.assign(new Error('connection reset'), { code: 'ECONNRESET' }) })
  const [line] = linesOf('info', log => log.error('failed', { error, list: [{ error }] }))
  const shown = {
    code: 'NEST_GONE',
    message: 'nest a is gone',
    fix: 'build another one',
    cause: { code: 'ECONNRESET', message: 'connection reset' },
  }
  expect(line).toMatchObject({ error: shown, list: [{ error: shown }] })
  expect(line?.['error']).not.toHaveProperty('stack')
  expect(JSON.stringify(line)).not.toContain('hidden')
})

test('a bug shows where it is', () => {
  const [line] = linesOf('info', log => log.error('failed', { error: new TypeError('x is not a function') }))
  expect(line?.['error']).toMatchObject({ message: 'x is not a function', stack: expect.stringContaining('log.test.ts') })
})

test('a failure of several shows each', () => {
  const [line] = linesOf('info', log => log.error('failed', { error: new AggregateError([new Error('one'), new Error('two')], 'both') }))
  expect(line?.['error']).toMatchObject({ message: 'both', errors: [{ message: 'one' }, { message: 'two' }] })
})

test('any value can be logged, even what JSON cannot hold', () => {
  const circle: Record<string, unknown> = {}
  circle['self'] = circle
  const odd = {
    big: 2n ** 64n,
    no: undefined,
    bad: Number.NaN,
    set: new Set([1]),
    map: new Map([['a', 1]]),
    call: () => 1,
    bytes: new Uint8Array(3),
    circle,
  }
  const [line] = linesOf('info', log => log.info('odd', odd))
  expect(line).toMatchObject({ big: '18446744073709551616', bad: 'NaN', set: [1], map: { a: 1 }, bytes: '3 bytes' })
  expect(line).not.toHaveProperty('no')
  expect(line).not.toHaveProperty('call')
})

test('lines go to standard error unless told otherwise', () => {
  const script = `
    import { jsonLog } from ${moduleText('log.ts')}
    import { realClock } from ${moduleText('clock.ts')}
    jsonLog({ level: 'info', clock: realClock() }).info('said')
  `
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8', timeout: 15_000 })
  expect(stdout).toBe('')
  expect(JSON.parse(stderr)).toMatchObject({ level: 'info', msg: 'said' })
})

test('the recording log remembers lines with their context, as they would be printed', () => {
  const log = recordingLog()
  log.with({ room: 'store' }).warn('slow', { token: new Secret('hidden') })
  log.debug('plain')
  expect(log.lines).toEqual([
    { level: 'warn', message: 'slow', fields: { room: 'store', token: '***' } },
    { level: 'debug', message: 'plain', fields: {} },
  ])
})

test('the silent log takes everything and says nothing', () => {
  expect(() => silentLog.with({ a: 1 }).error('nobody hears', { b: 2 })).not.toThrow()
})
