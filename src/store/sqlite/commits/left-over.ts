import { readFileSync, rmSync } from 'node:fs'
import { DatabaseDamaged } from '../errors.ts'
import type { RevisionLog } from '../revision-log.ts'
import { blockSize, type CommitRecord, recordAt } from './record.ts'
import { belonging } from './segment.ts'
import { segmentFiles } from './segment-files.ts'
import { appendRecords } from './take-in.ts'

/**
 * Moves what an earlier process had acknowledged and not moved itself into the database, and removes its segments. A record that is
 * not whole was never acknowledged, unless others follow on it: then something was lost. Throws DatabaseDamaged, and has changed
 * nothing then.
 */
export function takeInLeftOver(log: RevisionLog, database: string, installation: string): void {
  const files = segmentFiles(database)
  if (files.length === 0) return
  const { newest } = log
  const records: CommitRecord[] = []
  for (const file of files) {
    const bytes = readFileSync(file)
    const why = strangenessOf(bytes, database, installation)
    if (why !== undefined) throw DatabaseDamaged({ file, why })
    records.push(...wholeRecords(bytes).filter(({ lastRevision }) => lastRevision > newest))
  }
  const inOrder = records.toSorted((a, b) => a.firstRevision - b.firstRevision)
  appendRecords(log, inOrder, why => DatabaseDamaged({ file: database, why }))
  for (const file of files) rmSync(file)
}

function strangenessOf(bytes: Buffer, database: string, installation: string): string | undefined {
  switch (belonging(bytes, installation)) {
    case 'none':
      return 'it is not a log of commits that this version can read'
    case 'foreign':
      return `it belongs to another database than ${database}; move it away, for it may hold what was written last`
    default:
      return undefined
  }
}

/** Every whole record, wherever it begins: a segment that was written anew has old ones behind its last one. */
function wholeRecords(bytes: Buffer): CommitRecord[] {
  const records: CommitRecord[] = []
  for (let at = blockSize; at < bytes.length;) {
    const record = recordAt(bytes, at)
    if (record !== undefined) records.push(record)
    at = record?.end ?? at + blockSize
  }
  return records
}
