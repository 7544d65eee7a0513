import { join } from 'node:path'
import type { HttpClient } from '../ports/index.ts'
import { silentLog } from '../ports/index.ts'
import type { Kind } from '../kinds/index.ts'
import { kubeAccess, kubeHttp, kubernetesStore } from '../store/index.ts'
import type { KubeAccess, Store } from '../store/index.ts'
import type { Io } from './io.ts'

/** Which server, as whom, and where in it. */
export interface ConnectionOptions {
  readonly kubeconfig?: string
  readonly context?: string
  readonly namespace?: string
}

/** An open way to the server. */
export interface Connection {
  readonly store: Store
  readonly access: KubeAccess
  readonly http: HttpClient
  /** The namespace that the command works in. */
  readonly namespace: string
  /** The namespace for objects of a kind; nothing for kinds without. */
  where(kind: Kind, allNamespaces?: boolean): { readonly namespace?: string }
}

/**
 * Connects to Aviary for the time of `work`. The kubeconfig is the one named on the command line, else by AVIARY_KUBECONFIG, else by
 * KUBECONFIG, else that of a server whose data folder is here, else kubectl's own.
 */
export async function connected<T>(options: ConnectionOptions, io: Io, work: (connection: Connection) => Promise<T>): Promise<T> {
  const kubeconfig = options.kubeconfig ?? (io.environment['AVIARY_KUBECONFIG'] || (await localKubeconfig(io)))
  return await connectedToCluster({ ...options, ...(kubeconfig === undefined ? {} : { kubeconfig }) }, io, work)
}

/**
 * Connects to a Kubernetes cluster for the time of `work`, as `aviary up --engine kubernetes` does: the kubeconfig is the one named,
 * else kubectl's own. A data folder that happens to be here is that of no cluster.
 */
export async function connectedToCluster<T>(options: ConnectionOptions, io: Io, work: (connection: Connection) => Promise<T>): Promise<T> {
  const { clock, chance, files, processes, environment } = io
  const access = await kubeAccess({
    ...(options.kubeconfig === undefined ? {} : { file: options.kubeconfig }),
    ...(options.context === undefined ? {} : { context: options.context }),
    files,
    processes,
    environment,
    clock,
  })
  const http = kubeHttp(access, { clock })
  const store = kubernetesStore({
    http,
    server: access.server,
    credentials: access.credentials,
    clock,
    chance,
    log: silentLog,
    userAgent: 'aviary-cli',
  })
  const namespace = options.namespace ?? access.namespace ?? 'default'
  const where: Connection['where'] = (kind, allNamespaces = false) => (kind.scope === 'Cluster' || allNamespaces ? {} : { namespace })
  try {
    return await work({ store, access, http, namespace, where })
  } finally {
    await store.close()
    await http.close()
  }
}

/** Undefined also if KUBECONFIG says which: what somebody chose goes before what is found. */
async function localKubeconfig({ environment, files, folder }: Io): Promise<string | undefined> {
  if (environment['KUBECONFIG']) return undefined
  const file = join(folder, 'data', 'kubeconfig')
  return (await files.exists(file)) ? file : undefined
}
