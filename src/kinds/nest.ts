import * as z from 'zod'
import { ageColumn, column } from './column.ts'
import { conditions } from './conditions.ts'
import { kind } from './define-kind.ts'
import type { Infer } from './kind.ts'
import { listMap } from './lists.ts'
import { duration } from './scalars.ts'

const guard = z.object({
  name: z.string().min(1).max(63).describe('Who guards; each once.'),
  post: z.string().max(63).optional().describe('Where.'),
})

/** A nest in which eggs are hatched: the example that shows what a kind can say, used by the demo and by tests. */
export const Nest = kind({
  group: 'demo.aviary.dev',
  version: 'v1alpha1',
  name: 'Nest',
  plural: 'nests',
  scope: 'Namespaced',
  description: 'A nest in which eggs are hatched. An example kind: it shows what a kind can say, and does nothing in the world.',
  categories: ['demo'],
  spec: z
    .object({
      eggs: z.int().min(0).max(12).default(1).describe('How many eggs to hatch.'),
      material: z.enum(['twig', 'moss', 'down']).default('twig').describe('What the nest is built of.'),
      site: z.string().min(1).max(253).optional().describe('The tree; cannot be changed once it is set.'),
      incubation: duration().optional().describe('How long an egg is brooded, such as 90s or 1h30m.'),
      guards: listMap(z.array(guard).max(32), 'name').optional().describe('Who keeps watch.'),
      paused: z.boolean().optional().describe('True: nothing is done about this nest until it is taken away.'),
    })
    .describe('What the nest should be.'),
  status: z
    .object({
      phase: z.enum(['Building', 'Brooding', 'Hatched']).optional().describe('How far it has come.'),
      hatched: z.int().min(0).optional().describe('How many eggs have hatched.'),
      conditions: conditions('Ready'),
    })
    .describe('What the nest is.'),
  columns: [
    column('Eggs', '.spec.eggs', { type: 'integer', description: 'How many eggs to hatch.' }),
    column('Hatched', '.status.hatched', { type: 'integer', description: 'How many have hatched.' }),
    column('Phase', '.status.phase', { description: 'How far it has come.' }),
    column('Material', '.spec.material', { priority: 1, description: 'What the nest is built of.' }),
    ageColumn,
  ],
  immutable: ['spec.site'],
  scale: { specReplicasPath: '.spec.eggs', statusReplicasPath: '.status.hatched' },
  selectableFields: ['spec.material'],
})

/** An object of kind Nest. */
export type Nest = Infer<typeof Nest>
