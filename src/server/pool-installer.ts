import type { Installer } from '../pools/index.ts'
import { installerSchema } from './config/pools-section.ts'
import type { Config } from './config/sections.ts'
import type { Ports } from './ports.ts'

/** What makes clusters, as the configuration says; in the demo, where it need not say anything, it is simulated. */
export async function poolInstaller(
  { pools: { installer = installerSchema.parse({ kind: 'simulated' }) } }: Pick<Config, 'pools'>,
  { clock, processes, http, files, environment }: Ports,
): Promise<Installer> {
  const { kind, command, url, ca, token, timeout, canHibernate } = installer
  if (kind !== 'hook') {
    const { SimulatedInstaller } = await import('../simulation/index.ts')
    return new SimulatedInstaller({ clock, ...installer })
  }
  const { commandHook, httpHook } = await import('../pools/index.ts')
  const connect = async () => http(ca === undefined ? {} : { ca: await files.read(ca) })
  if (url !== undefined) return httpHook({ url, connect, token, clock, timeout })
  // The rest of the environment may hold what is none of a hook's business: this program's own secrets.
  const present = installer.environment.flatMap(name => (environment[name] === undefined ? [] : [[name, environment[name]] as const]))
  return commandHook({ command: command ?? [], processes, clock, timeout, canHibernate, environment: Object.fromEntries(present) })
}
