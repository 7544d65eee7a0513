import { crc32 } from 'node:zlib'
import { type Database, scalar, type Statement, transaction } from './database.ts'

/*
 * Without imports from other modules: the database thread loads this, and should start quickly.
 */

/** One row of the table `revision`, column by column, without its checksum. */
export type Row = readonly [rv: number, kind: string, key: string, deleted: number, traits: string, body: string]

/** A whole row, as it is in the table. */
export type ChecksummedRow = readonly [...Row, checksum: number]

/** A row with its checksum. */
export function withChecksum(row: Row): ChecksummedRow {
  return [...row, checksumOf(...row)]
}

/** Whether a row is what was written. */
export function isIntact(row: ChecksummedRow): boolean {
  const [rv, kind, key, deleted, traits, body, checksum] = row
  const areTexts = [kind, key, traits, body].every(value => typeof value === 'string')
  return areTexts && checksumOf(rv, kind, key, deleted, traits, body) === checksum
}

function checksumOf(...[rv, kind, key, deleted, traits, body]: Row): number {
  return crc32(body, crc32(`${rv} ${kind} ${key} ${deleted} ${traits}`))
}

/** What one transaction changes. */
export interface Commit {
  /** New rows. */
  readonly rows: Iterable<Row>
  /** Revisions whose rows no list or watch can ask for any more, in the order in which they may be removed. */
  readonly removed: readonly number[]
  /** Lists and watches cannot go back beyond this revision, which must be in the database or in `rows`. */
  readonly compacted: number
}

/** Free pages that the file may keep for later; more than a quarter of all are given back. */
const freePagesKept = 4096
const pagesInOneVacuum = 1024

/** The tables of a database as a log of revisions. */
export class RevisionLog {
  readonly #database: Database
  readonly #insert: Statement
  readonly #delete: Statement
  readonly #compact: Statement

  constructor(database: Database) {
    this.#database = database
    this.#insert = database.prepare('INSERT INTO revision VALUES (?, ?, ?, ?, ?, ?, ?)')
    this.#delete = database.prepare('DELETE FROM revision WHERE rv = ?')
    this.#compact = database.prepare("UPDATE meta SET value = ? WHERE name = 'compacted'")
  }

  /** Adds and removes rows in one transaction: all or, if it throws, nothing. */
  commit({ rows, removed, compacted }: Commit): void {
    transaction(this.#database, () => {
      for (const row of rows) this.#insert.run(...withChecksum(row))
      if (removed.length === 0) return
      // In the same transaction: a database must not claim to know a past of which parts are gone.
      this.#compact.run(String(compacted))
      for (const revision of removed) this.#delete.run(revision)
    })
  }

  /** Writes to the disk without changing anything. Throws if a commit would fail. */
  probe(): void {
    transaction(this.#database, () => this.#database.exec("UPDATE meta SET value = value WHERE name = 'compacted'"))
  }

  /** Returns some free pages to the file system if there are many. */
  vacuum(): void {
    const free = Number(scalar(this.#database, 'PRAGMA freelist_count'))
    if (free <= freePagesKept || free * 4 < Number(scalar(this.#database, 'PRAGMA page_count'))) return
    this.#database.exec(`PRAGMA incremental_vacuum(${pagesInOneVacuum})`)
  }
}

/** The last revision that a database knows of, even if its row was removed since; undefined if its table meta is damaged. */
export function newestRevision(database: Database): number | undefined {
  const compacted = Number(scalar(database, "SELECT value FROM meta WHERE name = 'compacted'"))
  if (!Number.isSafeInteger(compacted) || compacted < 1) return undefined
  return Math.max(compacted, Number(scalar(database, 'SELECT max(rv) FROM revision') ?? 0))
}

/** The identity of the installation that a database belongs to; undefined if its table meta is damaged. */
export function installationOf(database: Database): string | undefined {
  const value = scalar(database, "SELECT value FROM meta WHERE name = 'installation'")
  return typeof value === 'string' ? value : undefined
}
