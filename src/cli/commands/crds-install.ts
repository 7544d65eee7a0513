import { allKinds } from '../../kinds/index.ts'
import { installCrds } from '../../store/index.ts'
import { version } from '../version.ts'
import type { ConnectionOptions } from '../connection.ts'
import { connectedToCluster } from '../connection.ts'
import type { Io } from '../io.ts'
import { refuseOwnServer } from '../refuse-own-server.ts'

/** `aviary crds install` */
export async function run(_args: readonly string[], options: ConnectionOptions & { readonly adopt?: boolean }, io: Io): Promise<void> {
  await connectedToCluster(options, io, async connection => {
    await refuseOwnServer(connection, io)
    const { store, access } = connection
    const reports = await installCrds({
      store,
      kinds: allKinds,
      version,
      adopt: options.adopt ?? false,
      clock: io.clock,
      signal: io.signal,
    })
    for (const { name, outcome } of reports) io.out(`${name} ${outcome}\n`)
    io.err(`${reports.length} kinds are served by ${access.server}.\n`)
  })
}
