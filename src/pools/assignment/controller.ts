import type { Histogram, Metrics } from '../../ports/index.ts'
import { ClusterClaim, ClusterDeployment, ClusterPool } from '../../kinds/index.ts'
import { controller, indexed, mapped, next } from '../../control/index.ts'
import type { Controller, Pass, Step } from '../../control/index.ts'
import { assignmentDelay, labelsOf } from '../metrics.ts'
import { forAll } from '../pool/all-settled.ts'
import { assignableOf } from '../pool/buckets.ts'
import { claimCluster, tellClaim } from '../pool/effects.ts'
import { find } from '../pool/dependencies.ts'
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
    watches: [mapped(ClusterDeployment, poolKeysOf), mapped(ClusterClaim, claim => [poolOfClaim(claim)])],
    snapshot: ({ object: pool, key, read, now }) => {
      const claims = read(ClusterClaim).byIndex('byPool', key)
      const clusters = claims.length === 0 ? [] : read(ClusterDeployment).byIndex('byPool', key)
      return { links: linksOf(clusters, claims, assignableOf(clusters, pool, now)), delay }
    },
    steps: [repairLinks, assignClaims],
  })
}

/** A crash may have left a claim and its cluster of two minds; or memory is behind, so the store itself is asked. */
async function repairLinks({ links: { toClaim, toTell }, store, now }: AssignmentPass): Promise<Step<ClusterPool>> {
  await forAll(toClaim, async ({ claim, cluster: { metadata } }) => {
    const cluster = await find(store, ClusterDeployment, metadata.namespace, metadata.name)
    if (cluster !== undefined && isOpen(cluster)) await claimCluster(store, cluster, claim, now)
  })
  await forAll(toTell, async ({ claim: { metadata }, cluster }) => {
    const claim = await find(store, ClusterClaim, metadata.namespace, metadata.name)
    if (claim !== undefined && waitingClaims([claim]).length > 0) await tellClaim(store, claim, cluster)
  })
  return next
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
