import type { Config } from '../config/sections.ts'
import type { Ports } from '../ports.ts'
import { vcenterLimits } from '../vsphere/vcenters.ts'
import { HatcheryHost } from './hatchery-host.ts'

/**
 * The hatchery that is wanted: by the configuration, or by the demo on the embedded engine; undefined if none is. What it consists of
 * is loaded when it starts, so that nobody waits for it who has none, and the API does not wait for it in any case.
 */
export function hatcheryOf(config: Config, ports: Ports): HatcheryHost | undefined {
  const settings = config.hatchery.vsphere
  if (settings !== undefined)
    return new HatcheryHost(async context => {
      const { vsphereHatchery } = await import('./vsphere-hatchery.ts')
      return await vsphereHatchery(context, { settings, limits: vcenterLimits(config), ports })
    })
  const isDemo = config.demo.enabled && config.engine.kind === 'embedded'
  if (!isDemo) return undefined
  return new HatcheryHost(async context => {
    const { demoHatchery } = await import('./demo-hatchery.ts')
    return await demoHatchery(context, ports)
  })
}
