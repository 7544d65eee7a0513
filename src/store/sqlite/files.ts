import { closeSync, fsyncSync, openSync, readdirSync, readSync, renameSync, rmSync, statSync } from 'node:fs'
import { dirname } from 'node:path'

/** What a store keeps in its data folder. This file does not import SQLite: the CLI uses it without an engine. */
export const storeFiles = { database: 'aviary.db', lock: 'lock', owner: 'lock.owner', acceptLoss: 'accept-data-loss' } as const

/** Whether a name in a data folder is the store's own: its database with the files beside it, or its lock. */
export function isStoreFile(name: string): boolean {
  return name.startsWith(storeFiles.database) || /^lock(?:-journal|\.owner)?$/.test(name)
}

/** Says "Avry" in the header of every database that Aviary makes, so that no other program's file is taken for ours. */
export const applicationId = 0x41_76_72_79

/** What the first bytes of a database file say about it. */
export type FileHeader =
  | { readonly state: 'missing' | 'empty' | 'garbage' }
  | {
      readonly state: 'database'
      readonly applicationId: number
      readonly format: number
      /** Whether it was last used with a write-ahead log, as a store does; a fresh file and a backup were not. */
      readonly writeAhead: boolean
    }

/** Reads the header without SQLite, which would start to recover the file and change it. */
export function readHeader(file: string): FileHeader {
  const bytes = Buffer.alloc(100)
  let length: number
  try {
    const descriptor = openSync(file, 'r')
    try {
      length = readSync(descriptor, bytes, 0, 100, 0)
    } finally {
      closeSync(descriptor)
    }
  } catch (error) {
    if ((error as { code?: unknown }).code === 'ENOENT') return { state: 'missing' }
    throw error
  }
  if (length === 0) return { state: 'empty' }
  if (length < 100 || bytes.toString('latin1', 0, 16) !== 'SQLite format 3\0') return { state: 'garbage' }
  return { state: 'database', applicationId: bytes.readInt32BE(68), format: bytes.readInt32BE(60), writeAhead: bytes[18] === 2 }
}

/** Whether a file is a complete backup. A data directory's own database is not one: its header names a write-ahead log. */
export function isBackup(file: string): boolean {
  if (statSync(file, { throwIfNoEntry: false })?.isFile() !== true) return false
  const header = readHeader(file)
  return header.state === 'database' && header.applicationId === applicationId && !header.writeAhead
}

/** The size of a file; 0 if it is missing. */
export function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0
}

/** The names in a folder; none if it is missing. */
export function namesIn(folder: string): readonly string[] {
  return statSync(folder, { throwIfNoEntry: false }) === undefined ? [] : readdirSync(folder)
}

/** Renames a complete file to its final name. Content and name are on the disk when this returns, in this order. */
export function commitRename(unfinished: string, file: string): void {
  syncPath(unfinished)
  renameSync(unfinished, file)
  syncPath(dirname(file))
}

function syncPath(path: string): void {
  const descriptor = openSync(path, 'r')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

/** Removes a database with all that SQLite keeps beside it. */
export function removeDatabase(file: string): void {
  for (const suffix of ['', '-journal', '-wal', '-shm']) rmSync(`${file}${suffix}`, { force: true })
}
