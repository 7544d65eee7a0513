import { backup, DatabaseSync } from 'node:sqlite'

/** Pages that a backup copies before other statements get their turn: some milliseconds. */
const pagesInOneStep = 1000

type Value = number | string | null

/** A statement that is prepared once and run often. */
export interface Statement {
  run(...values: Value[]): void
  /** All rows, as arrays of their columns. */
  rows(...values: Value[]): readonly (readonly Value[])[]
}

/** As much of a connection as the store needs. Tests have one that fails on demand. */
export interface Database {
  exec(sql: string): void
  prepare(sql: string): Statement
  /** Copies the database to a file, page by page, while it is used through this connection. */
  backup(to: string): Promise<void>
  close(): void
}

/** A database file of SQLite. */
export class SqliteDatabase implements Database {
  readonly #handle: DatabaseSync

  constructor(file: string, options: { readonly waitForLock?: number; readonly readOnly?: boolean } = {}) {
    this.#handle = new DatabaseSync(file, { timeout: options.waitForLock ?? 0, readOnly: options.readOnly ?? false })
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

  async backup(to: string): Promise<void> {
    await backup(this.#handle, to, { rate: pagesInOneStep })
  }

  close(): void {
    this.#handle.close()
  }
}

/**
 * Opens a connection to the database of a store. A commit is on the disk when it returns (`synchronous = FULL`). SQLite checkpoints its
 * write-ahead log at a thousand pages, which are 8 MB, and truncates it to 32 MB after a burst.
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

/** Undoes the open transaction, if SQLite has not already done so on its own. */
function rollback(database: Database): void {
  try {
    database.exec('ROLLBACK')
  } catch {
    // There is no transaction any more, which is what was wanted.
  }
}
