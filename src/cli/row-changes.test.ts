import { expect, test } from 'vitest'
import { rowChanges } from './row-changes.ts'

const rows = { nameOf: (row: { name: string }) => row.name, whenGone: (row: { name: string }) => ({ ...row, status: 'gone' }) }
const worker = (name: string, status = 'Building') => ({ name, status })

test('who watches sees what comes, what changes and what goes, and nothing twice', () => {
  const before = [worker('pipit'), worker('raven'), worker('crane')]
  const now = [worker('raven', 'Disabled'), worker('crane'), worker('teal', 'Pending')]
  expect(rowChanges(before, now, rows)).toEqual([worker('pipit', 'gone'), worker('raven', 'Disabled'), worker('teal', 'Pending')])
  expect(rowChanges(now, now, rows)).toEqual([])
})

test('rows of a table in which nothing comes and goes are not said to be gone', () => {
  expect(rowChanges([worker('pipit')], [], { nameOf: rows.nameOf })).toEqual([])
})
