import { closeSync, openSync, readSync } from 'node:fs'
import type { RevisionLog } from '../revision-log.ts'
import { blockSize, type CommitRecord, recordAt } from './record.ts'

/*
 * Without imports from other rooms, not even for an error that explains itself: a thread that loads this is to start quickly.
 */

/** Moves the records of a segment, which end at `end`, into the database. What is there already is left out. */
export function takeIn(log: RevisionLog, file: string, end: number): void {
  const bytes = beginningOf(file, end)
  const refusal = (why: string) => new Error(`${file}: ${why}`)
  try {
    appendRecords(log, recordsIn(bytes, end, refusal), refusal)
  } finally {
    // Given back at once: a thread that has nothing more to do collects no garbage either.
    bytes.buffer.transfer(0)
  }
}

function recordsIn(bytes: Buffer, end: number, refusal: (why: string) => Error): readonly CommitRecord[] {
  const records: CommitRecord[] = []
  for (let at = blockSize; at < end; at = records.at(-1)!.end) {
    const record = recordAt(bytes, at)
    if (record === undefined) throw refusal(`the commit at byte ${at} is not what was written`)
    records.push(record)
  }
  return records
}

/**
 * Adds records in the order of their revisions, as far as they are not there yet, all or nothing. They must follow on what there is
 * and on each other; throws what `refusal` makes of the reason if they do not.
 */
export function appendRecords(log: RevisionLog, records: readonly CommitRecord[], refusal: (why: string) => Error): void {
  const { newest } = log
  if (newest === undefined) throw refusal('its table meta is incomplete')
  const missing = records.filter(({ lastRevision }) => lastRevision > newest)
  let next = newest + 1
  for (const { firstRevision, lastRevision } of missing) {
    if (firstRevision > next) throw refusal(`the commits from revision ${next} to ${firstRevision - 1} are lost`)
    if (firstRevision < next) throw refusal(`revision ${firstRevision} was committed twice`)
    next = lastRevision + 1
  }
  log.append(rowsOf(missing))
}

/** One record after another: together they may be many. */
function* rowsOf(records: readonly CommitRecord[]) {
  for (const record of records) yield* record.rows()
}

function beginningOf(file: string, end: number): Buffer<ArrayBuffer> {
  const bytes = Buffer.allocUnsafeSlow(end)
  const descriptor = openSync(file, 'r')
  try {
    const length = readSync(descriptor, bytes, 0, end, 0)
    return bytes.subarray(0, length)
  } finally {
    closeSync(descriptor)
  }
}
