import type { Kind } from '../../kinds/index.ts'
import { StoreError } from '../errors.ts'
import type { Key, Selection } from '../store.ts'

/** The path under which an API server keeps the objects of a kind; those of all namespaces if none is named. */
export function collectionPath(kind: Kind, namespace?: string): string {
  const root = kind.group === '' ? `/api/${kind.version}` : `/apis/${kind.group}/${kind.version}`
  if (kind.scope === 'Cluster' || namespace === undefined || namespace === '') return `${root}/${kind.plural}`
  return `${root}/namespaces/${segment('namespace', namespace)}/${kind.plural}`
}

/** The path of one object, or of a subresource of it. */
export function objectPath(kind: Kind, key: Key, subresource?: string): string {
  const name = segment('name', key.name)
  if (kind.scope === 'Namespaced' && !key.namespace) {
    throw new StoreError('BadRequest', `an empty namespace may not be set when a resource name is provided`, {
      group: kind.group,
      kind: kind.plural,
      name: key.name,
      fix: `say in which namespace ${kind.name} "${key.name}" is`,
    })
  }
  const path = `${collectionPath(kind, key.namespace)}/${name}`
  return subresource === undefined ? path : `${path}/${subresource}`
}

export type Query = Readonly<Record<string, string | number | boolean | undefined>>

/** `?a=1&b=x`; what is undefined or empty is left out. */
export function queryText(query: Query): string {
  const parameters = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) if (value !== undefined && value !== '') parameters.append(name, String(value))
  return parameters.size === 0 ? '' : `?${parameters.toString()}`
}

/** The selectors of a list or a watch. The namespace is part of the path. */
export function selectionQuery({ labelSelector, fieldSelector }: Selection): Query {
  return { labelSelector, fieldSelector }
}

/** A revision is a number, or absent. Servers differ in what they say to anything else. */
export function checkRevision(resourceVersion: string | undefined): void {
  if (!resourceVersion || /^\d+$/.test(resourceVersion)) return
  const message = `Invalid value: ${JSON.stringify(resourceVersion)}: must be a revision that the store gave`
  throw new StoreError('BadRequest', `resourceVersion: ${message}`, { fix: 'take it from a list, an object or a watch' })
}

/** One part of a path. No object can be called by what would lead to another path: such a name is refused before it is sent. */
function segment(field: 'name' | 'namespace', text: string): string {
  const rule =
    text === ''
      ? 'may not be empty'
      : text === '.' || text === '..'
        ? `may not be '${text}'`
        : /[/%]/.test(text)
          ? `may not contain '/' or '%'`
          : undefined
  if (rule === undefined) return encodeURIComponent(text)
  throw new StoreError('BadRequest', `metadata.${field}: Invalid value: ${JSON.stringify(text)}: ${rule}`, {
    problems: [{ path: `metadata.${field}`, reason: 'FieldValueInvalid', message: `Invalid value: ${JSON.stringify(text)}: ${rule}` }],
    fix: `give the ${field} of an object: lower-case letters, digits, '-' and '.'`,
  })
}
