import { renameSync } from 'node:fs'
import { dirname } from 'node:path'
import { syncPath } from './sync-path.ts'

/** Gives a file that is complete its name. Both are on the disk when this returns: first the content, then the name. */
export function giveName(unfinished: string, file: string): void {
  syncPath(unfinished)
  renameSync(unfinished, file)
  syncPath(dirname(file))
}
