import type { ClusterClaim, ClusterDeployment } from '../../kinds/index.ts'
import { isBeingDeleted } from '../../control/index.ts'
import { claimNameOf, isMarked, olderFirst } from './buckets.ts'

/** A claim and the cluster that it has or gets. */
export interface Link {
  readonly claim: ClusterClaim
  readonly cluster: ClusterDeployment
}

/** What is between the claims on a pool and its clusters, besides claims and clusters that name each other: with these all is well. */
export interface Links {
  /** The claim names the cluster, the cluster does not name the claim yet: somebody crashed, or is at it. */
  readonly toClaim: readonly Link[]
  /** The cluster names the claim, the claim does not name the cluster. */
  readonly toTell: readonly Link[]
  /** Claims that can be served now: the oldest get the oldest. */
  readonly assignments: readonly Link[]
  /** Claims that stay without a cluster, oldest first. */
  readonly pending: readonly ClusterClaim[]
}

/** Claims that have no cluster and still want one. */
export function waitingClaims(claims: readonly ClusterClaim[]): readonly ClusterClaim[] {
  return claims.filter(claim => (claim.spec.namespace ?? '') === '' && !isBeingDeleted(claim))
}

/** Whether a cluster is of the pool that a claim is on. Anybody can write the namespace of any cluster into a claim. */
export function isOfPool({ spec: { clusterPoolRef } }: ClusterDeployment, { metadata, spec }: ClusterClaim): boolean {
  return clusterPoolRef?.namespace === metadata.namespace && clusterPoolRef?.poolName === spec.clusterPoolName
}

/** Whether a cluster says that a claim has it: the one of its pool, not one of the same name elsewhere. */
export function isClaimedBy(cluster: ClusterDeployment, claim: ClusterClaim): boolean {
  return isOfPool(cluster, claim) && claimNameOf(cluster) === claim.metadata.name
}

/** Whether a cluster is nobody's yet, and will stay. */
export function isOpen(cluster: ClusterDeployment): boolean {
  return claimNameOf(cluster) === undefined && !isMarked(cluster) && !isBeingDeleted(cluster)
}

/** Finds what is to be done about claims. `assignable` are those of the clusters that can be claimed, in the order in which they are. */
export function linksOf(
  clusters: readonly ClusterDeployment[],
  claims: readonly ClusterClaim[],
  assignable: readonly ClusterDeployment[],
): Links {
  if (claims.length === 0) return { toClaim: [], toTell: [], assignments: [], pending: [] }
  const living = clusters.filter(cluster => !isBeingDeleted(cluster))
  const byNamespace = new Map(living.map(cluster => [cluster.metadata.namespace, cluster]))
  const toClaim = new Map<ClusterDeployment, Link>()
  for (const claim of claims.toSorted(olderFirst)) {
    const cluster = byNamespace.get(claim.spec.namespace)
    if (cluster === undefined || !isOpen(cluster) || isBeingDeleted(claim) || toClaim.has(cluster)) continue
    toClaim.set(cluster, { claim, cluster })
  }
  const waiting = new Map(waitingClaims(claims).map(claim => [claim.metadata.name, claim]))
  const toTell = living.flatMap(cluster => {
    const claim = waiting.get(claimNameOf(cluster) ?? '')
    return claim === undefined ? [] : [{ claim, cluster }]
  })
  for (const { claim } of toTell) waiting.delete(claim.metadata.name)
  const named = new Set(claims.map(({ spec }) => spec.namespace))
  const free = assignable.filter(({ metadata }) => !named.has(metadata.namespace))
  const queue = [...waiting.values()].toSorted(olderFirst)
  const assignments = queue.slice(0, free.length).map((claim, index) => ({ claim, cluster: free[index]! }))
  return { toClaim: [...toClaim.values()], toTell, assignments, pending: queue.slice(assignments.length) }
}
