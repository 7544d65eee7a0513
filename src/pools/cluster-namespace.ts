import { type ClusterDeployment, Namespace } from '../kinds/index.ts'
import type { ClusterPool } from '../kinds/index.ts'
import type { Key, Store } from '../store/index.ts'
import { find } from './find.ts'
import { namespacePoolLabel, poolNameLabel, poolNamespaceLabel } from './names.ts'

/*
 * A pool acts only in namespaces that it has made. What says so are labels of the Namespace: users who work inside a namespace cannot
 * write these, while they can write anything into a pool's status or a ClusterDeployment's spec.
 */

/** The labels of a namespace that is made for a cluster of a pool. */
export function namespaceLabels({ metadata }: ClusterPool): Readonly<Record<string, string>> {
  return { [namespacePoolLabel]: metadata.name, [poolNamespaceLabel]: metadata.namespace ?? '', [poolNameLabel]: metadata.name }
}

/** The pool that a namespace was made for, if any. */
function poolOfNamespace({ metadata: { labels = {} } }: Namespace): Key | undefined {
  const [namespace, name] = [labels[poolNamespaceLabel], labels[poolNameLabel]]
  return namespace === undefined || name === undefined ? undefined : { namespace, name }
}

/** The same as a list. */
export function poolsOfNamespace(namespace: Namespace): readonly Key[] {
  const pool = poolOfNamespace(namespace)
  return pool === undefined ? [] : [pool]
}

/** Whether a namespace was made for a cluster of a pool. */
export function isNamespaceOf(namespace: Namespace | undefined, pool: Key): boolean {
  const owner = namespace === undefined ? undefined : poolOfNamespace(namespace)
  return owner !== undefined && owner.namespace === pool.namespace && owner.name === pool.name
}

/** Whether a cluster belongs to the pool that it names: it is the one for which that pool made the namespace. */
export function isPoolMember({ metadata, spec: { clusterPoolRef } }: ClusterDeployment, namespace: Namespace | undefined): boolean {
  if (clusterPoolRef === undefined || metadata.name !== metadata.namespace) return false
  return isNamespaceOf(namespace, { namespace: clusterPoolRef.namespace, name: clusterPoolRef.poolName })
}

/** The same, asked of the store itself. */
export async function isCertainlyPoolMember(store: Store, cluster: ClusterDeployment): Promise<boolean> {
  if (cluster.spec.clusterPoolRef === undefined) return false
  return isPoolMember(cluster, await find(store, Namespace, undefined, cluster.metadata.namespace ?? ''))
}
