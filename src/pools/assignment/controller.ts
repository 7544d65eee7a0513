import type { Histogram, Metrics } from '../../ports/index.ts'
import { ClusterClaim, ClusterDeployment, ClusterPool, Namespace } from '../../kinds/index.ts'
import { controller, hasFinalizer, indexed, isBeingDeleted, mapped, next } from '../../control/index.ts'
import type { Controller, Pass, Step } from '../../control/index.ts'
import { isCertainlyPoolMember, isPoolMember, poolsOfNamespace } from '../cluster-namespace.ts'
import { find } from '../find.ts'
import { assignmentDelay, labelsOf } from '../metrics.ts'
import { claimFinalizer } from '../names.ts'
import { forAll } from '../pool/all-settled.ts'
import { assignableOf } from '../pool/buckets.ts'
import { claimCluster, tellClaim } from '../pool/effects.ts'
import { isOpen, type Links, linksOf, waitingClaims } from '../pool/links.ts'
import { claimsByPool, clustersByPool, poolKeysOf, poolOfClaim } from '../pool/pool-keys.ts'
import { waitedSeconds } from '../pool/waited.ts'

type AssignmentPass = Pass<ClusterPool> & { readonly links: Links; readonly delay: Histogram<'clusterpool_namespace' | 'clusterpool_name'> }

/**
 * Gives clusters that run to claims that wait. Apart from the controller that makes and removes clusters, which takes its time: nobody
 * waits for a cluster that is there until the place of the last one is filled again.
 */
export function claimAssignment({ metrics }: { readonly metrics: Metrics }): Controller {
  const delay = assignmentDelay(metrics)
  return controller<ClusterPool, Pick<AssignmentPass, 'links' | 'delay'>>(ClusterPool, {
    name: 'claim-assignment',
    reads: [indexed(ClusterDeployment, { byPool: clustersByPool }), indexed(ClusterClaim, { byPool: claimsByPool })],
    watches: [
      mapped(ClusterDeployment, poolKeysOf),
      mapped(ClusterClaim, claim => [poolOfClaim(claim)]),
      mapped(Namespace, poolsOfNamespace),
    ],
    snapshot: ({ object: pool, key, read, now }) => {
      const claims = read(ClusterClaim).byIndex('byPool', key)
      const claimants = claims.length === 0 ? [] : read(ClusterDeployment).byIndex('byPool', key)
      const clusters = claimants.filter(cluster => isPoolMember(cluster, read(Namespace).get(cluster.metadata.namespace ?? '')))
      return { links: linksOf(clusters, claims, assignableOf(clusters, pool, now)), delay }
    },
    steps: [repairLinks, assignClaims],
  })
}

/** A crash may have left a claim and its cluster of two minds; or memory is behind, so the store itself is asked. */
async function repairLinks({ links: { toClaim, toTell }, store, now }: AssignmentPass): Promise<Step<ClusterPool>> {
  await forAll(toClaim, async ({ claim: { metadata: told }, cluster: { metadata } }) => {
    const cluster = await find(store, ClusterDeployment, metadata.namespace, metadata.name)
    // The claim second: if it is deleted from now on, the cluster is written to before it goes, and the write below fails.
    const claim = await find(store, ClusterClaim, told.namespace, told.name)
    if (cluster === undefined || claim === undefined || !isOpen(cluster)) return
    if (!(await isCertainlyPoolMember(store, cluster))) return
    if (isHeld(claim) && claim.spec.namespace === metadata.namespace) await claimCluster(store, cluster, claim, now)
  })
  await forAll(toTell, async ({ claim: { metadata }, cluster }) => {
    const claim = await find(store, ClusterClaim, metadata.namespace, metadata.name)
    if (claim !== undefined && waitingClaims([claim]).length > 0) await tellClaim(store, claim, cluster)
  })
  return next
}

/** Whether a claim cannot go without its cluster having been seen to. */
function isHeld(claim: ClusterClaim): boolean {
  return !isBeingDeleted(claim) && hasFinalizer(claim, claimFinalizer)
}

/** Gives the oldest claims the oldest clusters that run. The claim is told first: it decides if two race. */
async function assignClaims({ object: pool, links: { assignments }, store, now, delay }: AssignmentPass): Promise<Step<ClusterPool>> {
  await forAll(assignments, async ({ claim, cluster }) => {
    await tellClaim(store, claim, cluster)
    delay.observe(labelsOf(pool), waitedSeconds(claim, now))
    await claimCluster(store, cluster, claim, now)
  })
  return next
}
