import { Change } from '../embedded/change.ts'
import type { Collection } from '../embedded/collection.ts'
import type { State } from '../embedded/state.ts'
import type { Version } from '../embedded/version.ts'
import { type Database, scalar, transaction } from './database.ts'
import { DatabaseDamaged } from './errors.ts'
import { type ChecksummedRow, installationOf, isIntact, newestRevision } from './log.ts'
import { versionOf } from './rows.ts'

/** What a database knew besides the objects. */
export interface Loaded {
  readonly installation: string
  /** Rows that nobody can ask for any more and that are still there, in the order in which they may be removed. */
  readonly superseded: readonly number[]
}

/** Restored stores go on so far ahead that no revision is used for two different changes; as etcd's own tool does. */
const restoreBump = 1_000_000_000

/**
 * Reads everything into memory: one pass over the table in the order in which it was written. Watches and snapshots can go back
 * over the last `remembered` revisions. Throws DatabaseDamaged.
 */
export function load(database: Database, file: string, state: State, now: number, remembered: number): Loaded {
  const meta = new Map(database.prepare('SELECT name, value FROM meta').rows() as unknown as [string, string][])
  const installation = installationOf(database)
  const newest = newestRevision(database)
  if (newest === undefined || installation === undefined) throw DatabaseDamaged({ file, why: 'its table meta is incomplete' })
  // How old a change is was not written down, so only their number decides how many are remembered.
  const compacted = Math.max(Number(meta.get('compacted')), newest - remembered)
  const present = new Map<Collection, Map<string, Version>>()
  const superseded: number[] = []
  const shared = sharedTexts()

  const take = (row: ChecksummedRow) => {
    if (!isIntact(row)) throw DatabaseDamaged({ file, why: `revision ${row[0]}, which holds ${row[1]} ${row[2]}, is not what was written` })
    const [at, name, key, deleted] = row
    const collection = state.collectionNamed(name)
    let versions = present.get(collection)
    if (versions === undefined) present.set(collection, (versions = new Map()))
    const previous = versions.get(key)
    const current = deleted === 1 ? undefined : versionOf(row, collection.kind, shared)
    if (current === undefined) versions.delete(key)
    else versions.set(key, current)

    if (at > compacted) {
      const change = new Change({ revision: at, collection, key, previous, current, at: now })
      collection.changes.push(change)
      state.history.push(change)
    } else {
      // The state before goes before the mark of its removal, or a crash between the two would bring it back.
      if (previous !== undefined) superseded.push(previous.revision)
      if (current === undefined) superseded.push(at)
    }
  }
  for (const page of pagesOf(database)) page.forEach(take)
  for (const [collection, versions] of present) collection.fill(versions)
  state.resume(newest, compacted)
  return { installation, superseded }
}

const rowsInOnePage = 256

/** All rows in the order in which they were written: one by one they take longer to read, all at once they take much room. */
function* pagesOf(database: Database): Generator<readonly ChecksummedRow[], void, undefined> {
  const page = database.prepare(
    `SELECT rv, kind, key, deleted, traits, body, checksum FROM revision WHERE rv > ? ORDER BY rv LIMIT ${rowsInOnePage}`,
  )
  for (let after = 0; ;) {
    const rows = page.rows(after) as unknown as readonly ChecksummedRow[]
    yield rows
    if (rows.length < rowsInOnePage) return
    after = rows.at(-1)![0]
  }
}

/** Whether the database is a backup that was put in place, and not yet opened. */
export function isRestored(database: Database): boolean {
  return scalar(database, "SELECT value FROM meta WHERE name = 'backup'") !== undefined
}

/**
 * Starts a new stretch of revisions beyond every one that a client may have seen, so that clients that saw a later state than this one
 * list again instead of missing what changed. No list or watch can go back behind it.
 */
export function startAfresh(database: Database, seen: number): void {
  transaction(database, () => {
    database.prepare("UPDATE meta SET value = ? WHERE name = 'compacted'").run(String(seen + restoreBump))
    database.exec("DELETE FROM meta WHERE name = 'backup'")
  })
}

/** Most labels repeat: each text is kept once. */
function sharedTexts(): (text: string) => string {
  const texts = new Map<string, string>()
  return text => {
    const known = texts.get(text)
    if (known === undefined) texts.set(text, text)
    return known ?? text
  }
}
