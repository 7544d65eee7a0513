/** What pools write on objects: the words that other systems of this field know. */
export const poolFinalizer = 'hive.openshift.io/clusters'
export const claimFinalizer = 'hive.openshift.io/claim'
export const deprovisionFinalizer = 'hive.openshift.io/deprovision'

/** On a namespace that was made for a cluster of a pool. */
export const namespacePoolLabel = 'hive.openshift.io/cluster-pool-name'
/** On ClusterDeployments and their namespaces: the pool, exactly. */
export const poolNamespaceLabel = 'hive.openshift.io/clusterpool-namespace'
export const poolNameLabel = 'hive.openshift.io/clusterpool-name'

/** On ClusterDeployments: where the cluster is made. */
export const platformLabel = 'hive.openshift.io/cluster-platform'
export const regionLabel = 'hive.openshift.io/cluster-region'

/** On a ClusterDeployment: the version of the pool that it was made from, and the way in which that was computed. */
export const versionAnnotation = 'hive.openshift.io/cluster-pool-spec-hash'
export const versionFormAnnotation = 'hive.openshift.io/cluster-pool-spec-hash-version'

/** On a ClusterDeployment: the pool is asked to remove it. The second is an older word for the same. */
export const removalAnnotation = 'hive.openshift.io/remove-cluster-from-pool'
export const olderRemovalAnnotation = 'hive.openshift.io/remove-claimed-cluster-from-pool'

/** On a ClusterDeployment: nothing is done about it, and how long after its creation it is deleted. */
export const pauseAnnotation = 'hive.openshift.io/reconcile-pause'
export const deleteAfterAnnotation = 'hive.openshift.io/delete-after'

/** On a ClusterDeployment: a claim that was told of it, and was deleted before the cluster was written to. */
export const withdrawnAnnotation = 'aviary.dev/withdrawn-claim'

/** On a ClusterDeployment: the mark of the attempt before the last, whose remains an installer removes. */
export const previousMarkAnnotation = 'aviary.dev/previous-infra-id'
/** On the ClusterProvision of the first attempt: the marks of attempts that are not on record any more, with commas between them. */
export const forgottenMarksAnnotation = 'aviary.dev/forgotten-infra-ids'

/** The Role and RoleBinding of a claim's subjects, and the group of their kinds. */
export const claimOwner = 'hive-claim-owner'
export const rbacGroup = 'rbac.authorization.k8s.io'

const longestLabel = 63

/** The name of a cluster's namespace: `base-suffix`, cut and marked by a hash of the base where that would be too long. */
export function namespaceName(base: string, suffix: string): string {
  const plain = `${base}-${suffix}`
  if (plain.length <= longestLabel) return plain
  const start = base.slice(0, longestLabel - 10 - suffix.length)
  return `${start}-${hash32(base)}-${suffix}`
}

/** FNV-1a with 32 bits, as 8 hexadecimal digits: what namespaces of other systems carry. */
function hash32(text: string): string {
  let hash = 0x811c9dc5
  for (const byte of new TextEncoder().encode(text)) hash = Math.imul(hash ^ byte, 0x01000193) >>> 0
  return hash.toString(16).padStart(8, '0')
}
