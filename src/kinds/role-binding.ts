import * as z from 'zod'
import { builtInAgeColumn } from './age.ts'
import { column } from './column.ts'
import { kind } from './define-kind.ts'
import type { Infer } from './kind.ts'

/** Who has a role in a namespace. A Kubernetes cluster enforces it; the embedded engine only keeps it. */
export const RoleBinding = kind({
  group: 'rbac.authorization.k8s.io',
  version: 'v1',
  name: 'RoleBinding',
  plural: 'rolebindings',
  scope: 'Namespaced',
  builtIn: true,
  description: 'Who has a role in a namespace. The embedded engine keeps it and goes by AccessGrants.',
  fields: {
    subjects: z
      .array(
        z.object({
          kind: z.string().describe('User, Group or ServiceAccount.'),
          name: z.string().describe('The name.'),
          namespace: z.string().optional().describe('The namespace of a service account.'),
          apiGroup: z.string().optional().describe('The API group of the kind.'),
        }),
      )
      .optional()
      .describe('Who.'),
    roleRef: z
      .object({
        apiGroup: z.string().describe('The API group of the role.'),
        kind: z.string().describe('Role or ClusterRole.'),
        name: z.string().describe('The name.'),
      })
      .describe('Which role; cannot be changed.'),
  },
  columns: [column('Role', '.roleRef.name', { description: 'The role.' }), builtInAgeColumn],
  immutable: ['roleRef'],
})

/** An object of kind RoleBinding. */
export type RoleBinding = Infer<typeof RoleBinding>
