import * as z from 'zod'
import { builtInAgeColumn } from './age.ts'
import { kind } from './define-kind.ts'
import type { Infer } from './kind.ts'

const texts = (what: string) => z.array(z.string()).optional().describe(what)

/** What may be done in a namespace. A Kubernetes cluster enforces it; the embedded engine only keeps it. */
export const Role = kind({
  group: 'rbac.authorization.k8s.io',
  version: 'v1',
  name: 'Role',
  plural: 'roles',
  scope: 'Namespaced',
  builtIn: true,
  description: 'What may be done in a namespace. The embedded engine keeps it and goes by AccessGrants.',
  fields: {
    rules: z
      .array(
        z.object({
          apiGroups: texts('The API groups.'),
          resources: texts('The resources.'),
          resourceNames: texts('The names; all if absent.'),
          verbs: z.array(z.string()).describe('What may be done.'),
        }),
      )
      .optional()
      .describe('What may be done.'),
  },
  columns: [builtInAgeColumn],
})

/** An object of kind Role. */
export type Role = Infer<typeof Role>
