import { parseDuration, parseTime } from '../../ports/index.ts'
import { ClusterClaim, ClusterDeployment, Namespace } from '../../kinds/index.ts'
import {
  again,
  braked,
  condition,
  done,
  findCondition,
  hasFinalizer,
  isBeingDeleted,
  met,
  next,
  remove,
  report,
  wait,
  withFinalizer,
  withoutFinalizer,
} from '../../control/index.ts'
import type { Step } from '../../control/index.ts'
import type { Store } from '../../store/index.ts'
import { isCertainlyPoolMember, isNamespaceOf } from '../cluster-namespace.ts'
import { find } from '../find.ts'
import { claimFinalizer, removalAnnotation } from '../names.ts'
import { claimNameOf, isMarked, protectionOf } from '../pool/buckets.ts'
import { withdrawClaim } from '../pool/effects.ts'
import { isClaimedBy, isOfPool, isOpen } from '../pool/links.ts'
import { revokeAccess } from './access.ts'
import type { ClaimPass } from './claim-pass.ts'
import { endOfLife, lifetimeOf, lifetimeText } from './lifetime.ts'
import { isNext, waitForCluster } from './queue.ts'

/** Milliseconds that a pool is given to serve a claim before the claim is told that it waits. */
const promptly = 1_000

/** Waits in the queue until the pool names a cluster. A claim that is about to be served is not written to: that would only disturb. */
export function awaitAssignment(pass: ClaimPass): Step<ClusterClaim> {
  if ((pass.object.spec.namespace ?? '') !== '') return next
  if (findCondition(pass.object, 'Pending') === undefined && isNext(pass)) {
    const until = parseTime(pass.object.metadata.creationTimestamp ?? '') + promptly + promptly
    if (pass.now < until) return [again(until), done]
  }
  const unknown = condition('ClusterRunning', { status: 'Unknown', reason: 'Initialized', message: 'Condition Initialized' })
  return braked(pass, [unknown, waitForCluster(pass)])
}

/** Whoever has a cluster is held until that was given back. */
export async function hold({ object, store }: ClaimPass): Promise<Step<ClusterClaim>> {
  if (hasFinalizer(object, claimFinalizer)) return next
  await store.update(ClusterClaim, withFinalizer(object, claimFinalizer))
  return done
}

/** Deletes a claim whose lifetime is over; otherwise asks to be called again when it will be. */
export function expire({ object, pool, now }: ClaimPass): Step<ClusterClaim> {
  const told = report<ClusterClaim>({ lifetime: lifetimeText(object, pool) })
  const until = endOfLife(object, pool)
  if (until === undefined) return told
  return now >= until ? remove('its lifetime ended') : [told, again(until)]
}

/** Looks at the cluster that the claim names; one that is another's is given up. */
export async function followCluster({ object, cluster: shown, store, now }: ClaimPass): Promise<Step<ClusterClaim>> {
  const { namespace = '' } = object.spec
  // What memory shows may be old. That the cluster is gone, or not this claim's, is told only when the store says so, too.
  const isMine = shown !== undefined && isClaimedBy(shown, object)
  const cluster = isMine ? shown : await find(store, ClusterDeployment, namespace, namespace)
  // Whoever told the claim of it may have been stopped before the claim had it.
  const everHad = findCondition(object, 'Pending')?.status === 'False'
  if (cluster === undefined)
    return everHad
      ? lost('ClusterDeleted', 'Assigned cluster has been deleted')
      : giveUp(object, 'Assigned cluster was removed before it could be claimed', store, now)
  if (!isOfPool(cluster, object) || !(isMine || (await isCertainlyPoolMember(store, cluster))))
    return giveUp(object, 'Assigned cluster does not belong to the pool', store, now)
  const owner = claimNameOf(cluster)
  const isLeaving = isBeingDeleted(cluster) || isMarked(cluster)
  // The pool removed it at the same moment. The claim never had it, so it gets another.
  if (isLeaving && owner === undefined) return giveUp(object, 'Assigned cluster was removed before it could be claimed', store, now)
  if (isLeaving) return lost('ClusterDeleting', 'Assigned cluster has been marked for deletion')
  // Memory does not show it yet, and calls again when it does.
  if (owner === object.metadata.name) return isMine ? next : done
  if (owner === undefined)
    return wait('Pending', {
      reason: 'ClusterAssigned',
      message: 'Cluster assigned to ClusterClaim, awaiting claim',
      then: 'the pool completes the claim',
    })
  return giveUp(object, 'Assigned cluster was claimed by a different ClusterClaim', store, now)
}

