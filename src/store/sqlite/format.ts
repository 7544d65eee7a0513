import { writeFileSync } from 'node:fs'
import { removeDatabase } from './copy-file.ts'
import { type Database, SqliteDatabase, scalar, transaction } from './database.ts'
import { applicationId } from './file-header.ts'
import { giveName } from './give-name.ts'

/** The way from the format before to `to`. Runs in one transaction, after a copy of the file was put aside. */
export interface Migration {
  readonly to: number
  run(database: Database): void
}

/** Every way that there is, in order. A change of the tables below adds one here and raises nothing else. */
export const migrations: readonly Migration[] = []

/** The format that `createDatabase` makes. */
export const firstFormat = 1

/**
 * The tables of a new database. `revision` holds every state of every object that somebody may still ask for, in the order in
 * which they came to be; there is no other index, because all questions are answered from memory. `checksum` covers the row, so
 * that a disk that lies is found out when the store opens.
 */
const tables = `
  CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
  CREATE TABLE revision (
    rv INTEGER PRIMARY KEY,
    kind TEXT NOT NULL,
    key TEXT NOT NULL,
    deleted INTEGER NOT NULL,
    traits TEXT NOT NULL,
    body TEXT NOT NULL,
    checksum INTEGER NOT NULL
  );
`

/** Makes a new database, all of it or nothing: until it is complete it has another name. */
export function createDatabase(file: string, installation: string): void {
  const unfinished = `${file}.new`
  removeDatabase(unfinished)
  // For its owner only, whatever the folder allows: secrets are in it. SQLite gives its log the same mode.
  writeFileSync(unfinished, '', { mode: 0o600 })
  const database = new SqliteDatabase(unfinished)
  try {
    // Three objects of 2.3 KB share a page of 8 KB; with 4 KB each takes one alone.
    database.exec('PRAGMA page_size = 8192; PRAGMA auto_vacuum = INCREMENTAL')
    transaction(database, () => {
      database.exec(tables)
      database.exec(`PRAGMA application_id = ${applicationId}; PRAGMA user_version = ${firstFormat}`)
      const insert = database.prepare('INSERT INTO meta VALUES (?, ?)')
      insert.run('installation', installation)
      insert.run('compacted', '1')
    })
  } finally {
    database.close()
  }
  giveName(unfinished, file)
}

/** The format of an open database. */
export function formatOf(database: Database): number {
  return Number(scalar(database, 'PRAGMA user_version'))
}

/** Brings a database to the newest format, step by step; each step is done or not at all. */
export function migrate(database: Database, steps: readonly Migration[]): void {
  for (const { to, run } of steps) {
    if (to <= formatOf(database)) continue
    transaction(database, () => {
      run(database)
      database.exec(`PRAGMA user_version = ${to}`)
    })
  }
  // The header that a future start looks at must already say so.
  database.exec('PRAGMA wal_checkpoint(TRUNCATE)')
}
