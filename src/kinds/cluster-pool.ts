import * as z from 'zod'
import { installerEnv, poolVariables } from './cluster-installer-env.ts'
import { clusterInventory, fromListForm } from './cluster-inventory.ts'
import { clusterPlatform, platformRules, reference } from './cluster-platform.ts'
import { ageColumn, column } from './column.ts'
import { conditions } from './conditions.ts'
import { kind } from './define-kind.ts'
import type { Infer } from './kind.ts'
import { listSet } from './lists.ts'
import { duration, time } from './scalars.ts'

const count = () => z.int32().min(0)

/** A number of clusters that are kept ready to be claimed. */
export const ClusterPool = kind({
  group: 'hive.openshift.io',
  version: 'v1',
  name: 'ClusterPool',
  plural: 'clusterpools',
  scope: 'Namespaced',
  shortNames: ['cp'],
  calmReasons: ['Initialized', 'MaxCapacity', 'InventoryExhausted'],
  description:
    'A number of clusters that are kept ready to be claimed, made from one recipe, with generated names or those of an inventory.',
  spec: z
    .object({
      platform: clusterPlatform,
      pullSecretRef: reference('The Secret, in the pool’s namespace, whose .dockerconfigjson is copied to each cluster.').optional(),
      size: count().describe('How many unclaimed clusters to keep.'),
      runningCount: count().optional().describe('How many unclaimed clusters to keep running; the others hibernate.'),
      maxSize: count().optional().describe('How many clusters there may be at most, claimed ones included.'),
      maxConcurrent: count().optional().describe('How many clusters may be installed or removed at one time.'),
      baseDomain: z.string().min(1).max(253).describe('The domain below which clusters have their names.'),
      imageSetRef: reference('The ClusterImageSet that clusters are installed from.'),
      labels: z.record(z.string(), z.string()).optional().describe('Labels of new ClusterDeployments.'),
      annotations: z.record(z.string(), z.string()).optional().describe('Annotations of new ClusterDeployments.'),
      installConfigSecretTemplateRef: reference('The Secret whose install-config.yaml is the template of each cluster’s.').optional(),
      hibernateAfter: duration().optional().describe('How long after its claim a cluster hibernates.'),
      installAttemptsLimit: count().optional().describe('How often an installation is tried.'),
      skipMachinePools: z.boolean().optional().describe('Kept for manifests of other systems; machine pools are the installer’s business.'),
      claimLifetime: z
        .object({
          default: duration().optional().describe('For claims that do not say.'),
          maximum: duration().optional().describe('For all claims.'),
        })
        .optional()
        .describe('How long claims live after they got their cluster.'),
      hibernationConfig: z
        .object({ resumeTimeout: duration().optional().describe('After this time a cluster that does not resume counts as broken.') })
        .optional()
        .describe('How hibernation is judged.'),
      inventory: clusterInventory.optional(),
      quarantine: duration().optional().describe('How long a name is not used again after an installation under it failed.'),
      installerEnv: installerEnv.optional(),
      customizationRef: reference('A ClusterDeploymentCustomization that is applied to every cluster.').optional(),
    })
    .describe('What the pool should be.'),
  status: z
    .object({
      size: z.int32().optional().describe('How many unclaimed clusters there are, whatever their state.'),
      standby: z.int32().optional().describe('How many of them are installed and do not run.'),
      ready: z.int32().optional().describe('How many of them can be claimed now.'),
      clusterNameUsage: z
        .record(z.string(), z.string().nullable())
        .optional()
        .describe('For each name of the inventory the namespace of the cluster that uses it, or null. Written before the cluster is made.'),
      reserved: listSet(z.array(z.string()))
        .optional()
        .describe('The namespaces of clusters with generated names. Written before the cluster is made, kept until it is gone.'),
      inventory: z
        .object({
          total: z.int32().describe('How many names there are.'),
          free: z.int32().describe('How many of them can be used now.'),
          reserved: z.int32().describe('How many are in use.'),
          broken: z.int32().describe('How many failed when they were last used.'),
        })
        .optional()
        .describe('The inventory in numbers.'),
      nameResults: z
        .record(
          z.string(),
          z.object({
            result: z.enum(['Succeeded', 'Failed']).describe('How it ended.'),
            time: time().describe('When.'),
            message: z.string().max(1024).optional().describe('What went wrong.'),
          }),
        )
        .optional()
        .describe('For each name of the inventory how its last use ended.'),
      conditions: conditions(
        'Filled',
        'MissingDependencies',
        'CapacityAvailable',
        'AllClustersCurrent',
        'InventoryValid',
        'DeletionPossible',
      ),
    })
    .describe('What the pool is.'),
  columns: [
    column('Size', '.spec.size'),
    column('Standby', '.status.standby'),
    column('Ready', '.status.ready'),
    column('BaseDomain', '.spec.baseDomain'),
    column('ImageSet', '.spec.imageSetRef.name'),
    ageColumn,
  ],
  scale: { specReplicasPath: '.spec.size', statusReplicasPath: '.status.size' },
  rules: [
    ...platformRules,
    poolVariables,
    {
      path: 'spec.inventory.clusterDeployments',
      message: 'an entry with generateName must have a customizationRef',
      fix: 'give the entry a customizationRef, or leave generateName out',
      holds: ({ spec }) =>
        (spec.inventory?.clusterDeployments ?? []).every(entry => entry.generateName !== true || entry.customizationRef !== undefined),
    },
  ],
  normalise: fromListForm,
  nameProblem: name => (name.length > 63 ? 'must be no more than 63 characters: clusters carry it as a label' : undefined),
})

/** An object of kind ClusterPool. */
export type ClusterPool = Infer<typeof ClusterPool>
