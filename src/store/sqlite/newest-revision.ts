import { type Database, scalar } from './database.ts'

/** The last revision that a database knows of, even if its row was removed since; undefined if its table meta is damaged. */
export function newestRevision(database: Database): number | undefined {
  const compacted = Number(scalar(database, "SELECT value FROM meta WHERE name = 'compacted'"))
  if (!Number.isSafeInteger(compacted) || compacted < 1) return undefined
  return Math.max(compacted, Number(scalar(database, 'SELECT max(rv) FROM revision') ?? 0))
}
