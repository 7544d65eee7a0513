import { isoTime } from '../../ports/index.ts'
import { ClusterClaim, ClusterDeployment } from '../../kinds/index.ts'
import { withFinalizer } from '../../control/index.ts'
import { type Store, undefinedIf } from '../../store/index.ts'
import { claimFinalizer, withdrawnAnnotation } from '../names.ts'

/** Removes a cluster, provided that it is still as it was seen: one that was claimed meanwhile is left alone, by a Conflict. */
export async function removeCluster(store: Store, { metadata }: ClusterDeployment): Promise<void> {
  const { namespace = '', name, uid, resourceVersion } = metadata
  const asSeen = { ...(uid === undefined ? {} : { uid }), ...(resourceVersion === undefined ? {} : { resourceVersion }) }
  await store.delete(ClusterDeployment, { namespace, name }, asSeen).catch(undefinedIf('NotFound'))
}

/** Tells a claim which cluster it has. By this write, if two race for it, one wins. */
export async function tellClaim(store: Store, claim: ClusterClaim, cluster: ClusterDeployment): Promise<void> {
  const { namespace = '' } = cluster.metadata
  // With its finalizer in the same write: the claim is held before anything depends on it.
  await store.update(ClusterClaim, withFinalizer({ ...claim, spec: { ...claim.spec, namespace } }, claimFinalizer))
}

/** Writes on a cluster who has it, and has it run. */
export async function claimCluster(store: Store, cluster: ClusterDeployment, claim: ClusterClaim, now: number): Promise<void> {
  const { clusterPoolRef } = cluster.spec
  if (clusterPoolRef === undefined) return
  await store.update(ClusterDeployment, {
    ...cluster,
    spec: {
      ...cluster.spec,
      clusterPoolRef: { ...clusterPoolRef, claimName: claim.metadata.name, claimedTimestamp: isoTime(now) },
      powerState: 'Running',
    },
  })
}

/**
 * Writes on a cluster that nobody has yet that a claim which was told of it does not want it any more. By this write, whoever was about
 * to write the claim on the cluster fails.
 */
export async function withdrawClaim(
  store: Store,
  cluster: ClusterDeployment,
  { metadata: { name, uid = '' } }: ClusterClaim,
): Promise<void> {
  const annotations = { ...cluster.metadata.annotations, [withdrawnAnnotation]: `${name} ${uid}` }
  await store.update(ClusterDeployment, { ...cluster, metadata: { ...cluster.metadata, annotations } })
}

/** Writes on a cluster whether it should run. */
export async function setPower(store: Store, cluster: ClusterDeployment, powerState: 'Running' | 'Hibernating'): Promise<void> {
  if (cluster.spec.powerState === powerState) return
  await store.update(ClusterDeployment, { ...cluster, spec: { ...cluster.spec, powerState } })
}
