import { chmodSync, rmSync } from 'node:fs'
import { SqliteDatabase } from './database.ts'
import { giveName } from './give-name.ts'

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
