import { clusterNameOf, type Customizations, entriesOf, type Entry, type EntryOf } from './inventory.ts'
import type { Reservation } from './ledger.ts'
import type { PoolView } from './plan.ts'

/** Who of a pool has a cluster name: the entry, and the namespace once that is chosen. */
interface NameHolder {
  readonly entry: string | undefined
  readonly namespace?: string
}

/** Who of a pool has each cluster name. Several entries may want one; the others do without. */
export type NameHolders = ReadonlyMap<string, NameHolder>

/** What the cluster of a reservation is called: as its entry says, or like its object. */
export function reservedName({ namespace }: Reservation, entry: Entry | undefined, customizations: Customizations): string {
  return (entry === undefined ? undefined : clusterNameOf(entry, customizations)) ?? namespace
}

/** Whoever is there has its name, then whoever was decided on; a name that is left belongs to the first entry that wants it. */
export function nameHolders(
  { pool, clusters, customizations }: Pick<PoolView, 'pool' | 'clusters' | 'customizations'>,
  unmade: readonly Reservation[],
  entryOf: EntryOf,
): NameHolders {
  const holders = new Map<string, NameHolder>()
  const take = (clusterName: string | undefined, holder: NameHolder) => {
    if (clusterName !== undefined && !holders.has(clusterName)) holders.set(clusterName, holder)
  }
  const entries = entriesOf(pool) ?? []
  const byName = new Map(entries.map(entry => [entry.name, entry]))
  for (const cluster of clusters) take(cluster.spec.clusterName, { entry: entryOf(cluster), namespace: cluster.metadata.name })
  for (const reservation of unmade)
    take(reservedName(reservation, byName.get(reservation.name ?? ''), customizations), {
      entry: reservation.name,
      namespace: reservation.namespace,
    })
  for (const entry of entries) if (entry.disabled !== true) take(clusterNameOf(entry, customizations), { entry: entry.name })
  return holders
}

/** Entries that get no cluster because another entry of the pool has the name that theirs would have. */
export function outdone({ pool, customizations }: Pick<PoolView, 'pool' | 'customizations'>, holders: NameHolders): readonly string[] {
  return (entriesOf(pool) ?? []).flatMap(entry => {
    const clusterName = entry.disabled === true ? undefined : clusterNameOf(entry, customizations)
    return clusterName === undefined || holders.get(clusterName)?.entry === entry.name ? [] : [entry.name]
  })
}
