import * as z from 'zod'
import { ageColumn, column } from './column.ts'
import { kind } from './define-kind.ts'
import type { Infer } from './kind.ts'

const texts = (what: string) => z.array(z.string().min(1).max(253)).max(256).describe(what)

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
      .optional()
      .describe(
        'view: read all but secrets. edit: read and write, but not status, namespaces, nodes or access. admin: everything, in a grant for all namespaces; status, namespaces and access only there.',
      ),
    rules: z
      .array(
        z.object({
          // The group of secrets and namespaces has no name.
          apiGroups: z.array(z.string().max(253)).max(256).describe('The API groups; "" is that of secrets, "*" means all.'),
          resources: texts('The resources, in the plural, or with a subresource as in pods/log; "*" means all.'),
          resourceNames: texts('The names of objects; absent or empty: all.').optional(),
          verbs: texts('What may be done: get, list, watch, create, update, patch, delete, deletecollection; "*" means all.'),
        }),
      )
      .min(1)
      .max(64)
      .optional()
      .describe('What may be done, exactly, instead of a role: in the words of a Kubernetes Role.'),
    namespaces: z
      .array(z.string().min(1).max(63))
      .min(1)
      .max(1000)
      .describe('Where the role holds. "*" means all namespaces and what has no namespace.'),
  }),
  rules: [
    {
      path: 'spec',
      message: 'either role or rules must be given',
      fix: 'give a role, or rules instead of it',
      holds: ({ spec }) => (spec.role === undefined) !== (spec.rules === undefined),
      cel: { at: 'spec', expression: 'has(self.role) != has(self.rules)' },
    },
  ],
  columns: [
    column('Role', '.spec.role'),
    column('Namespaces', '.spec.namespaces'),
    column('Subjects', '.spec.subjects[*].name'),
    ageColumn,
  ],
})

/** One such grant. */
export type AccessGrant = Infer<typeof AccessGrant>
