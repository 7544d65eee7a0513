import { defaultsOf, type Json, type Kind, type Resource, withDefaults } from '../../kinds/index.ts'
import { qualified } from '../errors.ts'
import { type Database, transaction } from './database.ts'
import { rowWith } from './row.ts'
import { isIntact, type Row, sealed, type SealedRow } from './sealed-row.ts'

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
    const [row] = select.rows(revision!) as unknown as readonly SealedRow[]
    const filled = withoutGaps(row!, kind)
    if (filled === undefined) continue
    const [, , , , traits, body, checksum] = sealed(filled)
    update.run(traits, body, checksum, revision!)
  }
}

/** The row with the defaults that its object lacks; undefined if it lacks none, or is none. */
function withoutGaps(row: SealedRow, kind: Kind): Row | undefined {
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
