import type { AccessGrant, ClusterClaim, ClusterDeployment, ClusterPool, Role, RoleBinding } from '../../kinds/index.ts'
import type { Pass, RewriteBrake } from '../../control/index.ts'

/** What the steps of a claim's pass share. */
export interface ClaimSnapshot {
  readonly pool: ClusterPool | undefined
  /** The cluster that the claim names, provided that its pool made the namespace. */
  readonly cluster: ClusterDeployment | undefined
  readonly role: Role | undefined
  readonly binding: RoleBinding | undefined
  readonly grant: AccessGrant | undefined
  /** Whether the embedded engine's own grants are written, too. */
  readonly grants: boolean
  readonly brake: RewriteBrake
}

/** One look at one claim. */
export type ClaimPass = Pass<ClusterClaim> & ClaimSnapshot
