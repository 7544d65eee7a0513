import * as z from 'zod'
import { listMap } from './lists.ts'
import { time } from './scalars.ts'

/**
 * The conditions of a kind, one per type; the types that the kind's controllers write are named for readers, others are let in
 * so that an older server keeps what a newer one wrote.
 */
export function conditions(...types: readonly string[]) {
  return listMap(z.array(conditionSchema), 'type')
    .optional()
    .describe(`What is true of the object, and what it waits for: ${types.join(', ')}.`)
}

const conditionSchema = z.object({
  type: z.string().min(1).max(316).describe('What the condition is about, in CamelCase.'),
  status: z.enum(['True', 'False', 'Unknown']).describe('True, False or Unknown.'),
  reason: z.string().min(1).max(1024).describe('Why, as one word in CamelCase, for programs.'),
  message: z.string().max(32_768).describe('Why, as a sentence, for people.'),
  lastTransitionTime: time().describe('When the status last changed.'),
  observedGeneration: z.int().min(0).optional().describe('The metadata.generation that the condition was written for.'),
  until: time().optional().describe('If this is a wait: when it will be over or given up.'),
  then: z.string().max(1024).optional().describe('What happens then.'),
  unblock: z.string().max(1024).optional().describe('What would end the wait sooner.'),
})
