import * as z from 'zod'
import { claimedFromTheBeginning, clusterRules, protection } from './cluster-deployment-rules.ts'
import { clusterVariables, installerEnv } from './cluster-installer-env.ts'
import { clusterPlatform, platformRules, reference } from './cluster-platform.ts'
import { ageColumn, column, condition } from './column.ts'
import { conditions } from './conditions.ts'
import { kind } from './define-kind.ts'
import type { Infer } from './kind.ts'
import { anyObject, duration, time } from './scalars.ts'

const provisioning = z.object({
  installConfigSecretRef: reference('The Secret whose install-config.yaml is installed from.').optional(),
  imageSetRef: reference('The ClusterImageSet to install.').optional(),
  releaseImage: z.string().max(1024).optional().describe('The image to install; wins over imageSetRef.'),
  installerImageOverride: z.string().max(1024).optional().describe('Another installer image.'),
  customizationRef: reference('A ClusterDeploymentCustomization with patches of manifests.').optional(),
  manifestsConfigMapRef: reference('A ConfigMap with further manifests.').optional(),
  manifestsSecretRef: reference('A Secret with further manifests.').optional(),
  sshPrivateKeySecretRef: reference('The Secret with the SSH key for fetching logs.').optional(),
  sshKnownHosts: z.array(z.string()).optional().describe('Known hosts.'),
  installerEnv: installerEnv.optional(),
})

const metadata = z.object({
  clusterID: z.string().max(256).describe('Identifies the cluster everywhere.'),
  infraID: z.string().max(256).describe('The mark on all that was made for the cluster.'),
  adminKubeconfigSecretRef: reference('The Secret with the administrator’s kubeconfig.'),
  adminPasswordSecretRef: reference('The Secret with the administrator’s password.').optional(),
  metadataJSONSecretRef: reference('The Secret with what the installer wrote down.').optional(),
  platform: anyObject().optional().describe('What the platform gave.'),
})

const poolRef = z.object({
  namespace: z.string().min(1).max(63).describe('The pool’s namespace.'),
  poolName: z.string().min(1).max(253).describe('The pool’s name.'),
  claimName: z.string().max(253).optional().describe('The claim that has the cluster.'),
  claimedTimestamp: time().optional().describe('When it was claimed.'),
  clusterDeploymentCustomization: reference('The ClusterDeploymentCustomization that was applied.').optional(),
})

/** The path to one of the labels by which Hive sorts clusters. */
function label(name: string): string {
  return `.metadata.labels.hive\\.openshift\\.io/${name}`
}

/** A cluster: what it should be, and how far it has come. */
export const ClusterDeployment = kind({
  group: 'hive.openshift.io',
  version: 'v1',
  name: 'ClusterDeployment',
  plural: 'clusterdeployments',
  scope: 'Namespaced',
  shortNames: ['cd'],
  description: 'A cluster: what it should be, how it is installed, and how far it has come.',
  spec: z
    .object({
      clusterName: z.string().min(1).max(63).describe('The short name: the cluster answers at api.NAME.BASEDOMAIN.'),
      baseDomain: z.string().min(1).max(253).describe('The domain below which the cluster has its names.'),
      platform: clusterPlatform,
      pullSecretRef: reference('The Secret with credentials for images.').optional(),
      provisioning: provisioning.optional().describe('How it is installed.'),
      clusterInstallRef: anyObject().optional().describe('An object of another system that installs the cluster.'),
      clusterPoolRef: poolRef.optional().describe('The pool that it belongs to, and the claim that has it.'),
      clusterMetadata: metadata.optional().describe('What is known of the cluster since its installation began.'),
      installed: z.boolean().default(false).describe('Whether it is installed; never taken back.'),
      installAttemptsLimit: z.int32().min(0).optional().describe('How often an installation is tried. Absent: until it succeeds.'),
      powerState: z.enum(['', 'Running', 'Hibernating']).optional().describe('Whether it should run.'),
      hibernateAfter: duration().optional().describe('How long after its claim it hibernates.'),
      preserveOnDelete: z.boolean().optional().describe('True: the cluster stays when this object is deleted.'),
      manageDNS: z.boolean().optional().describe('Not supported: names are the administrator’s.'),
      boundServiceAccountSigningKeySecretRef: reference('The Secret with the key that signs tokens of service accounts.').optional(),
      ingress: z.array(anyObject()).optional().describe('Kept for other systems.'),
      certificateBundles: z.array(anyObject()).optional().describe('Kept for other systems.'),
      controlPlaneConfig: anyObject().optional().describe('Kept for other systems.'),
    })
    .describe('What the cluster should be.'),
  status: z
    .object({
      powerState: z.string().optional().describe('Running, Hibernating, or what is being done.'),
      powerChangeTimestamp: time().optional().describe('When the start or the stop that is under way began.'),
      installRestarts: z.int32().optional().describe('How many attempts failed.'),
      installStartedTimestamp: time().optional().describe('When the first attempt began.'),
      attemptTimestamp: time().optional().describe('When the attempt that is under way began.'),
      lastFailureTimestamp: time().optional().describe('When an attempt last failed.'),
      installedTimestamp: time().optional().describe('When the installation was complete.'),
      provisionRef: reference('The ClusterProvision that is under way or was the last.').optional(),
      cliImage: z.string().optional().describe('Kept for other systems.'),
      installerImage: z.string().optional().describe('Kept for other systems.'),
      installVersion: z.string().optional().describe('Kept for other systems.'),
      certificateBundles: z.array(anyObject()).optional().describe('Kept for other systems.'),
      platformStatus: anyObject().optional().describe('Kept for other systems.'),
      apiURL: z.string().optional().describe('Where the cluster’s API answers.'),
      webConsoleURL: z.string().optional().describe('Where its console is.'),
      conditions: conditions('Provisioned', 'ProvisionStopped', 'ProvisionFailed', 'RequirementsMet', 'Hibernating', 'Ready'),
    })
    .describe('What the cluster is.'),
  columns: [
    column('InfraID', '.spec.clusterMetadata.infraID'),
    column('Platform', label('cluster-platform')),
    column('Region', label('cluster-region')),
    // Nobody here writes these two: they are for those who set the labels themselves.
    column('Version', label('version-major-minor-patch'), { priority: 1 }),
    column('ClusterType', label('cluster-type'), { priority: 1 }),
    column('ClusterName', '.spec.clusterName'),
    column('ProvisionStatus', condition('Provisioned', 'reason')),
    column('PowerState', '.status.powerState'),
    column('Claim', '.spec.clusterPoolRef.claimName', { priority: 1 }),
    ageColumn,
  ],
  calmReasons: ['Initialized', 'StoppingOrHibernating', 'ResumingOrRunning', 'Unsupported'],
  immutable: [
    'spec.clusterName',
    'spec.baseDomain',
    'spec.clusterPoolRef.namespace',
    'spec.clusterPoolRef.poolName',
    'spec.clusterPoolRef.clusterDeploymentCustomization',
  ],
  rules: [...platformRules, ...clusterRules, clusterVariables],
  createProblems: claimedFromTheBeginning,
  deletionProblem: protection,
  nameProblem: name => (name.length > 63 ? 'must be no more than 63 characters' : undefined),
})

/** An object of kind ClusterDeployment. */
export type ClusterDeployment = Infer<typeof ClusterDeployment>
