import type { HatcherySettings } from '../hatchery/index.ts'
import { type Config, ConfigNotValid } from '../server/index.ts'

/** The hatchery that a configuration describes. Throws ConfigNotValid if it has none. */
export function hatcheryIn(config: Config, file: string): HatcherySettings {
  const settings = config.hatchery.vsphere
  if (settings !== undefined) return settings
  const fix = 'add the section of your CDS hatchery; docs/configuration.md explains its keys'
  throw ConfigNotValid({ file, problems: [{ key: 'hatchery.vsphere', message: 'is missing', fix }] })
}
