import type { Kind, Resource } from '../../kinds/index.ts'
import { qualified } from '../errors.ts'
import type { Change } from '../embedded/change.ts'
import { fieldsOf, type Version } from '../embedded/version.ts'
import { Stored } from '../stored.ts'
import type { ChecksummedRow, Row } from './log.ts'

/** What selectors look at, beside the text so that opening a store parses no bodies. */
interface Traits {
  readonly labels?: Readonly<Record<string, string>>
  /** By path, because the fields that a kind declares may change from one program version to the next. */
  readonly fields?: Readonly<Record<string, string>>
}

/** The row of a change. A removal has no body: the row before it holds the last state. */
export function rowOf(change: Change): Row {
  const { revision, key, current, collection } = change
  const kind = qualified(collection.kind!)
  const traits = current === undefined ? '{}' : traitsOf(collection.kind!, current)
  const body = current === undefined ? '' : current.stored.json
  return [revision, kind, key, current === undefined ? 1 : 0, traits, body]
}

/** The same row with another form of its object. */
export function rowWith([revision, name, key, deleted]: ChecksummedRow, kind: Kind, object: Resource): Row {
  const traits = traitsOf(kind, { labels: object.metadata.labels, fields: fieldsOf(kind, object) })
  return [revision, name, key, deleted, traits, JSON.stringify(object)]
}

function traitsOf(kind: Kind, { labels, fields }: Pick<Version, 'labels' | 'fields'>): string {
  const traits: Traits = {
    ...(labels === undefined ? {} : { labels }),
    ...(fields.length === 0 ? {} : { fields: Object.fromEntries(kind.selectableFields.map((path, at) => [path, fields[at]!])) }),
  }
  return JSON.stringify(traits)
}

/** The version that a row holds. `shared` gives equal texts one place in memory. */
export function versionOf(
  [revision, , key, , traits, body]: Row | ChecksummedRow,
  kind: Kind | undefined,
  shared: (text: string) => string,
): Version {
  const stored = Stored.fromJson(String(revision), body)
  const { labels, fields } = JSON.parse(traits) as Traits & { readonly labels?: Record<string, string> }
  return {
    revision,
    key,
    labels: labels === undefined ? undefined : sharing(labels, shared),
    fields: kind === undefined ? [] : fieldsFrom(kind, fields ?? {}, stored).map(shared),
    stored,
    size: body.length,
  }
}

function fieldsFrom(kind: Kind, fields: Readonly<Record<string, string>>, stored: Version['stored']): readonly string[] {
  const known = kind.selectableFields.every(path => Object.hasOwn(fields, path))
  return known ? kind.selectableFields.map(path => fields[path]!) : fieldsOf(kind, stored.object)
}

/** In place: the labels were just read, and nobody else has them. */
function sharing(labels: Record<string, string>, shared: (text: string) => string): Readonly<Record<string, string>> {
  for (const label in labels) labels[label] = shared(labels[label]!)
  return Object.freeze(labels)
}
