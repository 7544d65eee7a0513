import { writeFileSync } from 'node:fs'
import { defaultsOf, type Json, type Kind, type Resource, withDefaults } from '../../kinds/index.ts'
import { qualified } from '../errors.ts'
import { type Database, SqliteDatabase, scalar, transaction } from './database.ts'
import { applicationId, commitRename, removeDatabase } from './files.ts'
import { type ChecksummedRow, isIntact, type Row, withChecksum } from './log.ts'
import { rowWith } from './rows.ts'

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
 * The tables of a new database. `revision` holds every state of every object that a list or watch may still ask for, in the order in
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
  commitRename(unfinished, file)
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

/** The columns that the newest format has, by table. */
const columns = {
  meta: ['name', 'value'],
  revision: ['rv', 'kind', 'key', 'deleted', 'traits', 'body', 'checksum'],
} as const

/** What is wrong with the tables of a database in the newest format; undefined if nothing is. */
export function problemOfTables(database: Database): string | undefined {
  for (const [table, expected] of Object.entries(columns)) {
    const found = database.prepare('SELECT name FROM pragma_table_info(?)').rows(table).flat()
    if (found.length === 0) return `its table ${table} is missing`
    const missing = expected.filter(column => !found.includes(column))
    if (missing.length > 0) return `its table ${table} lacks the column ${missing.join(' and ')}`
  }
  return undefined
}

/** In `meta` stands behind this and the name of a kind what that kind filled in when its objects were last looked at. */
const mark = 'defaults of '

/**
 * Gives objects from when their kind had fewer defaults those that they lack, as a Kubernetes API server does when it reads them;
 * also their past states, which may still be asked for. They keep their revisions: nobody changed them. For a kind whose defaults
 * are what they were this is one comparison. If it is interrupted, nothing was done, and the next start does it.
 */
export function fillDefaults(database: Database, kinds: readonly Kind[]): void {
  const known = new Map(database.prepare('SELECT name, value FROM meta').rows() as unknown as [string, string][])
  const marks = kinds.map(kind => ({ kind, name: `${mark}${qualified(kind)}`, value: JSON.stringify(defaultsOf(kind.schema)) }))
  const changed = marks.filter(({ name, value }) => (known.get(name) ?? '[]') !== value)
  if (changed.length === 0) return
  transaction(database, () => {
    const remember = database.prepare('INSERT OR REPLACE INTO meta VALUES (?, ?)')
    for (const { kind, name, value } of changed) {
      fillRows(database, kind)
      remember.run(name, value)
    }
  })
}

function fillRows(database: Database, kind: Kind): void {
  const select = database.prepare('SELECT rv, kind, key, deleted, traits, body, checksum FROM revision WHERE rv = ?')
  const update = database.prepare('UPDATE revision SET traits = ?, body = ?, checksum = ? WHERE rv = ?')
  // First which, then one by one: what is read must not change under the reader.
  const revisions = database.prepare('SELECT rv FROM revision WHERE kind = ? AND deleted = 0').rows(qualified(kind))
  for (const [revision] of revisions) {
    const [row] = select.rows(revision!) as unknown as readonly ChecksummedRow[]
    const filled = withoutGaps(row!, kind)
    if (filled === undefined) continue
    const [, , , , traits, body, checksum] = withChecksum(filled)
    update.run(traits, body, checksum, revision!)
  }
}

/** The row with the defaults that its object lacks; undefined if it lacks none, or is none. */
function withoutGaps(row: ChecksummedRow, kind: Kind): Row | undefined {
  // A damaged row stays one: with a new checksum it would pass for whole.
  const object = isIntact(row) ? parsed(row[5]) : undefined
  if (object === undefined) return undefined
  const filled = withDefaults(kind.schema, object)
  return filled === object ? undefined : rowWith(row, kind, filled as unknown as Resource)
}

function parsed(body: string): Json | undefined {
  try {
    return JSON.parse(body) as Json
  } catch {
    return undefined
  }
}
