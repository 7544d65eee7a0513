import * as z from 'zod'
import { ageColumn, column } from './column.ts'
import { conditions } from './conditions.ts'
import { kind } from './define-kind.ts'
import type { Infer } from './kind.ts'

/** A release that clusters can be installed from. */
export const ClusterImageSet = kind({
  group: 'hive.openshift.io',
  version: 'v1',
  name: 'ClusterImageSet',
  plural: 'clusterimagesets',
  scope: 'Cluster',
  shortNames: ['imgset'],
  description: 'A release that clusters can be installed from.',
  spec: z
    .object({
      releaseImage: z
        .string()
        .min(1)
        .max(1024)
        .regex(/^[a-zA-Z0-9][-a-zA-Z0-9._:/]*(@sha256:[a-f0-9]+)?$/)
        .describe('The image, by tag or by digest.'),
    })
    .describe('The release.'),
  status: z.object({ conditions: conditions('Available') }).describe('What is known of it.'),
  columns: [column('Release', '.spec.releaseImage'), ageColumn],
})

/** An object of kind ClusterImageSet. */
export type ClusterImageSet = Infer<typeof ClusterImageSet>
