import { closeSync, fsyncSync, openSync } from 'node:fs'
import { dirname } from 'node:path'

/** Makes sure that the content of a file is on the disk. */
export function syncFile(path: string): void {
  const descriptor = openSync(path, 'r')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

/** Makes sure that a file's name, after a rename, is on the disk. */
export function syncFolderOf(path: string): void {
  syncFile(dirname(path))
}
