import type { Resource } from './resource.ts'

/** The value at a path of plain field names: `spec.template.size`. */
export function valueAt(object: unknown, path: string): unknown {
  let value = object
  for (const step of path.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step)) return undefined
    value = (value as Record<string, unknown>)[step]
  }
  return value
}

/** Fields that a selector may name although they stand elsewhere, or nowhere. */
const derived: Readonly<Record<string, (object: Resource) => unknown>> = {
  'v1/Event/source': event => valueAt(event, 'source.component') ?? valueAt(event, 'reportingComponent'),
  'v1/Node/spec.unschedulable': node => valueAt(node, 'spec.unschedulable') ?? false,
}

/** What a field selector compares: the value at `spec.nodeName` as text; undefined if there is none. */
export function fieldValue(object: Resource, path: string): string | undefined {
  const special = derived[`${object.apiVersion}/${object.kind}/${path}`]
  const value = special === undefined ? valueAt(object, path) : special(object)
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined
}
