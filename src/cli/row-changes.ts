/** How rows of a live table are told apart, and how one is shown that is no longer there. */
export interface Rows<T> {
  readonly nameOf: (row: T) => string
  /** Absent: rows do not come and go. */
  readonly whenGone?: (row: T) => T
}

/** What somebody who watches a live table is shown: first what is gone, then what is new or not as it was. */
export function rowChanges<T>(before: readonly T[], now: readonly T[], { nameOf, whenGone }: Rows<T>): readonly T[] {
  const names = new Set(now.map(nameOf))
  const gone = whenGone === undefined ? [] : before.filter(row => !names.has(nameOf(row))).map(whenGone)
  const known = new Set(before.map(row => JSON.stringify(row)))
  return [...gone, ...now.filter(row => !known.has(JSON.stringify(row)))]
}
