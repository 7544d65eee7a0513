import * as z from 'zod'
import { ageColumn, column } from './column.ts'
import { kind } from './define-kind.ts'
import type { Infer } from './kind.ts'
import { time } from './scalars.ts'

/** An address that is taken: by a VM, by one that is about to be made, or by nobody knows whom. */
export const AddressLease = kind({
  group: 'platform.aviary.dev',
  version: 'v1alpha1',
  name: 'AddressLease',
  plural: 'addressleases',
  scope: 'Cluster',
  categories: ['platform'],
  description:
    'An address that nobody else may be given. Its name is made of platform, network and address, so that no two can be made for one address. It is removed by itself when neither a VM nor a task shows the address any more. Delete it to end a quarantine.',
  spec: z.object({
    platform: z.string().min(1).max(253).describe('The platform that the network belongs to.'),
    network: z.string().min(1).max(253).describe('The network that the address belongs to.'),
    address: z
      .string()
      .regex(/^\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3}$/)
      .describe('The address.'),
    holder: z.string().min(1).max(253).optional().describe('The name of the VM that has the address or is to have it.'),
    renewed: time().optional().describe('When the holder last said that it still means to use it.'),
    quarantine: z
      .object({
        reason: z.enum(['Answers', 'Conflict', 'Operator']).describe('Why, as one word.'),
        message: z.string().max(1024).describe('Why, as a sentence.'),
        since: time().describe('When the doubt arose.'),
        until: time().optional().describe('Until when nobody is given the address. Absent: until the lease is deleted.'),
      })
      .optional()
      .describe('If it is there, nobody is given the address, whoever has it.'),
  }),
  status: z.object({
    phase: z.enum(['Reserved', 'InUse', 'Unseen', 'Quarantined']).optional().describe('What the inventory shows of it.'),
    since: time().optional().describe('Since when it is so.'),
  }),
  immutable: ['spec.platform', 'spec.network', 'spec.address'],
  rules: [
    {
      path: 'spec.holder',
      message: 'a lease has a holder or a quarantine',
      fix: 'name the VM in spec.holder, or say in spec.quarantine why nobody may have the address',
      holds: ({ spec }) => spec.holder !== undefined || spec.quarantine !== undefined,
      cel: { at: 'spec', expression: 'has(self.holder) || has(self.quarantine)' },
    },
  ],
  selectableFields: ['spec.platform', 'spec.network', 'spec.address', 'spec.holder'],
  columns: [
    column('Address', '.spec.address'),
    column('Network', '.spec.network'),
    column('Holder', '.spec.holder'),
    column('Phase', '.status.phase'),
    column('Quarantine', '.spec.quarantine.reason'),
    ageColumn,
  ],
})

/** One such lease. */
export type AddressLease = Infer<typeof AddressLease>
