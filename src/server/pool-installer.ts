import { commandHook, httpHook } from '../pools/index.ts'
import type { Installer } from '../pools/index.ts'
import { SimulatedInstaller } from '../simulation/index.ts'
import type { Config } from './config/sections.ts'
import type { Ports } from './ports.ts'

/** What makes clusters, as the configuration says. */
export function poolInstaller(
  { pools: { installer } }: Pick<Config, 'pools'>,
  { clock, processes, http, files, environment }: Ports,
): Installer {
  const { kind, command, url, ca, token, timeout, canHibernate } = installer
  if (kind !== 'hook') return new SimulatedInstaller({ clock, ...installer })
  const connect = async () => http(ca === undefined ? {} : { ca: await files.read(ca) })
  if (url !== undefined) return httpHook({ url, connect, token, clock })
  // The rest of the environment may hold what is none of a hook's business: this program's own secrets.
  const present = installer.environment.flatMap(name => (environment[name] === undefined ? [] : [[name, environment[name]] as const]))
  return commandHook({ command: command ?? [], processes, clock, timeout, canHibernate, environment: Object.fromEntries(present) })
}
