import * as z from 'zod'
import { ageColumn, column } from './column.ts'
import { kind } from './define-kind.ts'
import type { Infer } from './kind.ts'

/** Who may do what, and where. */
export const AccessGrant = kind({
  group: 'access.aviary.dev',
  version: 'v1alpha1',
  name: 'AccessGrant',
  plural: 'accessgrants',
  scope: 'Cluster',
  categories: ['access'],
  description:
    'Gives users and groups a role, in some namespaces or in all. Without any grant a user who is let in can see what kinds there are, and no more.',
  spec: z.object({
    subjects: z
      .array(
        z.object({
          kind: z.enum(['User', 'Group']).describe('Whether it is one user or all of a group.'),
          name: z.string().min(1).max(256).describe('The name that a token or an issuer gives.'),
        }),
      )
      .min(1)
      .max(1000)
      .describe('Who is given the role.'),
    role: z
      .enum(['view', 'edit', 'admin'])
      .describe('view: read all but secrets. edit: read and write, but not status, namespaces, nodes or access. admin: everything.'),
    namespaces: z
      .array(z.string().min(1).max(63))
      .min(1)
      .max(1000)
      .describe('Where the role holds. "*" means all namespaces and what has no namespace.'),
  }),
  columns: [
    column('Role', '.spec.role'),
    column('Namespaces', '.spec.namespaces'),
    column('Subjects', '.spec.subjects[*].name'),
    ageColumn,
  ],
})

/** One such grant. */
export type AccessGrant = Infer<typeof AccessGrant>
