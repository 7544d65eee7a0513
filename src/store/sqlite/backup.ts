import { chmodSync, renameSync, rmSync } from 'node:fs'
import { resolve } from 'node:path'
import { backup as copyDatabase } from 'node:sqlite'
import { SqliteDatabase } from './database.ts'
import { BackupNotWritten } from './errors.ts'
import { syncFile, syncFolderOf } from './sync-file.ts'

/** Pages copied before writers get their turn again: under a millisecond of disk each time. */
const pagesAtOnce = 256

/**
 * Copies a database while it is in use, to a file that appears under its name only when it is complete. What was acknowledged
 * before is in it. Rejects with BackupNotWritten.
 */
export async function backup(database: SqliteDatabase, source: string, target: string): Promise<void> {
  const file = resolve(target)
  const unfinished = `${file}.unfinished`
  try {
    if (file === resolve(source)) throw new Error('it is the database itself')
    removeDatabase(unfinished)
    await copyDatabase(database.handle, unfinished, { rate: pagesAtOnce })
    markAsBackup(unfinished)
    chmodSync(unfinished, 0o600)
    syncFile(unfinished)
    renameSync(unfinished, file)
    syncFolderOf(file)
  } catch (error) {
    removeDatabase(unfinished)
    throw BackupNotWritten({ file, why: error instanceof Error ? error.message : String(error) }, { cause: error })
  }
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

function removeDatabase(file: string): void {
  for (const suffix of ['', '-journal', '-wal', '-shm']) rmSync(`${file}${suffix}`, { force: true })
}
