import { finishCopy, removeDatabase, writeCopy } from './copy-file.ts'
import type { Database } from './database.ts'

/**
 * Copies a database to another file before something irreversible is done to it. The copy is complete or not there, and a backup
 * like any other: whoever goes back to it goes on beyond what others have seen since.
 */
export function putAside(database: Database, copy: string): void {
  const unfinished = `${copy}.unfinished`
  removeDatabase(unfinished)
  writeCopy(database, unfinished)
  finishCopy(unfinished, copy)
}
