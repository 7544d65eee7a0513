import type { Controller } from '../control/index.ts'
import {
  ClusterClaim,
  ClusterDeployment,
  ClusterDeploymentCustomization,
  ClusterDeprovision,
  ClusterImageSet,
  ClusterPool,
  ClusterProvision,
} from '../kinds/index.ts'
import type { Kind } from '../kinds/index.ts'
import type { Config } from './config/sections.ts'
import { poolDemo } from './demo/pool-demo.ts'
import { poolInstaller } from './pool-installer.ts'
import type { Ports } from './ports.ts'

/** The controllers of pools, claims and clusters, if they are wanted: by the configuration, or by the demo on the embedded engine. */
export async function poolControllers(config: Config, ports: Ports): Promise<readonly Controller[]> {
  const { pools, demo, engine } = config
  const isDemo = demo.enabled && engine.kind === 'embedded'
  if (!keepsPools(config) && !isDemo) return []
  const { clusterPools, nameCheck } = await import('../pools/index.ts')
  return [
    ...clusterPools({
      metrics: ports.metrics,
      installer: await poolInstaller(config, ports),
      grants: engine.kind === 'embedded',
      checkNames: pools.checkDns ? nameCheck(ports.resolve) : undefined,
    }),
    ...(isDemo ? [poolDemo()] : []),
  ]
}

/** The kinds that a Kubernetes cluster must know before pools can be kept in it. */
export function poolKinds(config: Config): readonly Kind[] {
  return keepsPools(config)
    ? [ClusterPool, ClusterClaim, ClusterDeployment, ClusterDeploymentCustomization, ClusterImageSet, ClusterProvision, ClusterDeprovision]
    : []
}

/** Who names an installer wants pools, unless they say otherwise. */
function keepsPools({ pools: { enabled, installer } }: Config): boolean {
  return enabled ?? installer !== undefined
}
