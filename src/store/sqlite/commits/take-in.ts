import { closeSync, openSync, readFileSync, readSync, rmSync } from 'node:fs'
import { DatabaseDamaged } from '../errors.ts'
import type { RevisionLog } from '../revision-log.ts'
import { blockSize, type CommitRecord, recordAt } from './record.ts'
import { belonging } from './segment.ts'
import { segmentFiles } from './segment-files.ts'

/** Moves the records of a segment, which end at `end`, into the database. What is there already is left out. Throws DatabaseDamaged. */
export function takeIn(log: RevisionLog, file: string, end: number): void {
  const bytes = beginningOf(file, end)
  const records: CommitRecord[] = []
  for (let at = blockSize; at < end; at = records.at(-1)!.end) {
    const record = recordAt(bytes, at)
    if (record === undefined) throw DatabaseDamaged({ file, why: `the commit at byte ${at} is not what was written` })
    records.push(record)
  }
  append(log, file, records)
}

/**
 * Moves what an earlier process had acknowledged and not moved itself into the database, and removes its segments. A record that is
 * not whole was never acknowledged, unless others follow on it: then something was lost. Throws DatabaseDamaged, and has changed
 * nothing then.
 */
export function takeInLeftOver(log: RevisionLog, database: string, installation: string): void {
  const files = segmentFiles(database)
  const { newest } = log
  const records: CommitRecord[] = []
  for (const file of files) {
    const bytes = readFileSync(file)
    const why = strangenessOf(bytes, database, installation)
    if (why !== undefined) throw DatabaseDamaged({ file, why })
    records.push(...wholeRecords(bytes).filter(({ lastRevision }) => lastRevision > newest))
  }
  append(
    log,
    database,
    records.toSorted((a, b) => a.firstRevision - b.firstRevision),
  )
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

/** All of them or nothing. */
function append(log: RevisionLog, file: string, records: readonly CommitRecord[]): void {
  let next = log.newest + 1
  for (const { firstRevision, lastRevision } of records) {
    if (firstRevision > next) throw DatabaseDamaged({ file, why: `the commits from revision ${next} to ${firstRevision - 1} are lost` })
    next = Math.max(next, lastRevision + 1)
  }
  log.append(rowsOf(records, log.newest))
}

/** One record after another: together they may be many. */
function* rowsOf(records: readonly CommitRecord[], newest: number) {
  for (const record of records) for (const row of record.rows()) if (row[0] > newest) yield row
}

function beginningOf(file: string, end: number): Buffer {
  const bytes = Buffer.allocUnsafe(end)
  const descriptor = openSync(file, 'r')
  try {
    const length = readSync(descriptor, bytes, 0, end, 0)
    return bytes.subarray(0, length)
  } finally {
    closeSync(descriptor)
  }
}
