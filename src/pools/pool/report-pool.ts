import type { ClusterPool } from '../../kinds/index.ts'
import { again, braked, findCondition, report } from '../../control/index.ts'
import type { Step } from '../../control/index.ts'
import { brokenFrom } from './broken.ts'
import { capacityCondition, currentCondition, endOfQuarantine, filledCondition, inventoryCondition } from './conditions.ts'
import { bounds, entriesOf, inventoryNames, lastUse } from './inventory.ts'
import { nameResults } from './name-results.ts'
import type { PoolPass } from './pool-pass.ts'
import { type NameTrouble, noTrouble } from './usable-names.ts'

/** Sums up what the pass saw. */
export function reportPool(pass: PoolPass): Step<ClusterPool> {
  const { object, plan, found, now, metrics, clusters, customizations } = pass
  const { buckets, ledger, freeNames } = plan
  const results = nameResults(object, clusters)
  const pool: ClusterPool = { ...object, status: { ...object.status, ...(results === undefined ? {} : { nameResults: results }) } }
  metrics.show(object, plan, now)
  const told = findCondition(object, 'MissingDependencies')
  const lacking = found.missing ?? (told?.status === 'True' && plan.drift < 0 ? [told.message] : [])
  const numbers = {
    size: buckets.unassigned.length,
    standby: buckets.standby.length,
    ready: buckets.assignable.length,
    nameResults: results,
    inventory: freeNames === undefined ? undefined : inventoryNumbers(pool, ledger.usage, freeNames.length, customizations),
  }
  const said = [
    capacityCondition(pool, plan),
    ...(plan.add > 0 ? [] : inventoryCondition(pool, plan, lastTrouble(pass), customizations)),
    currentCondition(plan),
    filledCondition(pool, plan, lacking, customizations, now),
  ]
  return [...braked(pass, [report<ClusterPool>(numbers), ...said]), ...wakeUps(pass)]
}

function inventoryNumbers(
  pool: ClusterPool,
  usage: Readonly<Record<string, string | null>>,
  free: number,
  customizations: PoolPass['customizations'],
) {
  const entries = entriesOf(pool) ?? []
  const broken = entries.filter(entry => lastUse(entry, pool, customizations)?.result === 'Failed').length
  const reserved = Object.values(usage).filter(namespace => namespace !== null).length
  return { total: entries.length, free, reserved, broken }
}

/** What an earlier pass found out about names; it is found out anew when names are chosen. */
function lastTrouble({ object: pool, customizations }: PoolPass): NameTrouble {
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

/** Times at which the pool looks different without anything having happened. */
function wakeUps({ object, plan, customizations, now }: PoolPass) {
  const timeouts = plan.buckets.unassigned.map(cluster => brokenFrom(cluster, object))
  const quarantine = bounds(object).size > 0 ? endOfQuarantine(object, customizations, now) : Number.POSITIVE_INFINITY
  const first = Math.min(...[...timeouts, quarantine].filter(time => time > now))
  return Number.isFinite(first) ? [again(first)] : []
}
