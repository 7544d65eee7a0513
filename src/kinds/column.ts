import type { Column } from './kind.ts'

/** A column of `get`: its heading, and where in the object its value stands. */
export function column(
  name: string,
  path: string,
  options: { readonly type?: Column['type']; readonly priority?: 0 | 1; readonly description?: string } = {},
): Column {
  const { type = 'string', priority = 0, description } = options
  return Object.freeze({ name, type, path, priority, ...(description === undefined ? {} : { description }) })
}

/** A column whose value no path can say. Only for kinds that Kubernetes itself serves: it has no place in a CRD. */
export function derivedColumn(
  name: string,
  path: string,
  priority: 0 | 1,
  description: string,
  value: NonNullable<Column['value']>,
): Column {
  return Object.freeze({ ...column(name, path, { priority, description }), value })
}

/** The path to a part of a condition: `column('Ready', condition('Ready'))`. */
export function condition(type: string, part: 'status' | 'reason' | 'message' = 'status'): string {
  return `.status.conditions[?(@.type=="${type}")].${part}`
}

/** How long the object has been there. */
export const ageColumn: Column = column('Age', '.metadata.creationTimestamp', { type: 'date' })

/** The object's name: the first column of nearly every kind. */
export const nameColumn: Column = Object.freeze({
  name: 'Name',
  type: 'string',
  format: 'name',
  path: '.metadata.name',
  priority: 0,
  description: 'Name must be unique within a namespace; it is chosen when the object is made and cannot be changed.',
})
