import type { Config } from '../config/sections.ts'
import type { Ports } from '../ports.ts'
import { vcenterLimits } from '../vsphere/vcenters.ts'
import { demoHatchery } from './demo-hatchery.ts'
import { HatcheryHost } from './hatchery-host.ts'
import { vsphereHatchery } from './vsphere-hatchery.ts'

/** The hatchery that is wanted: by the configuration, or by the demo on the embedded engine; undefined if none is. */
export function hatcheryOf(config: Config, ports: Ports): HatcheryHost | undefined {
  const settings = config.hatchery.vsphere
  if (settings !== undefined)
    return new HatcheryHost(context => vsphereHatchery(context, { settings, limits: vcenterLimits(config), ports }))
  const isDemo = config.demo.enabled && config.engine.kind === 'embedded'
  return isDemo ? new HatcheryHost(context => demoHatchery(context, ports)) : undefined
}
