import { cellOf, type Kind, type Resource } from '../kinds/index.ts'

/** What goes with each row: the object's metadata, the whole object, or nothing. */
export type IncludeObject = 'Metadata' | 'Object' | 'None'

/** One line of a table. */
export interface TableRow {
  readonly cells: readonly unknown[]
  readonly object: unknown
}

/** The columns of a kind, as kubectl wants them described. */
export function columnDefinitions(kind: Kind): readonly object[] {
  return kind.columns.map(({ name, type, format = '', description, path, priority }) => ({
    name,
    type,
    format,
    description: description ?? `Custom resource definition column (in JSONPath format): ${path}`,
    priority,
  }))
}

/** One object as a row. Ages are computed here: kubectl prints cells as they come. */
export function tableRow(kind: Kind, object: Resource, now: number, include: IncludeObject, version = 'v1'): TableRow {
  const cells = kind.columns.map(column => cellOf(column, object, now))
  if (include === 'None') return { cells, object: null }
  return { cells, object: include === 'Object' ? object : partialObject(object, version) }
}

/** Only the metadata of an object. */
export function partialObject(object: Resource, version = 'v1'): object {
  return { kind: 'PartialObjectMetadata', apiVersion: `meta.k8s.io/${version}`, metadata: object.metadata }
}
