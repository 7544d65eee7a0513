/** Orders two revisions of one store: negative if `a` is the older one. They are decimal numbers of any length. */
export function compareRevisions(a: string, b: string): number {
  if (a === b) return 0
  return a.length - b.length || (a < b ? -1 : 1)
}
