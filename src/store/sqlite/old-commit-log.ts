import { readFileSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { crc32 } from 'node:zlib'
import type { Database } from './database.ts'
import { DatabaseDamaged } from './errors.ts'
import { namesIn } from './files.ts'
import { installationOf, newestRevision, RevisionLog, type Row } from './log.ts'

/*
 * Earlier versions wrote commits to segment files beside the database first. A store that such a version did not close cleanly is
 * opened once by replaying them. Nothing writes them any more.
 *
 * A segment: blocks of 4 KB; the first says "Aviary commits 1" and the installation, then a record at each multiple of a block.
 *
 * A record, little-endian:            A row, whose revision follows from its place:
 *    0  magic                            0  bytes of kind, key, traits and body
 *    4  bytes of its rows               16  1 if it is a removal
 *    8  checksum of all that follows    20  kind, key, traits, body as UTF-8
 *   12  number of rows
 *   16  first revision (a double)
 *   24  rows
 */
const blockSize = 4096
const magic = 0x31_63_76_41
const headerSize = 24
const rowHeaderSize = 20
const introduction = 'Aviary commits 1'

/** The segments beside a database, in no order. */
export function oldSegments(database: string): readonly string[] {
  const folder = dirname(database)
  const start = `${basename(database)}-commits-`
  return namesIn(folder)
    .filter(name => name.startsWith(start) && /^\d+$/.test(name.slice(start.length)))
    .map(name => join(folder, name))
}

/**
 * Adds what the segments hold and the database lacks, and removes them. A record that is not whole was never acknowledged, unless
 * others follow it: then something was lost. Throws DatabaseDamaged, and has changed nothing then.
 */
export function replayOldSegments(database: Database, file: string): void {
  const segments = oldSegments(file)
  if (segments.length === 0) return
  const newest = newestRevision(database)
  if (newest === undefined) throw DatabaseDamaged({ file, why: 'its table meta is incomplete' })
  const records = segments.flatMap(segment => recordsIn(segment, installationOf(database)))
  const missing = records.filter(({ lastRevision }) => lastRevision > newest).toSorted((a, b) => a.firstRevision - b.firstRevision)
  let next = newest + 1
  for (const { firstRevision, lastRevision } of missing) {
    if (firstRevision > next) throw DatabaseDamaged({ file, why: `the commits from revision ${next} to ${firstRevision - 1} are lost` })
    if (firstRevision < next) throw DatabaseDamaged({ file, why: `revision ${firstRevision} was committed twice` })
    next = lastRevision + 1
  }
  new RevisionLog(database).commit({ rows: missing.flatMap(record => record.rows()), removed: [], compacted: newest })
  for (const segment of segments) rmSync(segment)
}

interface CommitRecord {
  readonly firstRevision: number
  readonly lastRevision: number
  /** Where the next one begins. */
  readonly end: number
  rows(): Row[]
}

/** Every whole record, wherever it begins: a segment that was reused has old ones behind its last one. */
function recordsIn(segment: string, installation: string | undefined): readonly CommitRecord[] {
  const bytes = readFileSync(segment)
  const header = bytes.subarray(0, blockSize)
  const [first, owner] = header.toString().split('\n')
  // The process was killed while it made the file.
  if (header.every(byte => byte === 0)) return []
  if (first !== introduction) throw DatabaseDamaged({ file: segment, why: 'it is not a commit log that this version can read' })
  if (owner !== installation)
    throw DatabaseDamaged({ file: segment, why: 'it is the commit log of another database than the one beside it' })
  const records: CommitRecord[] = []
  for (let at = blockSize; at < bytes.length;) {
    const record = recordAt(bytes, at)
    if (record !== undefined) records.push(record)
    at = record?.end ?? at + blockSize
  }
  return records
}

function recordAt(bytes: Buffer, at: number): CommitRecord | undefined {
  if (at + headerSize > bytes.length || bytes.readUInt32LE(at) !== magic) return undefined
  const end = at + headerSize + bytes.readUInt32LE(at + 4)
  if (end > bytes.length || crc32(bytes.subarray(at + 12, end)) !== bytes.readUInt32LE(at + 8)) return undefined
  const count = bytes.readUInt32LE(at + 12)
  const firstRevision = bytes.readDoubleLE(at + 16)
  const rows = () => rowsIn(bytes, at + headerSize, firstRevision, count)
  return { firstRevision, lastRevision: firstRevision + count - 1, end: Math.ceil(end / blockSize) * blockSize, rows }
}

function rowsIn(bytes: Buffer, start: number, firstRevision: number, count: number): Row[] {
  const rows: Row[] = []
  let at = start
  for (let index = 0; index < count; index++) {
    const header = at
    at += rowHeaderSize
    const [kind, key, traits, body] = [0, 4, 8, 12].map(field => {
      const from = at
      at += bytes.readUInt32LE(header + field)
      return bytes.toString('utf8', from, at)
    }) as [string, string, string, string]
    rows.push([firstRevision + index, kind, key, bytes.readUInt32LE(header + 16), traits, body])
  }
  return rows
}
