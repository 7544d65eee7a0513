import type { ClusterPool } from '../../kinds/index.ts'
import { condition, findCondition } from '../../control/index.ts'
import type { Outcome } from '../../control/index.ts'
import { counted } from '../counted.ts'
import { bounds, type Customizations, entriesOf, lastUse, quarantinedUntil } from './inventory.ts'
import type { Plan } from './plan.ts'
import type { NameTrouble } from './usable-names.ts'

/** The conditions of a pool, each with the status that it has when all is well. */
export const poolConditions = {
  Filled: 'True',
  MissingDependencies: 'False',
  CapacityAvailable: 'True',
  AllClustersCurrent: 'True',
  InventoryValid: 'True',
  DeletionPossible: 'True',
} as const

/** Conditions that nothing is known about yet. */
export function initialised(pool: ClusterPool): readonly Outcome<never>[] {
  return Object.keys(poolConditions)
    .filter(type => type !== 'Filled' && findCondition(pool, type) === undefined)
    .map(notKnown)
}

function notKnown(type: string): Outcome<never> {
  return condition(type, { status: 'Unknown', reason: 'Initialized', message: 'Condition Initialized' })
}

/** Whether there may be more clusters. */
export function capacityCondition(pool: ClusterPool, { capacity, drift }: Plan): Outcome<never> {
  if (capacity > 0)
    return condition('CapacityAvailable', {
      status: 'True',
      reason: 'Available',
      message: 'There is capacity to add more clusters to the pool.',
    })
  const { max } = bounds(pool)
  // A pool that has all it wants does not wait for more.
  const wanting = (then: string, unblock: string) => (drift < 0 ? { then, unblock } : {})
  const byNames = pool.spec.maxSize === undefined || max < pool.spec.maxSize
  if (byNames)
    return condition('CapacityAvailable', {
      status: 'False',
      reason: 'InventoryExhausted',
      message: `The pool has as many clusters as its inventory has names: ${max}.`,
      ...wanting('a name is used again when its cluster is gone', 'add names to spec.inventory.clusterDeployments'),
    })
  return condition('CapacityAvailable', {
    status: 'False',
    reason: 'MaxCapacity',
    message: `Pool is at maximum capacity of ${max} waiting and claimed clusters.`,
    ...wanting('clusters are added when others are gone', 'raise spec.maxSize'),
  })
}

/** Whether all unclaimed clusters are made from what the pool says now. */
export function currentCondition({ buckets, removals }: Plan): Outcome<never> {
  const removed = new Set(removals.filter(({ why }) => why === 'stale').map(({ cluster }) => cluster))
  const names = (list: Plan['buckets']['unassigned']) =>
    list
      .filter(cluster => !removed.has(cluster))
      .map(({ metadata }) => metadata.name)
      .toSorted()
  const [other, unsaid] = [names(buckets.otherVersion), names(buckets.unknownVersion)]
  const stale = (what: string) => ({ then: 'they are replaced one at a time, the oldest first', unblock: `delete them by hand: ${what}` })
  if (other.length > 0)
    return condition('AllClustersCurrent', {
      status: 'False',
      reason: 'SomeClusterDeploymentsStale',
      message: `Some unclaimed ClusterDeployments do not match the pool configuration: ${other.join(', ')}`,
      ...stale(`kubectl delete clusterdeployment ${other[0]} -n ${other[0]}`),
    })
  if (unsaid.length > 0)
    return condition('AllClustersCurrent', {
      status: 'Unknown',
      reason: 'SomeClusterDeploymentsUnknown',
      message: `Some unclaimed ClusterDeployments do not say what they were made from: ${unsaid.join(', ')}`,
    })
  return condition('AllClustersCurrent', {
    status: 'True',
    reason: 'ClusterDeploymentsCurrent',
    message: 'All unassigned ClusterDeployments match the pool configuration',
  })
}

