import type { Metrics } from '../ports/index.ts'
import type { Controller } from '../control/index.ts'
import { poolAdmins } from './admins/controller.ts'
import { claimAssignment } from './assignment/controller.ts'
import { claimController } from './claim/controller.ts'
import { clusterController } from './cluster/controller.ts'
import type { NameCheck } from './dns/name-check.ts'
import type { Installer } from './installer/installer.ts'
import { poolController } from './pool/controller.ts'
import { namespaceReaper } from './reaper/controller.ts'

/** What pools need from outside. */
export interface ClusterPoolsOptions {
  readonly metrics: Metrics
  /** What makes clusters. */
  readonly installer: Installer
  /** Whether access is given by AccessGrants, too: on the embedded engine, which goes by nothing else. */
  readonly grants: boolean
  /** Checks the DNS names of a cluster before its name is used. Default: they are not checked. */
  readonly checkNames?: NameCheck | undefined
}

/** The controllers that together keep pools, serve claims, and make and remove clusters. */
export function clusterPools({ metrics, installer, grants, checkNames }: ClusterPoolsOptions): readonly Controller[] {
  return [
    // First, because it hears of a claim in this order, and somebody waits for it.
    claimAssignment({ metrics }),
    poolController({ metrics, checkNames }),
    claimController({ grants }),
    clusterController({ installer, metrics }),
    namespaceReaper(),
    poolAdmins(),
  ]
}
