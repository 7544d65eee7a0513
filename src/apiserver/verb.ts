import type { ResourceTarget } from './target.ts'

const verbs: Readonly<Record<string, string>> = { POST: 'create', GET: 'get', HEAD: 'get', PUT: 'update', PATCH: 'patch', DELETE: 'delete' }

/** What the request wants to do, in the words that roles use. */
export function verbOf(method: string, resource: ResourceTarget | undefined, query: URLSearchParams): string {
  if (resource === undefined) return method.toLowerCase()
  // No role has such a verb, but the audit log and the answer must have a name for it.
  const verb = verbs[method] ?? method.toLowerCase()
  if (resource.name !== undefined) return verb
  if (verb === 'get') return isTrue(query.get('watch')) ? 'watch' : 'list'
  return verb === 'delete' ? 'deletecollection' : verb
}

/** Whether a query parameter is on: there, and neither `false` nor `0`. */
export function isTrue(value: string | null): boolean {
  return value !== null && value.toLowerCase() !== 'false' && value !== '0'
}
