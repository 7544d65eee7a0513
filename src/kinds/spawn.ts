import * as z from 'zod'
import { ageColumn, column } from './column.ts'
import { conditions } from './conditions.ts'
import { kind } from './define-kind.ts'
import type { Infer } from './kind.ts'
import { time } from './scalars.ts'

/** A worker that is to be started for a job, a VM that is to stand ready, or a worker model that is being registered. */
export const Spawn = kind({
  group: 'hatchery.aviary.dev',
  version: 'v1alpha1',
  name: 'Spawn',
  plural: 'spawns',
  scope: 'Cluster',
  categories: ['hatchery'],
  description:
    'What a hatchery is about to do, written down before it does it. It goes away when the VM carries all of it in its annotation, when the VM is gone, or when the job no longer waits. Deleting one loses nothing but the count of attempts.',
  spec: z.object({
    hatchery: z.string().min(1).max(253).describe('The name of the hatchery that does it.'),
    purpose: z.enum(['Job', 'Provision', 'Registration', 'Template']).describe('What the VM is to become.'),
    job: z.string().max(253).optional().describe('The job in CDS: a number (V1) or a UUID (V2).'),
    title: z.string().max(1024).optional().describe('The job as people call it.'),
    queued: time().optional().describe('Since when the job waits in CDS.'),
    model: z.string().max(1024).optional().describe('The worker model or template.'),
    version: z.int().min(1).max(2).describe('Which of the two sorts of worker models of CDS.'),
  }),
  status: z.object({
    phase: z
      .enum([
        'Waiting',
        'Taking',
        'Claiming',
        'Cloning',
        'Starting',
        'Booting',
        'Probing',
        'Launching',
        'Stopping',
        'TearingDown',
        'Failed',
      ])
      .optional()
      .describe('How far it is.'),
    since: time().optional().describe('Since when it is so far.'),
    worker: z.string().max(253).optional().describe('The name of the worker.'),
    vm: z.string().max(253).optional().describe('The name of the VM, chosen before it is made.'),
    vmId: z.string().max(253).optional().describe('The VM as the platform calls it, once it is there.'),
    address: z.string().max(64).optional().describe('The address that is held for it.'),
    network: z.string().max(253).optional().describe('The network of that address.'),
    flavor: z.string().max(253).optional().describe('The flavor that it gets.'),
    cpus: z.int().min(0).optional().describe('How many CPUs it will have.'),
    memoryMB: z.int().min(0).optional().describe('How much memory it will have.'),
    attempts: z.int().min(0).optional().describe('How often a worker was begun for this job.'),
    attemptsSince: time().optional().describe('When the first of them was begun. They count for an hour.'),
    pauseUntil: time().optional().describe('Before this no other attempt is made.'),
    lastError: z.string().max(4096).optional().describe('Why the last attempt failed.'),
    conditions: conditions('Ready'),
  }),
  selectableFields: ['spec.hatchery', 'spec.purpose', 'spec.job', 'status.phase'],
  columns: [
    column('Purpose', '.spec.purpose'),
    column('Job', '.spec.job'),
    column('Model', '.spec.model'),
    column('Phase', '.status.phase'),
    column('VM', '.status.vm'),
    column('Attempts', '.status.attempts', { type: 'integer' }),
    column('Why', '.status.conditions[?(@.type=="Ready")].message', { priority: 1 }),
    ageColumn,
  ],
})

/** One such spawn. */
export type Spawn = Infer<typeof Spawn>
