import { ClusterClaim, ClusterDeployment, Secret } from '../../kinds/index.ts'
import type { ConnectionOptions } from '../connection.ts'
import { connected } from '../connection.ts'
import { Usage } from '../errors.ts'
import type { Io } from '../io.ts'

/** `aviary claim kubeconfig`: prints the administrator's kubeconfig of a claim's cluster. */
export async function run([name = '']: readonly string[], options: ConnectionOptions, io: Io): Promise<void> {
  await connected(options, io, async ({ store, where }) => {
    const { spec } = await store.get(ClusterClaim, { ...where(ClusterClaim), name })
    const namespace = spec.namespace ?? ''
    if (namespace === '')
      throw Usage({ what: `claim ${name} has no cluster yet`, fix: `see what it waits for: aviary why clusterclaim/${name}` })
    const cluster = await store.get(ClusterDeployment, { namespace, name: namespace })
    const secret = await store.get(Secret, { namespace, name: cluster.spec.clusterMetadata?.adminKubeconfigSecretRef.name ?? '' })
    io.out(Buffer.from(secret.data?.['kubeconfig'] ?? '', 'base64').toString('utf8'))
  })
}
