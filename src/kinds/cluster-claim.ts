import * as z from 'zod'
import { ageColumn, column, condition } from './column.ts'
import { conditions } from './conditions.ts'
import { kind } from './define-kind.ts'
import type { Infer } from './kind.ts'
import { duration } from './scalars.ts'

/** Somebody's wish for a cluster of a pool. */
export const ClusterClaim = kind({
  group: 'hive.openshift.io',
  version: 'v1',
  name: 'ClusterClaim',
  plural: 'clusterclaims',
  scope: 'Namespaced',
  description: 'A wish for a cluster of a pool. The cluster goes when the claim does.',
  spec: z
    .object({
      clusterPoolName: z.string().min(1).max(253).describe('The pool, in this namespace, to take a cluster from.'),
      subjects: z
        .array(
          z.object({
            kind: z.enum(['User', 'Group', 'ServiceAccount']).describe('Whether it is a user, a group or a service account.'),
            name: z.string().min(1).max(256).describe('The name.'),
            namespace: z.string().max(63).optional().describe('The namespace of a service account.'),
            apiGroup: z.string().max(253).optional().describe('The API group of the kind.'),
          }),
        )
        .max(256)
        .optional()
        .describe('Who is given access to the cluster’s namespace.'),
      namespace: z.string().max(63).optional().describe('The namespace of the cluster. Filled in when there is one.'),
      lifetime: duration().optional().describe('How long after its assignment the claim deletes itself.'),
    })
    .describe('What is wished for.'),
  status: z
    .object({
      lifetime: duration().optional().describe('The lifetime that holds, with the pool’s default and maximum.'),
      conditions: conditions('Pending', 'ClusterRunning'),
    })
    .describe('What came of it.'),
  columns: [
    column('Pool', '.spec.clusterPoolName'),
    column('Pending', condition('Pending', 'reason')),
    column('ClusterNamespace', '.spec.namespace'),
    column('ClusterRunning', condition('ClusterRunning', 'reason')),
    ageColumn,
  ],
  immutable: ['spec.clusterPoolName'],
  calmReasons: ['Initialized'],
})

/** An object of kind ClusterClaim. */
export type ClusterClaim = Infer<typeof ClusterClaim>
