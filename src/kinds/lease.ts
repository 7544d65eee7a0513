import * as z from 'zod'
import { builtInAgeColumn } from './age.ts'
import { column } from './column.ts'
import { invalid } from './decode/problems.ts'
import { kind } from './define-kind.ts'
import type { FieldProblem } from './field-problem.ts'
import type { Infer } from './kind.ts'
import { time } from './scalars.ts'

/** Who of several may act, and for how long. Leader election rests on it. */
export const Lease = kind({
  group: 'coordination.k8s.io',
  version: 'v1',
  name: 'Lease',
  plural: 'leases',
  scope: 'Namespaced',
  builtIn: true,
  description: 'Who of several may act, and for how long. Leader election rests on it.',
  spec: z
    .object({
      holderIdentity: z.string().optional().describe('Who holds it.'),
      leaseDurationSeconds: z.int32().optional().describe('For how long after renewTime others must wait.'),
      acquireTime: time().optional().describe('Since when the holder holds it.'),
      renewTime: time().optional().describe('When the holder last said that it is alive.'),
      leaseTransitions: z.int32().optional().describe('How often it changed hands.'),
      preferredHolder: z.string().optional().describe('Who should hold it, with coordinated leader election.'),
      strategy: z.string().optional().describe('How the holder is chosen, with coordinated leader election.'),
    })
    .describe('Who holds it.'),
  columns: [column('Holder', '.spec.holderIdentity', { description: 'Who holds it.' }), builtInAgeColumn],
  problems: ({ spec }) => {
    const problems: FieldProblem[] = []
    const { leaseDurationSeconds, leaseTransitions } = spec
    if (leaseDurationSeconds !== undefined && leaseDurationSeconds <= 0) {
      problems.push(invalid('spec.leaseDurationSeconds', leaseDurationSeconds, 'must be greater than 0', 'write 1 or more'))
    }
    if (leaseTransitions !== undefined && leaseTransitions < 0) {
      problems.push(invalid('spec.leaseTransitions', leaseTransitions, 'must be greater than or equal to 0', 'write 0 or more'))
    }
    return problems
  },
})

/** An object of kind Lease. */
export type Lease = Infer<typeof Lease>
