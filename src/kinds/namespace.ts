import * as z from 'zod'
import { builtInAgeColumn } from './age.ts'
import { column } from './column.ts'
import { labelNameComplaints } from './decode/names.ts'
import { kind } from './define-kind.ts'
import type { Infer } from './kind.ts'
import { listMap } from './lists.ts'
import { time } from './scalars.ts'

const condition = z.object({
  type: z.string().describe('What the condition is about.'),
  status: z.string().describe('True, False or Unknown.'),
  reason: z.string().optional().describe('Why, as one word in CamelCase.'),
  message: z.string().optional().describe('Why, as a sentence.'),
  lastTransitionTime: time().optional().describe('When the status last changed.'),
})

/** A space of names: most objects live in one, and go with it. */
export const Namespace = kind({
  group: '',
  version: 'v1',
  name: 'Namespace',
  plural: 'namespaces',
  scope: 'Cluster',
  builtIn: true,
  shortNames: ['ns'],
  description: 'A space of names. Most objects live in one; deleting it deletes them.',
  spec: z
    .object({ finalizers: z.array(z.string()).optional().describe('Who must have cleaned up before the namespace may go.') })
    .describe('What the namespace should be.'),
  status: z
    .object({
      phase: z.enum(['Active', 'Terminating']).optional().describe('Terminating while what is in it is being deleted.'),
      conditions: listMap(z.array(condition), 'type').optional().describe('What a deletion waits for.'),
    })
    .describe('What the namespace is.'),
  columns: [column('Status', '.status.phase', { description: 'The status of the namespace.' }), builtInAgeColumn],
  selectableFields: ['status.phase'],
  nameProblem: name => labelNameComplaints(name)[0],
})

/** An object of kind Namespace. */
export type Namespace = Infer<typeof Namespace>
