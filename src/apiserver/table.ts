import { ageOf, type Column, evaluatePath, type Kind, type Resource } from '../kinds/index.ts'

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

function cellOf(column: Column, object: Resource, now: number): unknown {
  if (column.value !== undefined) return column.value(object, now)
  const value = evaluatePath(column.path, object)
  if (value === undefined || value === null) return column.format === 'name' ? '' : null
  return converted(column.type, value, now)
}

/** A value that does not fit the type of its column leaves the cell empty, as the real server does. */
function converted(type: Column['type'], value: unknown, now: number): unknown {
  switch (type) {
    case 'integer':
      return typeof value === 'number' ? Math.trunc(value) : null
    case 'number':
      return typeof value === 'number' ? value : null
    case 'boolean':
      return typeof value === 'boolean' ? value : null
    case 'date':
      return typeof value === 'string' ? age(value, now) : null
    case 'string':
      return typeof value === 'object' ? JSON.stringify(value) : String(value)
  }
}

function age(moment: string, now: number): string {
  const text = ageOf(moment, now)
  return text === '<unknown>' && moment !== '' ? '<invalid>' : text
}
