import * as z from 'zod'
import { kind } from '../define-kind.ts'
import type { Infer } from '../kind.ts'
import { listMap, listSet } from '../lists.ts'
import { anyObject, bytes, duration, intOrString, time } from '../scalars.ts'

const point = z.object({ x: z.int().default(0), y: z.int(), note: z.string().optional() })

/** One field for each thing that a schema can say: what decoding does is compared with a real API server on this kind. */
export const Specimen = kind({
  group: 'test.aviary.dev',
  version: 'v1',
  name: 'Specimen',
  plural: 'specimens',
  scope: 'Namespaced',
  description: 'One field for each thing that a schema can say.',
  spec: z.object({
    must: z.string(),
    text: z
      .string()
      .min(2)
      .max(5)
      .regex(/^[a-z]+$/)
      .optional(),
    count: z.int().min(1).max(10).optional(),
    limit: z.int().optional(),
    small: z.int32().optional(),
    ratio: z.number().gt(0).lt(1).optional(),
    step: z.int().multipleOf(5).optional(),
    choice: z.enum(['a', 'b']).optional(),
    yes: z.boolean().optional(),
    at: time().optional(),
    blob: bytes().optional(),
    lasts: duration().optional(),
    either: intOrString().optional(),
    maybe: z.string().nullable().optional(),
    maybeMade: z.string().nullable().default('x'),
    filled: z.string().default('y'),
    texts: z
      .record(z.string(), z.string())
      .refine(entries => Object.keys(entries).length >= 1 && Object.keys(entries).length <= 2)
      .meta({ minProperties: 1, maxProperties: 2 })
      .optional(),
    tags: listSet(z.array(z.string()).min(1).max(3)).optional(),
    points: listMap(z.array(point), 'x', 'y').optional(),
    deep: z.object({ a: z.int().default(3), b: z.string().optional() }).optional(),
    made: z.object({ a: z.int().default(3), b: z.string().optional() }).prefault({}),
    items: z.array(z.object({ name: z.string(), size: z.int().default(1) })).optional(),
    loose: z.looseObject({ known: z.int() }).optional(),
    anything: z.unknown().optional(),
    anythings: z.array(z.unknown()).optional(),
    anyFields: anyObject().optional(),
    matrix: z.array(z.array(z.int())).optional(),
    byName: z.record(z.string(), z.object({ size: z.int().default(1) })).optional(),
    locked: z.string().max(20).optional(),
    lockedInside: z.object({ key: z.string().max(20).optional() }).optional(),
  }),
  status: z.object({ phase: z.string().optional() }),
  immutable: ['spec.locked', 'spec.lockedInside.key'],
  rules: [
    {
      path: 'spec.count',
      message: 'must not be greater than limit',
      fix: 'lower count or raise limit',
      holds: ({ spec: { count, limit } }) => count === undefined || limit === undefined || count <= limit,
      cel: { at: 'spec', expression: '!has(self.count) || !has(self.limit) || self.count <= self.limit' },
    },
    {
      path: 'spec.small',
      message: 'must not be 13',
      fix: 'choose another number',
      holds: ({ spec: { small } }) => small !== 13,
      cel: { at: 'spec.small', expression: 'self != 13' },
    },
    {
      path: 'spec.limit',
      message: 'must not shrink',
      fix: 'leave limit as it is or raise it',
      holds: ({ spec: { limit } }, old) => limit === undefined || old?.spec.limit === undefined || limit >= old.spec.limit,
      cel: { at: 'spec.limit', expression: 'self >= oldSelf' },
    },
  ],
})

/** An object of kind Specimen. */
export type Specimen = Infer<typeof Specimen>
