import type { ClusterPool } from '../../kinds/index.ts'
import { again, braked, findCondition, report } from '../../control/index.ts'
import type { Step } from '../../control/index.ts'
import { brokenFrom } from './broken.ts'
import { capacityCondition, currentCondition } from './conditions.ts'
import { endOfQuarantine, filledCondition } from './filled-condition.ts'
import { entriesOf, lastUse } from './inventory.ts'
import { inventoryCondition } from './inventory-condition.ts'
import { nameResults } from './name-results.ts'
import type { PoolPass } from './pool-pass.ts'
import { toldTrouble } from './told-trouble.ts'

/** Sums up what the pass saw. */
export function reportPool(pass: PoolPass): Step<ClusterPool> {
  const { object, plan, found, now, metrics, clusters, customizations } = pass
  const { buckets, ledger, freeNames } = plan
  const results = nameResults(object, clusters)
  const pool: ClusterPool = { ...object, status: { ...object.status, ...(results === undefined ? {} : { nameResults: results }) } }
  const told = findCondition(object, 'MissingDependencies')
  const missing = found.missing ?? (told?.status === 'True' && plan.drift < 0 ? [told.message] : [])
  const inventory = freeNames === undefined ? undefined : inventoryNumbers(pool, ledger.usage, freeNames.length, customizations)
  metrics.show(object, plan, inventory, now)
  const numbers = {
    size: buckets.unassigned.length,
    standby: buckets.standby.length,
    ready: buckets.assignable.length,
    nameResults: results,
    inventory,
  }
  const said = [
    capacityCondition(pool, plan),
    // Whoever has chosen names in this pass has said what is wrong with them.
    ...(found.chosen === undefined ? inventoryCondition(pool, plan, toldTrouble(object, customizations), customizations) : []),
    currentCondition(plan),
    filledCondition(pool, plan, { ...found, missing }, customizations, now),
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

/** Milliseconds after which it is shown again how long claims have been waiting. */
const showAgain = 30_000

/** Times at which the pool looks different without anything having happened. */
function wakeUps({ object, plan, customizations, now }: PoolPass) {
  const timeouts = plan.buckets.unassigned.map(cluster => brokenFrom(cluster, object))
  const quarantine = plan.bounds.size > 0 ? endOfQuarantine(object, customizations, now) : Number.POSITIVE_INFINITY
  const shown = plan.pending.length > 0 ? now + showAgain : Number.POSITIVE_INFINITY
  const first = Math.min(...[...timeouts, quarantine, shown].filter(time => time > now))
  return Number.isFinite(first) ? [again(first)] : []
}
