import { DatabaseSync } from 'node:sqlite'

type Value = number | string | null

/** A statement that is prepared once and run often. */
export interface Statement {
  run(...values: Value[]): void
  /** All rows, as arrays of their columns. */
  rows(...values: Value[]): readonly (readonly Value[])[]
}

/** As much of a database as a journal needs. Behind it stands SQLite; in tests also one that fails on demand. */
export interface Database {
  exec(sql: string): void
  prepare(sql: string): Statement
  close(): void
}

/** A database file of SQLite. */
export class SqliteDatabase implements Database {
  readonly #handle: DatabaseSync

  constructor(file: string, options: { readonly waitForLock?: number } = {}) {
    this.#handle = new DatabaseSync(file, { timeout: options.waitForLock ?? 0 })
  }

  exec(sql: string): void {
    this.#handle.exec(sql)
  }

  prepare(sql: string): Statement {
    const statement = this.#handle.prepare(sql)
    statement.setReturnArrays(true)
    return {
      run: (...values) => void statement.run(...values),
      rows: (...values) => statement.all(...values) as unknown as (readonly Value[])[],
    }
  }

  close(): void {
    this.#handle.close()
  }
}

/**
 * Opens a connection to the database of a store. What is committed is on the disk. SQLite's own log is moved into the file when it
 * has a thousand pages, which are 8 MB, and cut back to 32 MB after a rush.
 */
export function connect(file: string): SqliteDatabase {
  const database = new SqliteDatabase(file, { waitForLock: 5000 })
  try {
    database.exec(`
      PRAGMA journal_mode = WAL;
      PRAGMA synchronous = FULL;
      PRAGMA journal_size_limit = 33554432;
      PRAGMA cell_size_check = ON;
    `)
    return database
  } catch (error) {
    database.close()
    throw error
  }
}

/** The one value that a query such as a PRAGMA gives. */
export function scalar(database: Database, sql: string): Value | undefined {
  const [row] = database.prepare(sql).rows()
  return row?.[0]
}

/** Does something in one transaction: all of it or, if it throws, nothing. */
export function transaction<T>(database: Database, work: () => T): T {
  database.exec('BEGIN IMMEDIATE')
  try {
    const result = work()
    database.exec('COMMIT')
    return result
  } catch (error) {
    rollback(database)
    throw error
  }
}

/** Undoes the transaction under way, if SQLite has not already done so on its own. */
function rollback(database: Database): void {
  try {
    database.exec('ROLLBACK')
  } catch {
    // There is no transaction any more, which is what was wanted.
  }
}
