import type * as z from 'zod'
import type { StructuralSchema } from '../structural-schema.ts'
import { structuralFromZod } from './from-zod.ts'

const identity = {
  apiVersion: { description: 'Group and version of the schema of this object, as group/version.', type: 'string' },
  kind: { description: 'The kind of this object, in CamelCase.', type: 'string' },
  // Not even a description: Kubernetes describes metadata itself, and refuses a schema that does.
  metadata: { type: 'object' },
} as const satisfies Record<string, StructuralSchema>

/** The schema of a whole object, from those of its top-level fields. */
export function wholeSchema(name: string, description: string, zod: z.ZodObject): StructuralSchema {
  const { properties = {}, required = [] } = structuralFromZod(zod, name)
  const { spec, status, ...others } = properties
  // Controllers may rely on `spec`. If it can be empty it is made; if not, whoever leaves it out is told so.
  const specIsMade = spec !== undefined && (spec.required ?? []).length === 0
  const mandatory = required.filter(field => field !== 'spec' || !specIsMade)
  return {
    description,
    type: 'object',
    ...(mandatory.length > 0 ? { required: mandatory } : {}),
    properties: {
      ...identity,
      ...others,
      ...(spec === undefined ? {} : { spec: { description: 'What is wanted.', ...spec, ...(specIsMade ? { default: {} } : {}) } }),
      ...(status === undefined ? {} : { status: { description: 'What is.', ...status } }),
    },
  }
}
