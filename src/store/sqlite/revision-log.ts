import { type Database, scalar, type Statement, transaction } from './database.ts'
import { newestRevision } from './newest-revision.ts'
import { type Row, sealed } from './sealed-row.ts'

/** The tables of a database as a log of revisions: what may be done to them, each in one transaction. */
export class RevisionLog {
  readonly #database: Database
  readonly #insert: Statement
  readonly #delete: Statement
  readonly #compacted: Statement

  constructor(database: Database) {
    this.#database = database
    this.#insert = database.prepare('INSERT INTO revision VALUES (?, ?, ?, ?, ?, ?, ?)')
    this.#delete = database.prepare('DELETE FROM revision WHERE rv = ?')
    this.#compacted = database.prepare("UPDATE meta SET value = ? WHERE name = 'compacted'")
  }

  /** The last revision that it knows of; undefined if it is damaged. */
  get newest(): number | undefined {
    return newestRevision(this.#database)
  }

  /** Adds rows, whose revisions it does not have yet. */
  append(rows: Iterable<Row>): void {
    transaction(this.#database, () => {
      for (const row of rows) this.#insert.run(...sealed(row))
    })
  }

  /** Removes rows in the order given. The past up to `compacted`, which must be in it, cannot be asked for any more. */
  clear(revisions: readonly number[], compacted: number): void {
    transaction(this.#database, () => {
      // In the same transaction: a database must not claim to know a past of which parts are gone.
      this.#compacted.run(String(compacted))
      for (const revision of revisions) this.#delete.run(revision)
    })
  }

  /** Gives up to so many free pages back to the file system, if there are more than `keep` and they are a quarter of all. */
  vacuum(pages: number, keep: number): boolean {
    const free = Number(scalar(this.#database, 'PRAGMA freelist_count'))
    const all = Number(scalar(this.#database, 'PRAGMA page_count'))
    if (free <= keep || (keep > 0 && free * 4 < all)) return false
    this.#database.exec(`PRAGMA incremental_vacuum(${pages})`)
    return true
  }

  /** Moves SQLite's own log into the file, so that nothing is beside it. */
  checkpoint(): void {
    this.#database.exec('PRAGMA wal_checkpoint(TRUNCATE)')
  }
}
