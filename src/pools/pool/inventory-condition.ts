import type { ClusterPool } from '../../kinds/index.ts'
import { condition, findCondition } from '../../control/index.ts'
import type { Outcome } from '../../control/index.ts'
import { notKnown } from './conditions.ts'
import { type Customizations, entriesOf, lastUse } from './inventory.ts'
import type { NameTrouble } from './name-trouble.ts'
import type { Plan } from './plan.ts'

/** Whether every name of the inventory can be used. */
export function inventoryCondition(
  pool: ClusterPool,
  plan: Plan,
  trouble: NameTrouble,
  customizations: Customizations,
): readonly Outcome<never>[] {
  if (entriesOf(pool) === undefined) {
    // What was said of an inventory goes with it.
    const told = findCondition(pool, 'InventoryValid')
    return told === undefined || told.status === 'Unknown' ? [] : [notKnown('InventoryValid')]
  }
  const { Conflict, Duplicate, Unresolved, ...usual } = faultsOf(pool, plan, trouble, customizations)
  const lists = {
    ...usual,
    ...(Conflict.length === 0 ? {} : { Conflict }),
    ...(Duplicate.length === 0 ? {} : { Duplicate }),
  }
  const isResolved = Object.keys(Unresolved).length === 0
  if (isResolved && Object.values(lists).every(list => list.length === 0))
    return [condition('InventoryValid', { status: 'True', reason: 'Valid', message: '' })]
  const sorted = Object.fromEntries(Object.entries(lists).map(([key, list]) => [key, list.toSorted(byText)]))
  const message = JSON.stringify({ ...sorted, ...(isResolved ? {} : { Unresolved }) })
  return [
    condition('InventoryValid', { status: 'False', reason: 'Invalid', message, unblock: remedy(pool, plan, trouble, customizations) }),
  ]
}

/** What is to be done, first of all, about names that cannot be used. Undefined if there are none. */
export function remedy(pool: ClusterPool, plan: Plan, trouble: NameTrouble, customizations: Customizations): string | undefined {
  const { Missing, BrokenBySyntax, Unresolved, Conflict, Duplicate, BrokenByCloud } = faultsOf(pool, plan, trouble, customizations)
  const refOf = (name: string | undefined) => entriesOf(pool)?.find(entry => entry.name === name)?.customizationRef?.name
  if (Missing.length > 0) return `create the ClusterDeploymentCustomization ${refOf(Missing[0])}`
  if (BrokenBySyntax.length > 0) return `correct the patches of ${BrokenBySyntax[0]}, in its entry or its customization`
  if (Object.keys(Unresolved).length > 0) return `make the DNS records that are missing: aviary pool dns ${pool.metadata.name} --check`
  if (Conflict.length > 0) return `take ${Conflict[0]} out of one of the pools that want it`
  if (Duplicate.length > 0) return `give ${Duplicate[0]} a name that no other entry or cluster of the pool has`
  if (BrokenByCloud.length > 0)
    return `see what went wrong with ${BrokenByCloud[0]}: aviary get clusterpool ${pool.metadata.name} -o yaml, at nameResults`
  return undefined
}

/** The names that cannot be used, by why. */
function faultsOf(
  pool: ClusterPool,
  { conflicts, duplicates }: Plan,
  { missing, brokenBySyntax, unresolved }: NameTrouble,
  customizations: Customizations,
) {
  const failed = (entriesOf(pool) ?? []).filter(entry => lastUse(entry, pool, customizations)?.result === 'Failed')
  return {
    BrokenByCloud: failed.map(({ name }) => name).filter(name => !Object.hasOwn(brokenBySyntax, name)),
    BrokenBySyntax: Object.keys(brokenBySyntax),
    Missing: missing,
    Conflict: conflicts,
    Duplicate: duplicates,
    Unresolved: unresolved,
  }
}

function byText(a: string, b: string): number {
  return a < b ? -1 : 1
}
