import { realpathSync } from 'node:fs'
import { basename, dirname, resolve } from 'node:path'
import { backup as copyDatabase } from 'node:sqlite'
import { finishCopy, removeDatabase } from './copy-file.ts'
import type { SqliteDatabase } from './database.ts'
import { BackupNotWritten, FolderFileTaken } from './errors.ts'
import { isStoreFile } from './store-files.ts'

/** Pages copied before writers get their turn again: under a millisecond of disk each time. */
const pagesAtOnce = 256

/**
 * Copies a database while it is in use, to a file that appears under its name only when it is complete. What was acknowledged
 * before is in it. Rejects with BackupNotWritten, or FolderFileTaken if the store itself lives there.
 */
export async function backup(database: SqliteDatabase, source: string, target: string): Promise<void> {
  const file = resolve(target)
  const unfinished = `${file}.unfinished`
  try {
    if (isOfStore(file, source)) throw FolderFileTaken({ file })
    removeDatabase(unfinished)
    await copyDatabase(database.handle, unfinished, { rate: pagesAtOnce })
    finishCopy(unfinished, file)
  } catch (error) {
    if (FolderFileTaken.is(error)) throw error
    removeDatabase(unfinished)
    throw BackupNotWritten({ file, why: error instanceof Error ? error.message : String(error) }, { cause: error })
  }
}

/** Whatever way leads to it: the folder may have several names. */
function isOfStore(file: string, source: string): boolean {
  return isStoreFile(basename(file)) && realpathSync(dirname(file)) === realpathSync(dirname(source))
}
