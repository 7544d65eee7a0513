import { type Database, rollback, scalar, type Statement } from './database.ts'
import type { Checkpoint } from './log-keeper.ts'
import { type Row, sealed } from './sealed-row.ts'

/** The tables of a database as a log of revisions: what may be done to them, each in one transaction. */
export class RevisionLog {
  readonly #database: Database
  readonly #begin: Statement
  readonly #commit: Statement
  readonly #insert: Statement
  readonly #delete: Statement
  readonly #compacted: Statement

  constructor(database: Database) {
    this.#database = database
    this.#begin = database.prepare('BEGIN IMMEDIATE')
    this.#commit = database.prepare('COMMIT')
    this.#insert = database.prepare('INSERT INTO revision VALUES (?, ?, ?, ?, ?, ?, ?)')
    this.#delete = database.prepare('DELETE FROM revision WHERE rv = ?')
    this.#compacted = database.prepare("UPDATE meta SET value = ? WHERE name = 'compacted'")
  }

  /** Adds rows. They are on the disk when the write-ahead log is. */
  append(rows: readonly Row[]): void {
    // A statement alone is a transaction of its own.
    if (rows.length === 1) return this.#insert.run(...sealed(rows[0]!))
    this.#transaction(() => {
      for (const row of rows) this.#insert.run(...sealed(row))
    })
  }

  /** Removes rows in the order given. */
  clear(revisions: readonly number[], compacted: number): void {
    this.#transaction(() => {
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

  /** Moves what is in the write-ahead log into the file. */
  checkpoint(how: Checkpoint): void {
    this.#database.exec(`PRAGMA wal_checkpoint(${how})`)
  }

  close(): void {
    this.#database.close()
  }

  #transaction(work: () => void): void {
    this.#begin.run()
    try {
      work()
      this.#commit.run()
    } catch (error) {
      rollback(this.#database)
      throw error
    }
  }
}
