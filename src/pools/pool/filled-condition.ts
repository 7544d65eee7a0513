import type { ClusterPool } from '../../kinds/index.ts'
import { condition } from '../../control/index.ts'
import type { Outcome } from '../../control/index.ts'
import { counted } from '../counted.ts'
import { protectionOf } from './buckets.ts'
import { type Customizations, entriesOf, lastUse, quarantinedUntil } from './inventory.ts'
import { remedy } from './inventory-condition.ts'
import type { Plan } from './plan.ts'
import type { Found } from './pool-pass.ts'

/** Whether the pool has what it should have; if not, what it waits for. */
export function filledCondition(
  pool: ClusterPool,
  plan: Plan,
  { missing = [], chosen }: Found,
  customizations: Customizations,
  now: number,
): Outcome<never> {
  const { buckets, bounds, pending, capacity, room, freeNames, drift, add } = plan
  const there = readyOf(plan)
  const held = heldLeaver(plan)
  const numbers = `${there} of ${bounds.size} clusters are ready or stand by${held === undefined ? '' : `; ${held.message}`}`
  if (there >= bounds.size && pending.length === 0)
    return condition('Filled', {
      status: 'True',
      reason: 'Filled',
      message: numbers,
      ...(held === undefined ? {} : { then: 'it is removed when nothing protects it', unblock: held.fix }),
    })
  const claims = pending.length === 0 ? '' : `; ${counted(pending.length, 'claim waits', 'claims wait')}`
  const unfilled = (reason: string, message: string, then: string, unblock?: string, until?: number) =>
    condition('Filled', { status: 'False', reason, message: `${numbers}${claims}; ${message}`, then, unblock, until })
  const coming = buckets.installing.length + plan.unmade.length - plan.unwanted.length + (chosen?.count ?? add)
  if (missing.length > 0)
    return unfilled('MissingDependencies', missing.join(', '), 'clusters are made when it is there', 'create what is missing')
  if (drift < 0 && add === 0 && capacity <= 0)
    return unfilled(
      'NoCapacity',
      'the pool has as many clusters as it may',
      'clusters are added when others are gone',
      held?.fix ?? 'raise spec.maxSize, or add names to spec.inventory',
    )
  if (drift < 0 && add === 0 && freeNames?.length === 0) {
    const until = endOfQuarantine(pool, customizations, now)
    const when = Number.isFinite(until) ? until : undefined
    return unfilled(
      'NoFreeName',
      'no name of the inventory is free',
      'a cluster is added when one is',
      'add names to spec.inventory.clusterDeployments',
      when,
    )
  }
  if (drift < 0 && add === 0 && room <= 0)
    return unfilled(
      'MaxConcurrent',
      `${counted(coming, 'is', 'are')} being installed and ${buckets.deleting.length} removed`,
      'the next follow when these are through',
      'raise spec.maxConcurrent',
    )
  if (chosen?.count === 0)
    return unfilled(
      'NoUsableName',
      `${counted(coming, 'is', 'are')} being installed; none of the free names can be used: InventoryValid says why`,
      'they are tried again every now and then',
      remedy(pool, plan, chosen.trouble, customizations),
    )
  return unfilled('Installing', `${counted(coming, 'is', 'are')} being installed`, 'the pool is filled when all are through')
}

/** How many clusters the pool has to give. What was given, or is on its way out, is not among them. */
function readyOf({ buckets, given, leaving }: Plan): number {
  return [...buckets.assignable, ...buckets.standby].filter(cluster => !given.has(cluster) && !leaving.includes(cluster)).length
}

/** A cluster that should go with its entry, and cannot. */
function heldLeaver({ leaving }: Plan): { readonly message: string; readonly fix: string } | undefined {
  const [held] = leaving.flatMap(cluster => {
    const protection = protectionOf(cluster)
    return protection === undefined ? [] : [{ cluster, ...protection }]
  })
  if (held === undefined) return undefined
  const { namespace, name } = held.cluster.metadata
  return { message: `ClusterDeployment/${namespace}/${name} left the inventory, but ${held.message}`, fix: held.fix }
}

/** When the first name comes out of its quarantine; infinity if none is in it. */
export function endOfQuarantine(pool: ClusterPool, customizations: Customizations, now: number): number {
  const entries = entriesOf(pool) ?? []
  const ends = entries.map(entry => quarantinedUntil(lastUse(entry, pool, customizations), pool, now) ?? Number.POSITIVE_INFINITY)
  return Math.min(...ends)
}
