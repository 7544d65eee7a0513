import type { ClusterClaim, ClusterDeployment } from '../../kinds/index.ts'
import { keyText } from '../../control/index.ts'
import type { Key } from '../../store/index.ts'

/** The pool that a cluster belongs to, if any. */
export function poolKeysOf({ spec: { clusterPoolRef } }: ClusterDeployment): readonly Key[] {
  return clusterPoolRef === undefined ? [] : [{ namespace: clusterPoolRef.namespace, name: clusterPoolRef.poolName }]
}

/** The pool that a claim is on. */
export function poolOfClaim({ metadata, spec }: ClusterClaim): Key {
  return { namespace: metadata.namespace ?? '', name: spec.clusterPoolName }
}

/** The index of clusters by their pool. */
export const clustersByPool = (cluster: ClusterDeployment): readonly string[] => poolKeysOf(cluster).map(keyText)

/** The index of claims by their pool. */
export const claimsByPool = (claim: ClusterClaim): readonly string[] => [keyText(poolOfClaim(claim))]
