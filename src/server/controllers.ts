import { eventExpiry, garbageCollector, namespaceController } from '../control/index.ts'
import type { Controller } from '../control/index.ts'
import type { Kind } from '../kinds/index.ts'
import type { Config } from './config/sections.ts'
import { nestController } from './demo/nest-controller.ts'
import { seasonController } from './demo/season.ts'
import type { HatcheryHost } from './hatchery/hatchery-host.ts'
import { poolControllers } from './pools.ts'
import type { Ports } from './ports.ts'

/** The controllers that the configuration asks for, on either engine. A service adds its own here. */
export async function serviceControllers(config: Config, ports: Ports, hatchery: HatcheryHost | undefined): Promise<readonly Controller[]> {
  const { demo } = config
  return [
    ...(demo.enabled ? [nestController(demo), seasonController(demo)] : []),
    ...(hatchery === undefined ? [] : [hatchery.controller]),
    ...(await poolControllers(config, ports)),
  ]
}

/** What Kubernetes does by itself, and the embedded engine needs done. */
export function houseKeeping(kinds: readonly Kind[]): readonly Controller[] {
  return [garbageCollector({ kinds }), namespaceController({ kinds }), eventExpiry()]
}
