import { readdirSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'

/** The name of a segment, after the database that it belongs to. */
export function segmentFile(database: string, number: number): string {
  return `${database}-commits-${number}`
}

/** The segments beside a database, in no order. */
export function segmentFiles(database: string): readonly string[] {
  const folder = dirname(database)
  const start = segmentFile(basename(database), 0).slice(0, -1)
  return readdirSync(folder)
    .filter(name => name.startsWith(start) && /^\d+$/.test(name.slice(start.length)))
    .map(name => join(folder, name))
}