/** Whether every name of the inventory can be used. */
export function inventoryCondition(
  pool: ClusterPool,
  { conflicts, duplicates }: Plan,
  { missing, brokenBySyntax, unresolved }: NameTrouble,
  customizations: Customizations,
): readonly Outcome<never>[] {
  const entries = entriesOf(pool)
  if (entries === undefined) {
    // What was said of an inventory goes with it.
    const told = findCondition(pool, 'InventoryValid')
    return told === undefined || told.status === 'Unknown' ? [] : [notKnown('InventoryValid')]
  }
  const syntax = Object.keys(brokenBySyntax)
  const brokenByCloud = entries
    .filter(entry => lastUse(entry, pool, customizations)?.result === 'Failed')
    .map(({ name }) => name)
    .filter(name => !syntax.includes(name))
  const lists = { BrokenByCloud: brokenByCloud, BrokenBySyntax: syntax, Missing: missing }
  const all = {
    ...lists,
    ...(conflicts.length === 0 ? {} : { Conflict: conflicts }),
    ...(duplicates.length === 0 ? {} : { Duplicate: duplicates }),
  }
  const isResolved = Object.keys(unresolved).length === 0
  if (isResolved && Object.values(all).every(list => list.length === 0))
    return [condition('InventoryValid', { status: 'True', reason: 'Valid', message: '' })]
  const sorted = Object.fromEntries(Object.entries(all).map(([key, list]) => [key, list.toSorted(byText)]))
  const message = JSON.stringify({ ...sorted, ...(isResolved ? {} : { Unresolved: unresolved }) })
  return [condition('InventoryValid', { status: 'False', reason: 'Invalid', message })]
}

/** Whether the pool has what it should have; if not, what it waits for. */
export function filledCondition(
  pool: ClusterPool,
  plan: Plan,
  missing: readonly string[],
  customizations: Customizations,
  now: number,
): Outcome<never> {
  const { buckets, pending, unmade, capacity, room, freeNames, drift } = plan
  const { size } = bounds(pool)
  const there = [...buckets.assignable, ...buckets.standby].filter(cluster => !plan.given.has(cluster)).length
  const numbers = `${there} of ${size} clusters are ready or stand by`
  if (there >= size && pending.length === 0) return condition('Filled', { status: 'True', reason: 'Filled', message: numbers })
  const claims = pending.length === 0 ? '' : `; ${counted(pending.length, 'claim waits', 'claims wait')}`
  const unfilled = (reason: string, message: string, then: string, unblock?: string, until?: number) =>
    condition('Filled', { status: 'False', reason, message: `${numbers}${claims}; ${message}`, then, unblock, until })
  const coming = buckets.installing.length + unmade.length + plan.add
  if (missing.length > 0)
    return unfilled('MissingDependencies', missing.join(', '), 'clusters are made when it is there', 'create what is missing')
  if (drift < 0 && plan.add === 0 && capacity <= 0)
    return unfilled(
      'NoCapacity',
      'the pool has as many clusters as it may',
      'clusters are added when others are gone',
      'raise spec.maxSize, or add names to spec.inventory',
    )
  if (drift < 0 && plan.add === 0 && freeNames?.length === 0) {
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
  if (drift < 0 && plan.add === 0 && room <= 0)
    return unfilled(
      'MaxConcurrent',
      `${counted(coming, 'is', 'are')} being installed and ${buckets.deleting.length} removed`,
      'the next follow when these are through',
      'raise spec.maxConcurrent',
    )
  return unfilled('Installing', `${counted(coming, 'is', 'are')} being installed`, 'the pool is filled when all are through')
}

/** When the first name comes out of its quarantine; infinity if none is in it. */
export function endOfQuarantine(pool: ClusterPool, customizations: Customizations, now: number): number {
  const entries = entriesOf(pool) ?? []
  const ends = entries.map(entry => quarantinedUntil(lastUse(entry, pool, customizations), pool, now) ?? Number.POSITIVE_INFINITY)
  return Math.min(...ends)
}

function byText(a: string, b: string): number {
  return a < b ? -1 : 1
}
