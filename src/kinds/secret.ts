import * as z from 'zod'
import { builtInAgeColumn } from './age.ts'
import { column } from './column.ts'
import { countColumn, keyProblems, lockedProblems, withPlainTexts } from './data-maps.ts'
import { kind } from './define-kind.ts'
import type { Infer } from './kind.ts'
import { bytes } from './scalars.ts'

/** Passwords, keys and tokens. Whoever may read it may read them; nothing else of Aviary ever prints them. */
export const Secret = kind({
  group: '',
  version: 'v1',
  name: 'Secret',
  plural: 'secrets',
  scope: 'Namespaced',
  builtIn: true,
  description: 'Passwords, keys and tokens, by name.',
  fields: {
    type: z.string().default('Opaque').describe('What kind of secret it is; cannot be changed.'),
    data: z.record(z.string(), bytes()).optional().describe('The values by name, in base64.'),
    stringData: z.record(z.string(), z.string()).optional().describe('Values as plain text; merged into data when written, never read.'),
    immutable: z.boolean().optional().describe('True: the data cannot be changed any more.'),
  },
  columns: [column('Type', '.type', { description: 'What kind of secret it is.' }), countColumn('Data', 'data'), builtInAgeColumn],
  immutable: ['type'],
  selectableFields: ['type'],
  normalise: withPlainTexts,
  problems: object => keyProblems(object, { data: 'base64' }),
  changeProblems: (old, next) => lockedProblems(old, next, 'data'),
})

/** An object of kind Secret. */
export type Secret = Infer<typeof Secret>
