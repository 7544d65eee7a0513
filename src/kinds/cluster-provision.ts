import * as z from 'zod'
import { reference } from './cluster-platform.ts'
import { ageColumn, column } from './column.ts'
import { conditions } from './conditions.ts'
import { kind } from './define-kind.ts'
import type { Infer } from './kind.ts'
import { anyObject } from './scalars.ts'

/** One attempt to install a cluster. */
export const ClusterProvision = kind({
  group: 'hive.openshift.io',
  version: 'v1',
  name: 'ClusterProvision',
  plural: 'clusterprovisions',
  scope: 'Namespaced',
  description: 'One attempt to install a cluster, with its log.',
  spec: z
    .object({
      clusterDeploymentRef: reference('The cluster.'),
      attempt: z.int32().min(0).describe('How many attempts there were before.'),
      stage: z.enum(['initializing', 'provisioning', 'complete', 'failed']).describe('How far it has come.'),
      clusterID: z.string().max(256).optional().describe('Identifies the cluster everywhere.'),
      infraID: z.string().max(256).optional().describe('The mark on all that is made. Chosen before anything is.'),
      prevInfraID: z.string().max(256).optional().describe('The mark of the attempt before, whose remains are removed first.'),
      prevClusterID: z.string().max(256).optional().describe('The identity that the attempt before had.'),
      adminKubeconfigSecretRef: reference('The Secret with the administrator’s kubeconfig.').optional(),
      adminPasswordSecretRef: reference('The Secret with the administrator’s password.').optional(),
      metadata: anyObject().optional().describe('What the installer wrote down. Kept for other systems.'),
      prevProvisionName: z.string().max(253).optional().describe('The attempt before.'),
      installLog: z.string().max(1_000_000).optional().describe('What the installer said at last, without passwords.'),
      apiURL: z.string().max(1024).optional().describe('Where the API of the cluster answers.'),
      webConsoleURL: z.string().max(1024).optional().describe('Where its console is.'),
      retryable: z.boolean().optional().describe('False: another attempt would fail, too.'),
      failureReason: z.string().max(1024).optional().describe('Why it failed, as one word.'),
      failureMessage: z.string().max(32_768).optional().describe('Why it failed.'),
    })
    .describe('The attempt.'),
  status: z
    .object({
      jobRef: reference('Kept for other systems: what runs the installer there.').optional(),
      conditions: conditions('ClusterProvisionCompleted', 'ClusterProvisionFailed'),
    })
    .describe('What came of it.'),
  columns: [
    column('ClusterDeployment', '.spec.clusterDeploymentRef.name'),
    column('Stage', '.spec.stage'),
    column('InfraID', '.spec.infraID'),
    ageColumn,
  ],
  immutable: ['spec.clusterDeploymentRef', 'spec.attempt', 'spec.clusterID', 'spec.infraID', 'spec.prevInfraID'],
  rules: [
    {
      path: 'spec.stage',
      message: 'goes from initializing to provisioning, and from there to complete or failed',
      fix: 'leave the stage to the program',
      holds: ({ spec }, old) => old === undefined || spec.stage === old.spec.stage || (follows[old.spec.stage] ?? []).includes(spec.stage),
      cel: {
        at: 'spec.stage',
        expression:
          'self == oldSelf || (oldSelf == "initializing" && self in ["provisioning", "failed"]) || (oldSelf == "provisioning" && self in ["complete", "failed"])',
      },
    },
  ],
})

/** An object of kind ClusterProvision. */
export type ClusterProvision = Infer<typeof ClusterProvision>

const follows: Readonly<Record<string, readonly string[]>> = {
  initializing: ['provisioning', 'failed'],
  provisioning: ['complete', 'failed'],
}
