import { parseTime } from '../../ports/index.ts'
import { ClusterDeployment, ClusterPool, Namespace } from '../../kinds/index.ts'
import { again, controller, done, hasFinalizer, isBeingDeleted, keyText, mapped, next, remove } from '../../control/index.ts'
import type { Controller, Pass, Step } from '../../control/index.ts'
import { claimNameOf, isMarked, protectionOf } from '../pool/buckets.ts'
import { poolKeysOf } from '../pool/pool-keys.ts'
import { removeCluster } from '../pool/effects.ts'
import { deprovisionFinalizer, namespacePoolLabel } from '../names.ts'

/** A namespace is left alone for so many milliseconds: its cluster may be about to be made. */
const tooYoung = 5 * 60_000
const lookAgain = 60_000

type NamespacePass = Pass<Namespace> & { readonly clusters: readonly ClusterDeployment[] }

/** Removes namespaces that were made for clusters of pools and have none any more, and clusters whose pool is gone. */
export function namespaceReaper(): Controller {
  return controller<Namespace, { readonly clusters: readonly ClusterDeployment[] }>(Namespace, {
    name: 'cluster-namespace',
    select: ({ metadata }) => metadata.labels?.[namespacePoolLabel] !== undefined,
    reads: [ClusterPool],
    watches: [mapped(ClusterDeployment, ({ metadata }) => [{ name: metadata.namespace ?? '' }])],
    snapshot: ({ object, read }) => ({ clusters: read(ClusterDeployment).list(object.metadata.name) }),
    steps: [heedDeletion, waitUntilOldEnough, removeIfEmpty, removeOrphans],
  })
}

function heedDeletion({ object }: NamespacePass): Step<Namespace> {
  return isBeingDeleted(object) ? done : next
}

function waitUntilOldEnough({ object, now }: NamespacePass): Step<Namespace> {
  const until = parseTime(object.metadata.creationTimestamp ?? '') + tooYoung
  return now < until ? [again(until), done] : next
}

/** Asks the store itself: with the namespace everything in it goes, and memory may not have heard of a cluster there. */
async function removeIfEmpty({ object, clusters, store, now }: NamespacePass): Promise<Step<Namespace>> {
  if (clusters.length > 0) return next
  const { items } = await store.list(ClusterDeployment, { namespace: object.metadata.name, limit: 1 })
  return items.length === 0 ? remove('the cluster that it was made for is gone') : [again(now + lookAgain), done]
}

/**
 * Without their pool, clusters that were to be removed have nobody to remove them, and those that were never begun nobody who wants them.
 * Others stay: a pool may be missing only because a backup is being restored.
 */
async function removeOrphans({ clusters, read, store, now }: NamespacePass): Promise<Step<Namespace>> {
  const isOrphan = (cluster: ClusterDeployment) => poolKeysOf(cluster).some(key => read(ClusterPool).get(keyText(key)) === undefined)
  const removable = clusters.filter(cluster => !isBeingDeleted(cluster) && protectionOf(cluster) === undefined)
  const orphans = removable.filter(cluster => isOrphan(cluster) && (isMarked(cluster) || isUnborn(cluster)))
  for (const cluster of orphans) await removeCluster(store, cluster)
  const isGoing = clusters.every(isBeingDeleted) || clusters.some(isOrphan)
  return isGoing && clusters.some(cluster => hasFinalizer(cluster, deprovisionFinalizer)) ? again(now + lookAgain) : next
}

/** Nobody has it, and nothing was made for it in the world. */
function isUnborn(cluster: ClusterDeployment): boolean {
  return claimNameOf(cluster) === undefined && cluster.spec.clusterMetadata === undefined
}
