import { parseDuration, parseTime } from '../../ports/index.ts'
import type { ClusterPool } from '../../kinds/index.ts'

/** One entry of a pool's inventory. */
export type Entry = NonNullable<NonNullable<ClusterPool['spec']['inventory']>['clusterDeployments']>[number]

type Results = NonNullable<NonNullable<ClusterPool['status']>['nameResults']>

/** The entries of a pool's inventory; undefined if it has none. An inventory without a list has no entries. */
export function entriesOf({ spec: { inventory } }: ClusterPool): readonly Entry[] | undefined {
  return inventory === undefined ? undefined : (inventory.clusterDeployments ?? [])
}

/** The names of a pool's inventory; undefined if it has none. */
export function inventoryNames(pool: ClusterPool): readonly string[] | undefined {
  return entriesOf(pool)?.map(({ name }) => name)
}

/** How many clusters a pool should keep and may have: its numbers, but never more than it has names. */
export function bounds(pool: ClusterPool): { readonly size: number; readonly max: number } {
  const { size, maxSize = Number.POSITIVE_INFINITY } = pool.spec
  const names = entriesOf(pool)?.filter(({ disabled }) => disabled !== true).length ?? Number.POSITIVE_INFINITY
  return { size: Math.min(size, names), max: Math.min(maxSize, names) }
}

/** Until when a name is left alone because an installation under it failed; undefined if it is not. */
export function quarantinedUntil(name: string, pool: ClusterPool, now: number): number | undefined {
  const last = pool.status?.nameResults?.[name]
  if (pool.spec.quarantine === undefined || last?.result !== 'Failed') return undefined
  const until = parseTime(last.time) + parseDuration(pool.spec.quarantine)
  return until > now ? until : undefined
}

/** Names in the order in which they are tried: those that last went well, then those never used, then those that failed; oldest first. */
export function inOrderOfTrust(names: readonly string[], results: Results = {}): readonly string[] {
  const rank = (name: string) => {
    const last = results[name]
    return last === undefined ? '1' : `${last.result === 'Succeeded' ? 0 : 2} ${last.time}`
  }
  const keys = new Map(names.map(name => [name, `${rank(name)} ${name}`]))
  return names.toSorted((a, b) => (keys.get(a)! < keys.get(b)! ? -1 : 1))
}
