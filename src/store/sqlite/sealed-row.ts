import { crc32 } from 'node:zlib'

/** One row of the table `revision`, column by column, but for its checksum. */
export type Row = readonly [rv: number, kind: string, key: string, deleted: number, traits: string, body: string]

/** A whole row, as it is in the table. */
export type SealedRow = readonly [...Row, checksum: number]

/** A row with its checksum. */
export function sealed(row: Row): SealedRow {
  return [...row, checksumOf(...row)]
}

/** Whether a row still says what was written. */
export function isIntact([rv, kind, key, deleted, traits, body, checksum]: SealedRow): boolean {
  return checksumOf(rv, kind, key, deleted, traits, body) === checksum
}

function checksumOf(...[rv, kind, key, deleted, traits, body]: Row): number {
  return crc32(body, crc32(`${rv} ${kind} ${key} ${deleted} ${traits}`))
}
