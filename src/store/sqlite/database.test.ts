import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openStore } from '../testing/sqlite.ts'
import { temporaryFolder } from '../testing/temporary-folder.ts'
import { connect, scalar, transaction } from './database.ts'

test('a database has the settings on which its speed and its durability rest', async () => {
  const folder = temporaryFolder()
  await (await openStore(folder)).close()
  const database = connect(join(folder, 'aviary.db'))
  const full = 2
  const incremental = 2
  expect(scalar(database, 'PRAGMA journal_mode')).toBe('wal')
  expect(scalar(database, 'PRAGMA synchronous')).toBe(full)
  expect(scalar(database, 'PRAGMA page_size')).toBe(8192)
  expect(scalar(database, 'PRAGMA auto_vacuum')).toBe(incremental)
  database.close()
})

test('what is done in a transaction that fails is not done', async () => {
  const folder = temporaryFolder()
  await (await openStore(folder)).close()
  const database = connect(join(folder, 'aviary.db'))
  const attempt = () =>
    transaction(database, () => {
      database.exec("INSERT INTO meta VALUES ('a', '1')")
      throw new Error('changed my mind')
    })
  expect(attempt).toThrow('changed my mind')
  expect(scalar(database, "SELECT count(*) FROM meta WHERE name = 'a'")).toBe(0)
  database.close()
})
