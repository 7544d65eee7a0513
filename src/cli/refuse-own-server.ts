import type { Config } from '../server/index.ts'
import { type Connection, connectedToCluster } from './connection.ts'
import { ServerIsAviary } from './errors.ts'
import type { Io } from './io.ts'
import { serverVersion } from './server-version.ts'

/**
 * Rejects with `ServerIsAviary` if what should be a Kubernetes cluster is a server of Aviary with a store of its own. It has our kinds
 * without CRDs, and controllers at work already: others beside them would do everything twice. Who does not answer is let pass: the
 * command itself says that better.
 */
export async function refuseOwnServer(connection: Connection, io: Io): Promise<void> {
  const version = await serverVersion(connection, io).catch(() => undefined)
  if (version?.includes('+aviary.') === true) throw ServerIsAviary({ server: connection.access.server })
}

/** The same for the cluster of a configuration, before anything is begun there. */
export async function refuseAsCluster({ kubeconfig, context }: Config['engine'], io: Io): Promise<void> {
  const options = { ...(kubeconfig === undefined ? {} : { kubeconfig }), ...(context === undefined ? {} : { context }) }
  await connectedToCluster(options, io, connection => refuseOwnServer(connection, io))
}
