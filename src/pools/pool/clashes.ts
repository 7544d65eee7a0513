import { isAnothers } from './customization.ts'
import { clusterNameOf, entriesOf, type EntryOf } from './inventory.ts'
import { type NameHolders, outdone } from './name-holders.ts'
import type { PoolView } from './plan.ts'

/** Entries whose name or customization somebody else has. */
export function conflictsOf({ pool, customizations, holderOf }: PoolView): readonly string[] {
  const others = (entriesOf(pool) ?? []).filter(entry => {
    const clusterName = clusterNameOf(entry, customizations)
    const customization = customizations.get(entry.customizationRef?.name ?? '')
    return (
      (clusterName !== undefined && holderOf(clusterName) !== undefined) || (customization !== undefined && isAnothers(customization, pool))
    )
  })
  return others.map(({ name }) => name)
}

/**
 * Entries that get no cluster because another has their name, and those that more than one cluster was made from: by hand, or by a
 * backup that was restored beside what it was taken of.
 */
export function duplicatesOf(view: PoolView, entryOf: EntryOf, holders: NameHolders): readonly string[] {
  const used = view.clusters.map(entryOf)
  const several = (entriesOf(view.pool) ?? []).map(({ name }) => name).filter(name => used.indexOf(name) !== used.lastIndexOf(name))
  return [...new Set([...several, ...outdone(view, holders)])]
}
