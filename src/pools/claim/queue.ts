import { ClusterClaim, ClusterDeployment } from '../../kinds/index.ts'
import type { ClusterPool } from '../../kinds/index.ts'
import { findCondition, isBeingDeleted, keyOf, wait } from '../../control/index.ts'
import type { Outcome } from '../../control/index.ts'
import { counted } from '../counted.ts'
import { olderFirst } from '../pool/buckets.ts'
import { isOpen, waitingClaims } from '../pool/links.ts'
import type { ClaimPass } from './claim-pass.ts'

const then = 'the oldest waiting claim gets the first cluster that is ready'

/** Whether the pool has a cluster ready for a claim, so that it will be served at once. */
export function isNext({ object, pool, read }: ClaimPass): boolean {
  if (pool === undefined || isBeingDeleted(pool)) return false
  const ready = read(ClusterDeployment)
    .byIndex('byPool', keyOf(pool))
    .filter(cluster => isOpen(cluster) && cluster.status?.powerState === 'Running')
  return queueOf(pool, read).findIndex(claim => claim.metadata.name === object.metadata.name) < ready.length
}

function queueOf(pool: ClusterPool, read: ClaimPass['read']): readonly ClusterClaim[] {
  return waitingClaims(read(ClusterClaim).byIndex('byPool', keyOf(pool))).toSorted(olderFirst)
}

/** Says where in the queue a claim without a cluster is, and what the pool is doing about it. */
export function waitForCluster({ object, pool, read }: ClaimPass): Outcome<never> {
  const { clusterPoolName } = object.spec
  const place = `ClusterPool/${object.metadata.namespace}/${clusterPoolName}`
  if (pool === undefined)
    return wait('Pending', {
      reason: 'PoolNotFound',
      message: `there is no ${place}`,
      then: 'the claim waits for it',
      unblock: `create the pool ${clusterPoolName}, or delete the claim`,
    })
  if (isBeingDeleted(pool))
    return wait('Pending', {
      reason: 'PoolDeleting',
      message: `${place} is being deleted`,
      then: 'nothing: it gives no clusters any more',
      unblock: 'make a claim on another pool',
    })
  const queue = queueOf(pool, read)
  const position = queue.findIndex(claim => claim.metadata.name === object.metadata.name) + 1
  const clusters = read(ClusterDeployment)
    .byIndex('byPool', keyOf(pool))
    .filter(cluster => !isBeingDeleted(cluster))
  const installing = clusters.filter(({ spec }) => !spec.installed).length
  const starting = clusters.filter(
    ({ spec, status }) => spec.installed && spec.clusterPoolRef?.claimName === undefined && status?.powerState !== 'Running',
  ).length
  const coming = `${counted(installing, 'cluster is', 'clusters are')} being installed, ${counted(starting, 'stands by or starts', 'stand by or start')}`
  const message = `No clusters in pool are ready to be claimed: ${placeText(Math.max(1, position), queue.length)} in the queue of ${place}; ${coming}`
  return wait('Pending', { reason: 'NoClusters', message, then, unblock: unblock(pool, installing + starting >= position) })
}

/** Numbers up to this are told exactly. */
const exactly = 20

/**
 * Where somebody stands in a queue. In a long one roughly: it would otherwise cost a write for everybody who waits whenever somebody is
 * served or comes.
 */
export function placeText(position: number, length: number): string {
  const all = length <= exactly ? String(length) : `more than ${roundedDown(length - 1)}`
  return position <= exactly ? `position ${position} of ${all}` : `behind more than ${roundedDown(position - 1)} of ${all}`
}

function roundedDown(count: number): number {
  const step = 10 ** Math.floor(Math.log10(count))
  return Math.floor(count / step) * step
}

/** What a person can do, which is nothing while a cluster for the claim is on its way. */
function unblock(pool: ClusterPool, isComing: boolean): string {
  const { name } = pool.metadata
  if (isComing) return `nothing needs to be done: a cluster for it is on its way (aviary pool show ${name})`
  return findCondition(pool, 'Filled')?.unblock ?? `raise spec.size of pool ${name}`
}
