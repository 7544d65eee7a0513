import { closeSync, fsyncSync, openSync, renameSync } from 'node:fs'
import { dirname } from 'node:path'

/** Gives a file that is complete its name. Both are on the disk when this returns: first the content, then the name. */
export function giveName(unfinished: string, file: string): void {
  sync(unfinished)
  renameSync(unfinished, file)
  sync(dirname(file))
}

function sync(path: string): void {
  const descriptor = openSync(path, 'r')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}
