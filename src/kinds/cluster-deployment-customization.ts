import * as z from 'zod'
import { jsonPatch } from './cluster-inventory.ts'
import { reference } from './cluster-platform.ts'
import { conditions } from './conditions.ts'
import { kind } from './define-kind.ts'
import type { Infer } from './kind.ts'

/** Changes to what a cluster is installed from. */
export const ClusterDeploymentCustomization = kind({
  group: 'hive.openshift.io',
  version: 'v1',
  name: 'ClusterDeploymentCustomization',
  plural: 'clusterdeploymentcustomizations',
  scope: 'Namespaced',
  shortNames: ['cdc'],
  description: 'Changes to what a cluster is installed from, as patches of its install-config and of its manifests.',
  spec: z
    .object({
      installConfigPatches: z.array(jsonPatch).max(256).optional().describe('Changes to install-config.yaml, in this order.'),
      installerManifestPatches: z
        .array(
          z.object({
            manifestSelector: z
              .object({ glob: z.string().min(1).max(1024).describe('File names below the installer’s folder.') })
              .describe('Which manifests.'),
            patches: z.array(jsonPatch).max(256).describe('Changes to each of them.'),
          }),
        )
        .max(256)
        .optional()
        .describe('Changes to manifests, made by the installer.'),
    })
    .describe('The changes.'),
  status: z
    .object({
      clusterDeploymentRef: reference('The cluster that uses it.').optional(),
      clusterPoolRef: reference('The pool whose cluster uses it.').optional(),
      lastAppliedConfiguration: z.string().optional().describe('What was applied last, as JSON.'),
      conditions: conditions('Available', 'ApplySucceeded'),
    })
    .describe('Who uses it.'),
})

/** An object of kind ClusterDeploymentCustomization. */
export type ClusterDeploymentCustomization = Infer<typeof ClusterDeploymentCustomization>
