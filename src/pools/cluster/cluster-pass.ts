import type { ClusterDeployment, ClusterProvision } from '../../kinds/index.ts'
import type { Pass } from '../../control/index.ts'
import type { Installer } from '../installer/installer.ts'

/** What the steps of a cluster's pass share. */
export interface ClusterSnapshot {
  readonly installer: Installer
  /** The attempt that is under way or was the last. */
  readonly provision: ClusterProvision | undefined
  /** Called when an installation is given up, with why its last attempt failed. */
  readonly onGivenUp: (reason: string) => void
  /** Whether the cluster is the one for which its pool made the namespace: what its spec refers to is then not believed. */
  readonly isPoolMember: boolean
  /** All attempts of which there is a record. */
  readonly attempts: readonly ClusterProvision[]
}

/** One look at one cluster. */
export type ClusterPass = Pass<ClusterDeployment> & ClusterSnapshot

/** The conditions of a cluster, each with the status that it has when all is well. */
export const clusterConditions = {
  Provisioned: 'True',
  ProvisionStopped: 'False',
  ProvisionFailed: 'False',
  RequirementsMet: 'True',
  Hibernating: 'False',
  Ready: 'True',
} as const

/** The Secrets that a cluster's installation leaves behind. */
export function adminSecrets({ metadata: { name } }: ClusterDeployment): { readonly kubeconfig: string; readonly password: string } {
  return { kubeconfig: `${name}-admin-kubeconfig`, password: `${name}-admin-password` }
}
