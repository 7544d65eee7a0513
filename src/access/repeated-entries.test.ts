import { expect, test } from 'vitest'
import { VirtualClock } from '../ports/index.ts'
import type { AuditEntry } from './access.ts'
import { RepeatedEntries } from './repeated-entries.ts'

function entry(more: Partial<AuditEntry>): AuditEntry {
  return {
    id: '',
    user: '',
    groups: [],
    attempt: { verb: 'get', path: '/api' },
    sourceAddress: '10.0.0.1',
    userAgent: '',
    status: 401,
    durationMilliseconds: 1,
    ...more,
  }
}

function setUp() {
  const clock = new VirtualClock({ start: 0 })
  const written: AuditEntry[] = []
  return { clock, written, entries: new RepeatedEntries(clock, one => written.push(one)) }
}

test('the first refusal of an address is written at once, the others of a minute as one with their number', async () => {
  const { clock, written, entries } = setUp()
  for (let i = 0; i < 800; i++) entries.add(entry({ id: String(i) }))
  expect(written).toEqual([entry({ id: '0' })])
  await clock.advance(60_000)
  expect(written.slice(1)).toEqual([entry({ id: '799', repeated: 799 })])
  entries.add(entry({ id: 'later' }))
  expect(written.at(-1)).toEqual(entry({ id: 'later' }))
})

test('what came once is not written again', async () => {
  const { clock, written, entries } = setUp()
  entries.add(entry({}))
  await clock.advance(60_000)
  expect(written).toHaveLength(1)
})

test.each([
  ['another address', { sourceAddress: '10.0.0.2' }],
  ['another outcome', { status: 400 }],
  ['somebody who is known', { user: 'ann', status: 403 }],
])('%s is told apart', (_, more) => {
  const { written, entries } = setUp()
  entries.add(entry({}))
  entries.add(entry({ id: 'other', ...more }))
  expect(written.map(({ id }) => id)).toEqual(['', 'other'])
})

test('what somebody who is known does is written each time, but that they have to wait is counted', () => {
  const { written, entries } = setUp()
  for (let i = 0; i < 3; i++) entries.add(entry({ user: 'ann', status: 200 }))
  for (let i = 0; i < 3; i++) entries.add(entry({ user: 'ann', status: 429 }))
  entries.close()
  expect(written.map(({ status, repeated }) => [status, repeated])).toEqual([
    [200, undefined],
    [200, undefined],
    [200, undefined],
    [429, undefined],
    [429, 2],
  ])
})

test('strangers who ask for what is open to all are counted, too', () => {
  const { written, entries } = setUp()
  for (let i = 0; i < 3; i++) entries.add(entry({ user: 'system:anonymous', status: 200 }))
  expect(written).toHaveLength(1)
})

test('a crowd from everywhere makes a bounded number of lines, and nobody of it is lost', () => {
  const { written, entries } = setUp()
  for (let i = 0; i < 10_000; i++) entries.add(entry({ sourceAddress: `10.0.${i >> 8}.${i & 255}` }))
  entries.close()
  expect(written.length).toBeLessThan(300)
  expect(written.reduce((sum, { repeated = 1 }) => sum + repeated, 0)).toBe(10_000)
})
