import { existsSync, realpathSync } from 'node:fs'
import { basename, dirname, resolve } from 'node:path'
import { BackupNotWritten, BackupTargetNotBackup, FolderFileTaken } from './errors.ts'
import { commitRename, isBackup, isStoreFile, removeDatabase } from './files.ts'

/**
 * Has `copy` write a backup of the database `source`, which appears under its name only when it is complete. Rejects with
 * BackupNotWritten, FolderFileTaken if the target is one of the store's own files, or BackupTargetNotBackup.
 */
export async function backup(source: string, target: string, copy: (to: string) => Promise<void>): Promise<void> {
  const file = resolve(target)
  const unfinished = `${file}.unfinished`
  try {
    if (isOfStore(file, source)) throw FolderFileTaken({ file })
    if (existsSync(file) && !isBackup(file)) throw BackupTargetNotBackup({ file })
    await copy(unfinished)
    commitRename(unfinished, file)
  } catch (error) {
    if (FolderFileTaken.is(error) || BackupTargetNotBackup.is(error)) throw error
    removeDatabase(unfinished)
    throw BackupNotWritten({ file, why: error instanceof Error ? error.message : String(error) }, { cause: error })
  }
}

/** Whatever path leads to it: the folder may have several. */
function isOfStore(file: string, source: string): boolean {
  return isStoreFile(basename(file)) && realpathSync(dirname(file)) === realpathSync(dirname(source))
}
