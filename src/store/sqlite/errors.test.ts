import { expect, test } from 'vitest'
import { DatabaseUnreadable, explanationOf, FolderInUse } from './errors.ts'

const place = { folder: 'data', file: 'data/aviary.db' }

/** As SQLite's own: the upper byte says more exactly what failed. */
const ofSqlite = (code: number) => Object.assign(new Error('told by SQLite'), { code: 'ERR_SQLITE_ERROR', errcode: code | 0x100 })
const ofSystem = (code: string) => Object.assign(new Error('told by the system'), { code })

test.each([
  { what: 'another process has the file', error: ofSqlite(5), code: 'STORE_FOLDER_IN_USE' },
  { what: 'SQLite found the disk full', error: ofSqlite(13), code: 'STORE_FOLDER_FULL' },
  { what: 'the system found the disk full', error: ofSystem('ENOSPC'), code: 'STORE_FOLDER_FULL' },
  { what: 'SQLite may not write', error: ofSqlite(8), code: 'STORE_FOLDER_NOT_WRITABLE' },
  { what: 'the system does not let it write', error: ofSystem('EROFS'), code: 'STORE_FOLDER_NOT_WRITABLE' },
  { what: 'the disk failed under SQLite', error: ofSqlite(10), code: 'STORE_DATABASE_UNREADABLE' },
  { what: 'the disk failed', error: ofSystem('EIO'), code: 'STORE_DATABASE_UNREADABLE' },
  { what: 'the pages make no sense', error: ofSqlite(11), code: 'STORE_DATABASE_DAMAGED' },
  { what: 'it is no database', error: ofSqlite(26), code: 'STORE_DATABASE_DAMAGED' },
])('$what: $code', ({ error, code }) => {
  expect(explanationOf(error, place)).toMatchObject({ code, cause: error })
})

test('an error of the disk is told apart from damage of the file', () => {
  expect(DatabaseUnreadable.is(explanationOf(ofSystem('EIO'), place))).toBe(true)
  expect(DatabaseUnreadable.is(explanationOf(ofSqlite(11), place))).toBe(false)
})

test('what is explained already stays as it is, and a defect is not taken for damage', () => {
  const explained = FolderInUse({ folder: 'data', owner: 'somebody' })
  expect(explanationOf(explained, place)).toBe(explained)
  expect(explanationOf(new TypeError('a defect'), place)).toBeUndefined()
  expect(explanationOf(ofSqlite(1), place)).toBeUndefined()
  expect(explanationOf('not even an error', place)).toBeUndefined()
})
