import { existsSync, realpathSync } from 'node:fs'
import { basename, dirname, resolve } from 'node:path'
import { finishCopy, removeDatabase } from './copy-file.ts'
import { DatabaseKeeper } from './database-keeper.ts'
import { BackupNotWritten, BackupTargetNotBackup, FolderFileTaken } from './errors.ts'
import { isBackup } from './file-header.ts'
import { isStoreFile } from './store-files.ts'

/**
 * Copies a database while it is in use, to a file that appears under its name only when it is complete. What `settle` has put into
 * the database is in it. Rejects with BackupNotWritten, FolderFileTaken if the store itself lives there, or BackupTargetNotBackup.
 */
export async function backup(source: string, target: string, settle: () => Promise<void>): Promise<void> {
  const file = resolve(target)
  const unfinished = `${file}.unfinished`
  try {
    if (isOfStore(file, source)) throw FolderFileTaken({ file })
    if (existsSync(file) && !isBackup(file)) throw BackupTargetNotBackup({ file })
    removeDatabase(unfinished)
    await settle()
    await copy(source, unfinished)
    finishCopy(unfinished, file)
  } catch (error) {
    if (FolderFileTaken.is(error) || BackupTargetNotBackup.is(error)) throw error
    removeDatabase(unfinished)
    throw BackupNotWritten({ file, why: error instanceof Error ? error.message : String(error) }, { cause: error })
  }
}

/** On a thread of its own, so that neither those who write nor the store's own keeper wait for it. */
async function copy(source: string, unfinished: string): Promise<void> {
  const keeper = new DatabaseKeeper(source)
  try {
    await keeper.do({ do: 'copy', to: unfinished })
  } finally {
    await keeper.stop()
  }
}

/** Whatever way leads to it: the folder may have several names. */
function isOfStore(file: string, source: string): boolean {
  return isStoreFile(basename(file)) && realpathSync(dirname(file)) === realpathSync(dirname(source))
}
