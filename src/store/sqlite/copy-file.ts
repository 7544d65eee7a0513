import { chmodSync, rmSync } from 'node:fs'
import { type Database, SqliteDatabase } from './database.ts'
import { giveName } from './give-name.ts'

/** Writes a database, as it is just now, to a file that is not there yet. Others may write meanwhile. */
export function writeCopy(database: Database, file: string): void {
  database.prepare('VACUUM INTO ?').run(file)
}

/** Gives a copy of a database, which is complete now, its own name. */
export function finishCopy(unfinished: string, file: string): void {
  markAsBackup(unfinished)
  chmodSync(unfinished, 0o600)
  giveName(unfinished, file)
}

/** So that a store that is opened from the copy knows that others may have seen a later state: see `startAfresh`. */
function markAsBackup(file: string): void {
  const copy = new SqliteDatabase(file)
  try {
    copy.exec("PRAGMA journal_mode = DELETE; INSERT OR REPLACE INTO meta VALUES ('backup', 'yes')")
  } finally {
    copy.close()
  }
}

/** Removes a database with all that SQLite keeps beside it. */
export function removeDatabase(file: string): void {
  for (const suffix of ['', '-journal', '-wal', '-shm']) rmSync(`${file}${suffix}`, { force: true })
}
