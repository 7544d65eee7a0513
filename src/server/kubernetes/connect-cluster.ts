import type { Kind } from '../../kinds/index.ts'
import { KindNotServed, kubeAccess, kubeHttp, kubernetesStore, qualified, StoreError } from '../../store/index.ts'
import type { Store } from '../../store/index.ts'
import type { Config } from '../config/sections.ts'
import { ClusterNotPrepared, ClusterRefused, ClusterUnreachable } from '../errors.ts'
import type { Ports } from '../ports.ts'

/** A cluster that has shown that it answers, lets us in and knows our kinds. */
export interface Cluster {
  readonly store: Store
  readonly server: string
  close(): Promise<void>
}

/**
 * Connects to the cluster of the configuration and makes sure that it can be worked with: one small list of each kind. Rejects
 * with `ClusterUnreachable`, `ClusterRefused`, `ClusterNotPrepared`, or what is wrong with the kubeconfig. Nothing is changed.
 */
export async function connectCluster(engine: Config['engine'], kinds: readonly Kind[], ports: Ports): Promise<Cluster> {
  const { clock, chance, files, processes, environment, log } = ports
  const { kubeconfig, context, qps, burst } = engine
  const access = await kubeAccess({
    files,
    processes,
    environment,
    clock,
    ...(kubeconfig === undefined ? {} : { file: kubeconfig }),
    ...(context === undefined ? {} : { context }),
  })
  const http = kubeHttp(access, { clock })
  const { server, credentials } = access
  const store = kubernetesStore({ http, server, credentials, clock, chance, log, limits: { qps, burst } })
  const close = async () => {
    await store.close()
    await http.close()
  }
  try {
    for (const kind of kinds) await probe(store, kind, server)
  } catch (error) {
    await close()
    throw error
  }
  return { store, server, close }
}

async function probe(store: Store, kind: Kind, server: string): Promise<void> {
  try {
    await store.list(kind, { limit: 1 })
  } catch (error) {
    if (!StoreError.is(error)) throw error
    const why = error.message
    if (error.reason === 'Unauthorized') throw ClusterRefused({ server, why: 'it does not know who we are' }, { cause: error })
    if (error.reason === 'Forbidden') throw ClusterRefused({ server, why }, { cause: error })
    if (error instanceof KindNotServed && !kind.builtIn) throw ClusterNotPrepared({ server, resource: qualified(kind) }, { cause: error })
    throw ClusterUnreachable({ server, why }, { cause: error })
  }
}
