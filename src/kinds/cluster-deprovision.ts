import * as z from 'zod'
import { ageColumn, column } from './column.ts'
import { conditions } from './conditions.ts'
import { kind } from './define-kind.ts'
import type { Infer } from './kind.ts'
import { anyObject } from './scalars.ts'

/** The removal of a cluster. */
export const ClusterDeprovision = kind({
  group: 'hive.openshift.io',
  version: 'v1',
  name: 'ClusterDeprovision',
  plural: 'clusterdeprovisions',
  scope: 'Namespaced',
  shortNames: ['cdr'],
  description: 'The removal of everything that was made for a cluster.',
  spec: z
    .object({
      infraID: z.string().min(1).max(256).describe('The mark on all that was made.'),
      clusterID: z.string().max(256).optional().describe('Identifies the cluster everywhere.'),
      clusterName: z.string().max(63).optional().describe('The cluster’s short name.'),
      platform: anyObject().optional().describe('Where it was made. Kept for other systems.'),
      baseDomain: z.string().max(253).optional().describe('The domain below which it has its names.'),
    })
    .describe('What is removed.'),
  status: z
    .object({
      completed: z.boolean().optional().describe('True when nothing is left.'),
      log: z.string().max(1_000_000).optional().describe('What the installer said at last, without passwords.'),
      conditions: conditions('DeprovisionFailed'),
    })
    .describe('How far it has come.'),
  columns: [
    column('InfraID', '.spec.infraID'),
    column('ClusterID', '.spec.clusterID'),
    column('Completed', '.status.completed'),
    ageColumn,
  ],
  immutable: ['spec.infraID'],
})

/** An object of kind ClusterDeprovision. */
export type ClusterDeprovision = Infer<typeof ClusterDeprovision>
