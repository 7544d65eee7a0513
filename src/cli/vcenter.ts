import { httpClient, silentLog } from '../ports/index.ts'
import { configuredVcenters, loadConfig } from '../server/index.ts'
import type { ConfiguredVcenter } from '../server/index.ts'
import { sdkUrl, VsphereConnection } from '../vsphere/index.ts'
import { Usage } from './errors.ts'
import type { Io } from './io.ts'
import { Progress } from './output/progress.ts'

/** The option that every command about a vCenter has. */
export interface VcenterOptions {
  readonly config: string
}

/** The vCenters that a configuration names; never none. */
export async function vcentersOf({ config: file }: VcenterOptions, io: Io): Promise<readonly ConfiguredVcenter[]> {
  const config = await loadConfig(file, { files: io.files, environment: io.environment, folder: io.folder })
  const vcenters = await configuredVcenters(config, io.files)
  if (vcenters.length > 0) return vcenters
  throw Usage({
    what: `${file} names no vCenter`,
    fix: 'add a section [vsphere] with url, user and password (docs/vsphere.md), or that of a hatchery',
  })
}

/** Signs in to the vCenter of a configuration and has its whole inventory; signs out when `use` is done. */
export async function atVcenter(options: VcenterOptions, io: Io, use: (connection: VsphereConnection) => Promise<void>): Promise<void> {
  const seen = new Set<string>()
  for (const { settings } of await vcentersOf(options, io)) {
    // Two services may name one datacenter; it is shown once.
    const key = JSON.stringify([sdkUrl(settings), settings.user, settings.datacenter])
    if (seen.has(key)) continue
    seen.add(key)
    const { clock, chance, signal } = io
    const http = httpClient({ clock, trust: settings.trust ?? {} })
    const connection = new VsphereConnection({ settings, http, clock, chance, log: silentLog })
    const progress = new Progress(io)
    try {
      if (io.canRedraw) progress.show(`reading ${connection.name}`)
      // Asked once before the watch begins, which would try for a while: who waits at a terminal wants to know at once.
      await connection.session.content(signal)
      await connection.places.find('resourcePool', settings.resourcePool)
      await connection.start().live(signal)
      progress.clear()
      await use(connection)
    } finally {
      progress.clear()
      await connection.close()
      await http.close()
    }
  }
}
