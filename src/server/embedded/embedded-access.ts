import { join } from 'node:path'
import { openAccess } from '../../access/index.ts'
import type { OpenAccess } from '../../access/index.ts'
import type { Store } from '../../store/index.ts'
import type { Config } from '../config/sections.ts'
import type { Ports } from '../ports.ts'

/** The guard of the embedded engine's door, as the configuration wants it. Rejects if the authority of an issuer cannot be read. */
export async function embeddedAccess(config: Config, ports: Ports, store: Store, opened: AsyncDisposableStack): Promise<OpenAccess> {
  const { issuers, audit, anonymous, limits } = config.access
  const clients = issuers.map(async ({ ca, ...settings }) => {
    const http = ports.http(ca === undefined ? {} : { ca: await ports.files.read(ca) })
    opened.defer(() => http.close())
    return { settings, http }
  })
  const access = await openAccess({
    ...ports,
    store,
    anonymous,
    limits,
    issuers: await Promise.all(clients),
    audit: { folder: join(config.server.dataDir, 'audit'), which: audit.log, maxFileSize: audit.maxFileSize, maxFiles: audit.maxFiles },
  })
  opened.defer(() => access.close())
  return access
}
