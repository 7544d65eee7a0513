import type { ClusterPool } from '../../kinds/index.ts'
import { condition, findCondition } from '../../control/index.ts'
import type { Outcome } from '../../control/index.ts'
import { counted } from '../counted.ts'
import type { Plan } from './plan.ts'

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

/** A condition that nothing is known about. */
export function notKnown(type: string): Outcome<never> {
  return condition(type, { status: 'Unknown', reason: 'Initialized', message: 'Condition Initialized' })
}

/** Whether there may be more clusters. */
export function capacityCondition(pool: ClusterPool, { bounds: { max }, capacity, drift, outside }: Plan): Outcome<never> {
  if (capacity > 0)
    return condition('CapacityAvailable', {
      status: 'True',
      reason: 'Available',
      message: 'There is capacity to add more clusters to the pool.',
    })
  // A pool that has all it wants does not wait for more.
  const wanting = (then: string, unblock: string) => (drift < 0 ? { then, unblock } : {})
  const byNames = pool.spec.maxSize === undefined || max < pool.spec.maxSize
  if (byNames)
    return condition('CapacityAvailable', {
      status: 'False',
      reason: 'InventoryExhausted',
      message:
        outside === 0
          ? `The pool has as many clusters as its inventory has names: ${max}.`
          : `The pool has ${counted(max - capacity, 'cluster', 'clusters')}, of which ${counted(outside, 'has', 'have')} no name of its inventory, and the inventory has ${counted(max, 'name', 'names')}.`,
      ...wanting('there is room again when clusters are gone', 'add names to spec.inventory.clusterDeployments'),
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
