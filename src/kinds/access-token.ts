import * as z from 'zod'
import { ageColumn, column } from './column.ts'
import { kind } from './define-kind.ts'
import type { Infer } from './kind.ts'
import { time } from './scalars.ts'

const dnsLabel = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/

/** A key to the API: a bearer token that stands for a user. */
export const AccessToken = kind({
  group: 'access.aviary.dev',
  version: 'v1alpha1',
  name: 'AccessToken',
  plural: 'accesstokens',
  scope: 'Cluster',
  categories: ['access'],
  description:
    'A bearer token that lets a user into the API. The token itself is kept nowhere, only its hash. Delete the object and the token no longer works.',
  spec: z.object({
    hash: z
      .string()
      .regex(/^sha256:[0-9a-f]{64}$/)
      .describe('SHA-256 of the part of the token after its last separator, in hexadecimal.'),
    user: z.string().min(1).max(256).describe('Whom the token stands for.'),
    groups: z.array(z.string().min(1).max(256)).max(1000).default([]).describe('The groups of that user.'),
    expires: time().optional().describe('When the token stops working. Absent: never.'),
    description: z.string().max(1024).optional().describe('What the token is for, and who has it.'),
  }),
  immutable: ['spec.hash', 'spec.user'],
  // The name is part of the token's text, where a dot or an underscore would mean something else.
  nameProblem: name => (dnsLabel.test(name) ? undefined : 'must be a lower-case DNS label: letters, digits and dashes, at most 63'),
  columns: [
    column('User', '.spec.user'),
    column('Groups', '.spec.groups'),
    column('Expires', '.spec.expires'),
    column('Description', '.spec.description', { priority: 1 }),
    ageColumn,
  ],
})

/** One such token. */
export type AccessToken = Infer<typeof AccessToken>
