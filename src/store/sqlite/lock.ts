import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { dirname, join } from 'node:path'
import { SqliteDatabase } from './database.ts'
import { FolderFull, FolderInUse, FolderNotWritable, isDiskFull, isLocked } from './errors.ts'
import { storeFiles } from './files.ts'

/** A data folder that belongs to this process until it is released or the process ends, however it ends. */
export interface FolderLock {
  /** Once it is released, doing so again does nothing. */
  release(): void
}

/**
 * Takes a data folder, which is made if it is missing. The lock is an exclusive transaction on a database of its own, because
 * the kernel takes that away even from a process that is killed, and no stale lock file remains to be judged.
 * Throws FolderInUse, FolderNotWritable or FolderFull.
 */
export function lockFolder(folder: string): FolderLock {
  const owner = join(folder, storeFiles.owner)
  let lock: SqliteDatabase | undefined
  try {
    makeFolders(folder)
    lock = new SqliteDatabase(join(folder, storeFiles.lock))
    lock.exec('BEGIN EXCLUSIVE')
    // Only for the message that a second process gets. Not in the lock itself: closing a file drops the locks on it.
    writeFileSync(owner, `process ${process.pid} on ${hostname()}`)
  } catch (error) {
    lock?.close()
    throw refusal(folder, owner, error)
  }
  let held: SqliteDatabase | undefined = lock
  const release = () => {
    held?.close()
    held = undefined
  }
  return { release }
}

/** Not Node's recursive mkdir: where the system answers "not found" for good, as below /proc, that one tries for ever. */
function makeFolders(path: string): void {
  if (existsSync(path)) return
  makeFolders(dirname(path))
  // For its owner only: what is kept there includes secrets.
  mkdirSync(path, { mode: 0o700 })
}

function refusal(folder: string, owner: string, error: unknown): Error {
  if (isLocked(error)) return FolderInUse({ folder, owner: ownerIn(owner) })
  if (isDiskFull(error)) return FolderFull({ folder }, { cause: error })
  if ((error as { code?: unknown }).code === 'ENOTDIR' || isFile(folder))
    return FolderNotWritable({ folder, why: 'a file is in its place' }, { cause: error })
  return FolderNotWritable({ folder, why: error instanceof Error ? error.message : String(error) }, { cause: error })
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true
}

function ownerIn(file: string): string {
  try {
    return readFileSync(file, 'utf8') || 'another process'
  } catch {
    return 'another process'
  }
}
