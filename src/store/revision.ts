import { StoreError } from './errors.ts'

/** Orders two revisions of one store: negative if `a` is the older one. They are decimal numbers of any length. */
export function compareRevisions(a: string, b: string): number {
  if (a === b) return 0
  return a.length - b.length || (a < b ? -1 : 1)
}

/** The number behind a resource version; 0 for the empty one. Throws BadRequest. */
export function parseRevision(text: string): number {
  const revision = /^\d{0,16}$/.test(text) ? Number(text) : Number.NaN
  if (Number.isSafeInteger(revision)) return revision
  throw new StoreError('BadRequest', `invalid resource version: resourceVersion: Invalid value: "${text}": it must be a decimal number`, {
    fix: 'pass on a resourceVersion that this store gave out',
  })
}
