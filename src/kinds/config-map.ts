import * as z from 'zod'
import { builtInAgeColumn } from './age.ts'
import { countColumn, keyProblems, lockedProblems } from './data-maps.ts'
import { kind } from './define-kind.ts'
import type { Infer } from './kind.ts'
import { bytes } from './scalars.ts'

/** Settings and small files that anybody in the namespace may read. */
export const ConfigMap = kind({
  group: '',
  version: 'v1',
  name: 'ConfigMap',
  plural: 'configmaps',
  scope: 'Namespaced',
  builtIn: true,
  shortNames: ['cm'],
  description: 'Settings and small files that anybody who may read the namespace may read.',
  fields: {
    data: z.record(z.string(), z.string()).optional().describe('Texts by name.'),
    binaryData: z.record(z.string(), bytes()).optional().describe('Bytes by name, in base64.'),
    immutable: z.boolean().optional().describe('True: the data cannot be changed any more.'),
  },
  columns: [countColumn('Data', 'data', 'binaryData'), builtInAgeColumn],
  problems: object => keyProblems(object, { data: 'utf8', binaryData: 'base64' }),
  changeProblems: (old, next) => lockedProblems(old, next, 'data', 'binaryData'),
})

/** An object of kind ConfigMap. */
export type ConfigMap = Infer<typeof ConfigMap>
