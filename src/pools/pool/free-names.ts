import { isFree } from './customization.ts'
import { clusterNameOf, entriesOf, type EntryOf, inOrderOfTrust, lastUse, quarantinedUntil } from './inventory.ts'
import { isTaken, type Ledger } from './ledger.ts'
import type { NameHolders } from './name-holders.ts'
import type { PoolView } from './plan.ts'

/** The names that can be used now, best first; undefined without an inventory. */
export function freeNames(view: PoolView, ledger: Ledger, entryOf: EntryOf, holders: NameHolders): readonly string[] | undefined {
  const { pool, clusters, now, holderOf, customizations } = view
  const entries = entriesOf(pool)
  if (entries === undefined) return undefined
  const taken = new Set(clusters.map(entryOf))
  const results = new Map(entries.map(entry => [entry.name, lastUse(entry, pool, customizations)]))
  const free = entries.filter(entry => {
    const { name, disabled, customizationRef } = entry
    const clusterName = clusterNameOf(entry, customizations)
    const customization = customizations.get(customizationRef?.name ?? '')
    return (
      disabled !== true &&
      !isTaken(ledger, name) &&
      !taken.has(name) &&
      (clusterName === undefined || (holders.get(clusterName)?.entry === name && holderOf(clusterName) === undefined)) &&
      (customization === undefined || isFree(customization, pool, clusters)) &&
      quarantinedUntil(results.get(name), pool, now) === undefined
    )
  })
  return inOrderOfTrust(
    free.map(({ name }) => name),
    name => results.get(name),
  )
}
