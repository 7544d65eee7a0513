import { expect, test } from 'vitest'
import { jsonLog } from './log.ts'
import { nearest, textLine } from './text.ts'
import { VirtualClock } from './virtual-clock.ts'

test.each([
  [{}, ''],
  [{ nest: 'a', eggs: 3, warm: true }, ' nest=a eggs=3 warm=true'],
  [{ why: 'the tree fell' }, ' why="the tree fell"'],
  [{ why: 'two\nlines', empty: '', odd: 'a=b' }, String.raw` why="two\nlines" empty="" odd="a=b"`],
  [{ error: Object.assign(new Error('gone'), { stack: undefined }) }, ' error={"message":"gone"}'],
])('a line for a terminal with %j', (fields, rest) => {
  const written: string[] = []
  const log = jsonLog({ level: 'info', clock: new VirtualClock({ start: 1_794_784_903_125 }), write: line => written.push(textLine(line)) })
  log.info('hatched at last', fields)
  expect(written).toEqual([`23:21:43 info  hatched at last${rest}\n`])
})

test.each([
  ['lisen', 'listen'],
  ['datadir', 'dataDir'],
  ['data_dir', 'dataDir'],
  ['tsl', 'tls'],
  ['Listen', 'listen'],
  ['colour', undefined],
  ['x', undefined],
])('%s was meant to be %s', (typed, meant) => {
  expect(nearest(typed, ['listen', 'dataDir', 'tls', 'url'])).toBe(meant)
})
