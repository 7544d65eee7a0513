import { ClusterDeployment } from '../../kinds/index.ts'
import { condition, next, report } from '../../control/index.ts'
import type { Step } from '../../control/index.ts'
import type { ClusterPool } from '../../kinds/index.ts'
import { protectionOf } from './buckets.ts'
import { removeCluster } from './effects.ts'
import type { PoolPass } from './pool-pass.ts'

/**
 * Removes the clusters of a pool that is being deleted: those that were asked for first, then all that nobody has claimed, within
 * the pool's limit. Claimed ones stay, and hold the pool.
 */
export async function emptyPool({ object, key, clusters, plan, store, metrics, brake, proposed }: PoolPass): Promise<Step<ClusterPool>> {
  const { marked, unassigned, installing, deleting } = plan.buckets
  const room = Math.max(0, (object.spec.maxConcurrent ?? Number.POSITIVE_INFINITY) - installing.length - deleting.length)
  const held = [...marked, ...unassigned].flatMap(cluster => protectionOf(cluster)?.fix ?? [])
  const leaving = [...marked, ...unassigned].filter(cluster => protectionOf(cluster) === undefined)
  for (const cluster of leaving.slice(0, room)) await removeCluster(store, cluster)
  const names = clusters.map(({ metadata }) => metadata.name).toSorted()
  if (names.length === 0) {
    metrics.forget(object)
    brake.forget(key)
    for (const [namespace, pool] of proposed) if (pool === key) proposed.delete(namespace)
    return [
      condition('DeletionPossible', { status: 'True', reason: 'DeletionPossible', message: 'No ClusterDeployments pending cleanup' }),
      next,
    ]
  }
  const claimed = plan.buckets.claimed.map(({ metadata }) => `${ClusterDeployment.name}/${metadata.namespace}/${metadata.name}`)
  return [
    report({ size: unassigned.length, standby: plan.buckets.standby.length, ready: plan.buckets.assignable.length }),
    {
      ...condition('DeletionPossible', {
        status: 'False',
        reason: 'ClusterDeploymentsPendingCleanup',
        message: `The following ClusterDeployments are pending cleanup: ${names.join(', ')}`,
        then: 'the pool goes when all of them are gone',
        unblock: claimed.length === 0 ? held[0] : `delete the claims of ${claimed.join(', ')}`,
      }),
      go: 'end',
    },
  ]
}
