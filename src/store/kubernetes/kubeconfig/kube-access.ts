import { delimiter, join } from 'node:path'
import type { Clock, Files, Processes, TlsTrust } from '../../../ports/index.ts'
import { Secret } from '../../../ports/index.ts'
import type { Credentials } from '../api-connection.ts'
import { authorization } from './authorization.ts'
import { chosenContext } from './chosen-context.ts'
import type { ChosenContext } from './chosen-context.ts'
import { KubeconfigNotFound, KubeconfigNotSupported } from './errors.ts'
import { ExecPlugin } from './exec-plugin.ts'
import { inCluster } from './in-cluster.ts'
import { pem } from './pem.ts'
import { readKubeconfig } from './read-kubeconfig.ts'
import { renewedTrust } from './renewed-trust.ts'
import { safeCredentials } from './safe-credentials.ts'

/** The way to one API server: where it is, what it must prove, and who we are there. */
export interface KubeAccess {
  readonly server: string
  /** The namespace that the context prefers. */
  readonly namespace: string | undefined
  readonly credentials: Credentials
  /** The trust of this moment. The same object as before if nothing changed: certificates are renewed while a program runs. */
  trust(): Promise<TlsTrust>
}

export interface KubeAccessOptions {
  /** The kubeconfig. Default: those of `KUBECONFIG`, else the service account of the pod that this runs in, else `~/.kube/config`. */
  readonly file?: string
  /** Default: the kubeconfig's current one. */
  readonly context?: string
  readonly files: Files
  readonly processes: Processes
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly clock: Clock
}

/**
 * Reads how to reach an API server. Rejects with `KubeconfigNotFound`, `KubeconfigNotValid` or `KubeconfigNotSupported`, which
 * name the file, the place in it and the fix. Nothing is sent and no plugin runs before the first request.
 */
export async function kubeAccess(options: KubeAccessOptions): Promise<KubeAccess> {
  const { file, context, environment, files } = options
  const named = file ? [file] : (environment['KUBECONFIG'] ?? '').split(delimiter).filter(path => path !== '')
  if (named.length === 0 && context === undefined) {
    const service = await inCluster(options)
    if (service !== undefined) return service
  }
  const home = environment['HOME'] ?? environment['USERPROFILE']
  const paths = named.length > 0 ? named : home === undefined ? [] : [join(home, '.kube', 'config')]
  if (paths.length === 0) throw KubeconfigNotFound({ looked: ['KUBECONFIG', 'the service account of a pod', 'HOME'] })
  return accessOf(chosenContext(await readKubeconfig(files, paths), context), options)
}

function accessOf(chosen: ChosenContext, options: KubeAccessOptions): KubeAccess {
  const { cluster, clusterAt, user, userAt } = chosen
  refuseUnsupported(chosen)
  const { exec } = user.value
  const plugin = exec ? new ExecPlugin({ ...options, exec, where: userAt, folder: user.folder, cluster }) : undefined
  const ca = pem(cluster, { where: clusterAt, field: 'certificate-authority' }, options)
  const certificate = pem(user, { where: userAt, field: 'client-certificate' }, options)
  const key = pem(user, { where: userAt, field: 'client-key' }, options)
  const server = cluster.value.server.replace(/\/+$/, '')
  return {
    server,
    namespace: chosen.namespace,
    credentials: safeCredentials(
      authorization(user, { ...options, where: userAt, plugin }),
      `${userAt} (context "${chosen.name}")`,
      server,
    ),
    trust: renewedTrust(async () => {
      const given = await plugin?.credential()
      return {
        ca: await ca(),
        serverName: cluster.value['tls-server-name'],
        certificate: given?.certificate ?? (await certificate()),
        key: given?.key ?? secret(await key()),
      }
    }),
  }
}

function secret(text: string | undefined): Secret | undefined {
  return text === undefined ? undefined : new Secret(text)
}

function refuseUnsupported({ cluster, clusterAt, user, userAt }: ChosenContext): void {
  if (cluster.value['insecure-skip-tls-verify'] === true) {
    throw KubeconfigNotSupported({
      where: clusterAt,
      what: 'insecure-skip-tls-verify is set, but Aviary never talks to a cluster that it cannot verify',
      fix: 'remove it and name the CA of the server as certificate-authority or certificate-authority-data',
    })
  }
  if (cluster.value['proxy-url']) {
    throw KubeconfigNotSupported({
      where: clusterAt,
      what: 'proxy-url is not supported',
      fix: 'use an address that can be reached directly',
    })
  }
  const provider = user.value['auth-provider']?.name
  if (provider !== undefined) {
    throw KubeconfigNotSupported({
      where: userAt,
      what: `auth-provider "${provider}" is not supported; Kubernetes itself has given up auth providers`,
      fix: 'use its credential plugin (exec), a token or a client certificate',
    })
  }
}