/** First the reason is written, then the wish is made anew: whoever looks in between sees why. */
async function giveUp(claim: ClusterClaim, message: string, store: Store, now: number): Promise<Step<ClusterClaim>> {
  const conflict = { reason: 'AssignmentConflict', message, then: 'the claim gets another cluster' }
  if (findCondition(claim, 'Pending')?.reason !== conflict.reason) return [wait('Pending', conflict), again(now)]
  const { namespace: _taken, ...spec } = claim.spec
  await store.update(ClusterClaim, { ...claim, spec })
  return done
}

function lost(reason: string, message: string): Step<ClusterClaim> {
  return [
    condition('ClusterRunning', {
      status: 'False',
      reason,
      message,
      then: 'nothing: a claim gets one cluster',
      unblock: 'delete the claim and make a new one',
    }),
    done,
  ]
}

/** The claim has its cluster; whether that runs is another matter. */
export function reportRunning(pass: ClaimPass): Step<ClusterClaim> {
  const { object, pool, cluster, now } = pass
  const lifetime = lifetimeOf(object, pool)
  const isNew = findCondition(object, 'Pending')?.status !== 'False'
  const claimed = [
    met('Pending', { reason: 'ClusterClaimed', message: 'Cluster claimed' }),
    ...(isNew && lifetime !== undefined ? [again(now + parseDuration(lifetime))] : []),
  ]
  if (cluster?.status?.powerState === 'Running')
    return braked(pass, [...claimed, met('ClusterRunning', { reason: 'Running', message: 'Cluster is running' })])
  const place = `ClusterDeployment/${cluster?.metadata.namespace}/${cluster?.metadata.name}`
  return braked(pass, [
    ...claimed,
    wait('ClusterRunning', {
      reason: 'Resuming',
      message: 'Waiting for cluster to be running',
      then: `the cluster can be used when ${place} runs`,
    }),
  ])
}

/** Whether a namespace was made for the pool of a claim, or is gone. */
async function isLeftToPool({ metadata, spec }: ClusterClaim, name: string, store: Store): Promise<boolean> {
  const namespace = await find(store, Namespace, undefined, name)
  return namespace === undefined || isNamespaceOf(namespace, { namespace: metadata.namespace ?? '', name: spec.clusterPoolName })
}

/**
 * Gives the cluster of a claim that is being deleted back: takes the access away and asks the pool to remove it. The claim stays until
 * the cluster is gone, so that a new claim of the same name is not taken for this one.
 */
export async function returnCluster(pass: ClaimPass): Promise<Step<ClusterClaim>> {
  const { object, cluster: shown, role, binding, store } = pass
  if (!isBeingDeleted(object)) return next
  pass.brake.forget(pass.key)
  if (!hasFinalizer(object, claimFinalizer)) return done
  const { namespace = '' } = object.spec
  // What memory shows may be old; and whoever told the claim of the cluster may be about to write the claim on it.
  const isShown = namespace === '' || (shown !== undefined && isClaimedBy(shown, object))
  const cluster = isShown ? shown : await find(store, ClusterDeployment, namespace, namespace)
  // Anybody can write any namespace into a claim: nothing is done in one that was not made for the claim's pool.
  const isInside = namespace !== '' && (isShown || (await isLeftToPool(object, namespace, store)))
  if (isInside && cluster !== undefined && isOpen(cluster) && isOfPool(cluster, object)) await withdrawClaim(store, cluster, object)
  const isMine = isInside && (cluster === undefined || isClaimedBy(cluster, object))
  if (isMine) await revokeAccess(namespace, pass)
  if (!isMine || (cluster === undefined && role === undefined && binding === undefined)) {
    await store.update(ClusterClaim, withoutFinalizer(object, claimFinalizer))
    return done
  }
  if (cluster !== undefined && !isBeingDeleted(cluster) && !isMarked(cluster)) {
    const annotations = { ...cluster.metadata.annotations, [removalAnnotation]: 'true' }
    await store.update(ClusterDeployment, { ...cluster, metadata: { ...cluster.metadata, annotations } })
  }
  const place = `ClusterDeployment/${namespace}/${namespace}`
  const protection = cluster === undefined ? undefined : protectionOf(cluster)
  return wait('ClusterRunning', {
    reason: 'ClusterDeleting',
    message: protection === undefined ? `${place} is being removed` : `${place} is to be removed, but ${protection.message}`,
    then: 'the claim is gone when its cluster is',
    unblock: protection?.fix,
  })
}
