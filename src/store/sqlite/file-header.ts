import { closeSync, openSync, readSync, statSync } from 'node:fs'

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

/** Whether a file is a complete backup. A data directory's own database is not one: its header names a write-ahead log. */
export function isBackup(file: string): boolean {
  if (statSync(file, { throwIfNoEntry: false })?.isFile() !== true) return false
  const header = readHeader(file)
  return header.state === 'database' && header.applicationId === applicationId && !header.writeAhead
}

/** Looks at a file without SQLite, which would start to recover and change it. */
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
