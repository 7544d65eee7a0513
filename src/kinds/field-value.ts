import type { Resource } from './resource.ts'

const known = new Map<string, readonly string[]>()

/** The field names of a path such as `spec.template.size`. Paths come from kinds, so they are few and asked for at every write. */
export function stepsOf(path: string): readonly string[] {
  let steps = known.get(path)
  if (steps === undefined) known.set(path, (steps = path.split('.')))
  return steps
}

/** The value at a path of plain field names: `spec.template.size`. */
export function valueAt(object: unknown, path: string): unknown {
  let value = object
  for (const step of stepsOf(path)) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step)) return undefined
    value = (value as Record<string, unknown>)[step]
  }
  return value
}

/** Fields that a selector may name although they stand elsewhere, or nowhere: by their path, then by whose they are. */
const derived: Readonly<Record<string, Readonly<Record<string, (object: Resource) => unknown>>>> = {
  source: { 'v1/Event': event => valueAt(event, 'source.component') ?? valueAt(event, 'reportingComponent') },
  'spec.unschedulable': { 'v1/Node': node => valueAt(node, 'spec.unschedulable') ?? false },
}

/** What a field selector compares: the value at `spec.nodeName` as text; undefined if there is none. */
export function fieldValue(object: Resource, path: string): string | undefined {
  const special = derived[path]?.[`${object.apiVersion}/${object.kind}`]
  const value = special === undefined ? valueAt(object, path) : special(object)
  if (typeof value === 'string') return value
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined
}
