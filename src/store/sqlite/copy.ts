import { chmodSync } from 'node:fs'
import { type Database, SqliteDatabase } from './database.ts'
import { removeDatabase } from './files.ts'

/**
 * Copies a database that is in use, through SQLite's own backup API, to a file that must not have its final name yet. The copy is marked
 * as a backup, so that a store that opens it knows that clients may have seen a later state: see `startAfresh`.
 */
export async function copyDatabase(database: Database, file: string): Promise<void> {
  removeDatabase(file)
  await database.backup(file)
  const copy = new SqliteDatabase(file)
  try {
    copy.exec("PRAGMA journal_mode = DELETE; INSERT OR REPLACE INTO meta VALUES ('backup', 'yes')")
  } finally {
    copy.close()
  }
  chmodSync(file, 0o600)
}
