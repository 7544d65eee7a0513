import assert from 'node:assert/strict'
import { crc32 } from 'node:zlib'
import type { Row } from '../sealed-row.ts'

/** Records begin at multiples of this, so that no write touches a block of the disk that holds an acknowledged one. */
export const blockSize = 4096

/** "Avc1", and with it the layout below: a later one has another number. */
const magic = 0x31_63_76_41

/*
 * A record, little-endian:            A row, whose revision follows from its place:
 *    0  magic                            0  bytes of kind, key, traits and body
 *    4  bytes of its rows               16  1 if it is a removal
 *    8  checksum of all that follows    20  kind, key, traits, body as UTF-8
 *   12  number of rows
 *   16  first revision (a double)
 *   24  rows
 */
const headerSize = 24
const rowHeaderSize = 20

/** UTF-8 takes no more bytes than this for a code unit of a text. */
const mostBytesEach = 3
/** Memory that is kept for the next record; a larger one gets its own. */
const keptBytes = 1024 * 1024

/** Makes records in memory that is used again and again. */
export class RecordWriter {
  #memory = Buffer.allocUnsafe(64 * 1024)

  /** Rows with consecutive revisions as one record, in whole blocks. To be used before the next one is made. */
  record(rows: readonly Row[]): Buffer {
    assert(rows.at(-1)![0] === rows[0]![0] + rows.length - 1, 'revisions follow on each other')
    const memory = this.#room(mostBytesOf(rows))
    let at = headerSize
    for (const row of rows) at = writeRow(memory, at, row)
    memory.writeUInt32LE(magic, 0)
    memory.writeUInt32LE(at - headerSize, 4)
    memory.writeUInt32LE(rows.length, 12)
    memory.writeDoubleLE(rows[0]![0], 16)
    memory.writeUInt32LE(crc32(memory.subarray(12, at)), 8)
    const end = wholeBlocks(at)
    memory.fill(0, at, end)
    return memory.subarray(0, end)
  }

  #room(bytes: number): Buffer {
    if (bytes <= this.#memory.length) return this.#memory
    const memory = Buffer.allocUnsafe(bytes)
    if (bytes <= keptBytes) this.#memory = memory
    return memory
  }
}

function mostBytesOf(rows: readonly Row[]): number {
  let units = 0
  for (const [, kind, key, , traits, body] of rows) units += kind.length + key.length + traits.length + body.length
  return wholeBlocks(headerSize + rows.length * rowHeaderSize + units * mostBytesEach)
}

function writeRow(memory: Buffer, start: number, [, kind, key, deleted, traits, body]: Row): number {
  let at = start + rowHeaderSize
  let length = start
  for (const text of [kind, key, traits, body]) {
    const bytes = memory.write(text, at)
    length = memory.writeUInt32LE(bytes, length)
    at += bytes
  }
  memory.writeUInt32LE(deleted, length)
  return at
}

/** A whole record in a segment. */
export interface CommitRecord {
  readonly firstRevision: number
  readonly lastRevision: number
  /** Where the next one begins. */
  readonly end: number
  rows(): Row[]
}

/** The record that begins at a place in the bytes of a segment; undefined if there is none, or not as it was written. */
export function recordAt(bytes: Buffer, at: number): CommitRecord | undefined {
  if (at + headerSize > bytes.length || bytes.readUInt32LE(at) !== magic) return undefined
  const length = bytes.readUInt32LE(at + 4)
  const end = at + headerSize + length
  if (end > bytes.length || crc32(bytes.subarray(at + 12, end)) !== bytes.readUInt32LE(at + 8)) return undefined
  const count = bytes.readUInt32LE(at + 12)
  const firstRevision = bytes.readDoubleLE(at + 16)
  const rows = () => readRows(bytes, at + headerSize, firstRevision, count)
  return { firstRevision, lastRevision: firstRevision + count - 1, end: wholeBlocks(end), rows }
}

function readRows(bytes: Buffer, start: number, firstRevision: number, count: number): Row[] {
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

function wholeBlocks(bytes: number): number {
  return Math.ceil(bytes / blockSize) * blockSize
}
