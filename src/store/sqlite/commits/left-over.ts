import { readFileSync, rmSync } from 'node:fs'
import { DatabaseDamaged } from '../errors.ts'
import type { RevisionLog } from '../revision-log.ts'
import { blockSize, type CommitRecord, recordAt } from './record.ts'
import { type Belonging, belonging } from './segment.ts'
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
  const records: CommitRecord[] = []
  for (const file of files) {
    const bytes = readFileSync(file)
    const strange = strangeness[belonging(bytes, installation)]
    if (strange !== undefined) throw DatabaseDamaged({ file, why: strange })
    records.push(...wholeRecords(bytes))
  }
  const inOrder = records.toSorted((a, b) => a.firstRevision - b.firstRevision)
  appendRecords(log, inOrder, why => DatabaseDamaged({ file: database, why }))
  for (const file of files) rmSync(file)
}

/** Why a file is not touched. */
const strangeness: Readonly<Record<Belonging, string | undefined>> = {
  own: undefined,
  unfinished: undefined,
  foreign: 'it is the log of another database than the one beside it, and may hold what was written last to that',
  none: 'it is not a log of commits that this version can read',
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
