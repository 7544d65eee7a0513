import type { Clock, Files } from '../../../ports/index.ts'
import { tokenFromFile } from './authorization.ts'
import { FreshFile } from './fresh-file.ts'
import type { KubeAccess } from './kube-access.ts'
import { renewedTrust } from './renewed-trust.ts'
import { safeCredentials } from './safe-credentials.ts'

const folder = '/var/run/secrets/kubernetes.io/serviceaccount'

/** The way to the API server that a pod is given by its service account; undefined outside a pod. */
export async function inCluster({
  files,
  clock,
  environment,
}: {
  readonly files: Files
  readonly clock: Clock
  readonly environment: Readonly<Record<string, string | undefined>>
}): Promise<KubeAccess | undefined> {
  const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port } = environment
  if (!host || !port || !(await files.exists(`${folder}/token`))) return undefined
  const token = new FreshFile(`${folder}/token`, { files, clock })
  const ca = new FreshFile(`${folder}/ca.crt`, { files, clock })
  const server = `https://${host.includes(':') ? `[${host}]` : host}:${port}`
  return {
    server,
    namespace: (await files.readIfThere(`${folder}/namespace`))?.trim() || undefined,
    credentials: safeCredentials(tokenFromFile(token, `${folder}/token`), `the pod's service account (${folder})`, server),
    trust: renewedTrust(async () => ({ ca: await ca.read() })),
  }
}
