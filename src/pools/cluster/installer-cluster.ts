import { ClusterPool } from '../../kinds/index.ts'
import { keyOf } from '../../control/index.ts'
import { find } from '../find.ts'
import type { InstallerCluster } from '../installer/installer.ts'
import { memberVariables, platformName, referredSecret, type Variables, valuesOf, variablesOf } from '../secrets.ts'
import type { ClusterPass } from './cluster-pass.ts'

type Cluster = Pick<ClusterPass, 'object' | 'attempts' | 'isPoolMember' | 'store'>

/** What identifies a cluster in the world. */
interface Identity {
  readonly infraID: string
  readonly clusterID: string
}

/**
 * The mark and the identity of a cluster; undefined before it has any. For the cluster of a pool the record of the last attempt says it:
 * whoever has claimed the cluster can write its spec, but not that record, and must not turn a removal against something else.
 */
export function identityOf({
  object,
  attempts,
  isPoolMember,
}: Pick<Cluster, 'object' | 'attempts' | 'isPoolMember'>): Identity | undefined {
  const { clusterMetadata } = object.spec
  const last = isPoolMember ? attempts.toSorted((a, b) => b.spec.attempt - a.spec.attempt)[0] : undefined
  const { infraID, clusterID } = last?.spec ?? {}
  if (infraID !== undefined && clusterID !== undefined) return { infraID, clusterID }
  return clusterMetadata === undefined ? undefined : { infraID: clusterMetadata.infraID, clusterID: clusterMetadata.clusterID }
}

/** What an installer needs to know of a cluster, whatever it does with it; undefined before the cluster has its mark. */
export async function installerCluster(cluster: Cluster): Promise<InstallerCluster | undefined> {
  const { object, isPoolMember, store } = cluster
  const { clusterName, baseDomain, platform } = object.spec
  const identity = identityOf(cluster)
  if (identity === undefined) return undefined
  const name = platformName(object)
  const [settings = {}] = Object.values(platform) as { readonly [field: string]: { readonly name?: string } | undefined }[]
  const values = async (field: 'credentialsSecretRef' | 'certificatesSecretRef') =>
    valuesOf(await referredSecret({ object, isPoolMember }, `spec.platform.${name}.${field}`, settings[field]?.name, store))
  const credentials = { ...(await values('credentialsSecretRef')), ...(await values('certificatesSecretRef')) }
  const { values: environment } = await installerVariables(cluster)
  return { key: keyOf(object), clusterName, baseDomain, ...identity, platform: name, credentials, environment }
}

/** The environment variables of a cluster's installer. */
export async function installerVariables({ object, isPoolMember, store }: Cluster): Promise<Variables> {
  if (!isPoolMember) return variablesOf(object, object.spec.provisioning?.installerEnv ?? [], store)
  const { namespace, poolName = '' } = object.spec.clusterPoolRef ?? {}
  return memberVariables(object, await find(store, ClusterPool, namespace, poolName), store)
}
