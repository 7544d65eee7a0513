import { closeSync, fdatasync, fdatasyncSync, openSync } from 'node:fs'
import { promisify } from 'node:util'
import { type Database, scalar } from './database.ts'

/** The write-ahead log of a database, as far as its way to the disk goes. */
export interface WriteAheadLog {
  /** Returns when everything that was committed is on the disk. Throws if the disk fails. */
  sync(): void
  /** The same without waiting here. */
  syncLater(): Promise<void>
  close(): void
}

/**
 * The log of an open database, which stays the same file until its last connection is closed. SQLite itself would call fsync,
 * which also waits until the file's time of change is recorded, and with it for whatever else the file system has under way:
 * milliseconds on a busy disk, where fdatasync takes a tenth of one. And it would always wait here.
 */
export function writeAheadLog(database: Database, file: string): WriteAheadLog {
  // Reading something makes sure that the log exists.
  scalar(database, 'SELECT count(*) FROM meta')
  const descriptor = openSync(`${file}-wal`, 'r+')
  return {
    sync: () => fdatasyncSync(descriptor),
    syncLater: () => syncInTheBackground(descriptor),
    close: () => closeSync(descriptor),
  }
}

const syncInTheBackground = promisify(fdatasync)
