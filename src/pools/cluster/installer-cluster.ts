import { Secret as Hidden } from '../../ports/index.ts'
import { Secret } from '../../kinds/index.ts'
import type { ClusterDeployment } from '../../kinds/index.ts'
import { keyOf } from '../../control/index.ts'
import type { Store } from '../../store/index.ts'
import { find } from '../find.ts'
import type { InstallerCluster } from '../installer/installer.ts'
import { variablesOf } from '../installer/variables.ts'

/** What an installer needs to know of a cluster, whatever it does with it; undefined before the cluster has its mark. */
export async function installerCluster(cluster: ClusterDeployment, store: Store): Promise<InstallerCluster | undefined> {
  const { clusterMetadata, clusterName, baseDomain, platform, provisioning } = cluster.spec
  if (clusterMetadata === undefined) return undefined
  const { infraID, clusterID } = clusterMetadata
  const [[name, settings] = ['none', {}]] = Object.entries(platform) as [
    string,
    { readonly [field: string]: { readonly name?: string } | undefined },
  ][]
  const credentials = {
    ...(await secretValues(cluster, settings['credentialsSecretRef']?.name, store)),
    ...(await secretValues(cluster, settings['certificatesSecretRef']?.name, store)),
  }
  const { values: environment } = await variablesOf(provisioning?.installerEnv ?? [], cluster.metadata.namespace, store)
  return { key: keyOf(cluster), clusterName, baseDomain, infraID, clusterID, platform: name, credentials, environment }
}

/** The values of a Secret beside a cluster, by key; none if there is no such Secret. */
export async function secretValues(
  cluster: ClusterDeployment,
  name: string | undefined,
  store: Store,
): Promise<Readonly<Record<string, Hidden>>> {
  const secret = name === undefined ? undefined : await find(store, Secret, cluster.metadata.namespace, name)
  return Object.fromEntries(
    Object.entries(secret?.data ?? {}).map(([key, value]) => [key, new Hidden(Buffer.from(value, 'base64').toString('utf8'))]),
  )
}
