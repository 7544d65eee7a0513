import { chmodSync, renameSync, rmSync } from 'node:fs'
import type { Database } from './database.ts'
import { syncFile, syncFolderOf } from './sync-file.ts'

/** Copies a database to another file before something irreversible is done to it. The copy is complete or not there. */
export function putAside(database: Database, copy: string): void {
  const unfinished = `${copy}.unfinished`
  rmSync(unfinished, { force: true })
  database.prepare('VACUUM INTO ?').run(unfinished)
  chmodSync(unfinished, 0o600)
  syncFile(unfinished)
  renameSync(unfinished, copy)
  syncFolderOf(copy)
}
