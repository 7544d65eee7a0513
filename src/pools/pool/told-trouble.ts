import type { ClusterPool } from '../../kinds/index.ts'
import { findCondition } from '../../control/index.ts'
import { type Customizations, entriesOf, inventoryNames } from './inventory.ts'
import { type NameTrouble, noTrouble } from './name-trouble.ts'
import type { PoolView } from './plan.ts'

/** What an earlier pass found out about names, and told; it is found out anew when names are chosen. */
export function toldTrouble(pool: ClusterPool, customizations: Customizations): NameTrouble {
  const told = findCondition(pool, 'InventoryValid')
  const missing = (entriesOf(pool) ?? []).flatMap(({ name, customizationRef }) =>
    customizationRef === undefined || customizations.has(customizationRef.name) ? [] : [name],
  )
  if (told?.reason !== 'Invalid') return { ...noTrouble, missing }
  const lists = JSON.parse(told.message) as { BrokenBySyntax?: string[]; Unresolved?: Record<string, string[]> }
  const listed = new Set(inventoryNames(pool))
  const misfits = (lists.BrokenBySyntax ?? []).filter(name => listed.has(name))
  const unresolved = Object.fromEntries(Object.entries(lists.Unresolved ?? {}).filter(([name]) => listed.has(name)))
  return { missing, brokenBySyntax: Object.fromEntries(misfits.map(name => [name, ''])), unresolved }
}

/** Says of a name whether an earlier pass found that it cannot be used. */
export function isInTrouble({ pool, customizations }: PoolView): (name: string) => boolean {
  const { missing, brokenBySyntax, unresolved } = toldTrouble(pool, customizations)
  return name => missing.includes(name) || Object.hasOwn(brokenBySyntax, name) || Object.hasOwn(unresolved, name)
}
