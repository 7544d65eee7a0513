import * as z from 'zod'
import type { StructuralSchema } from '../structural-schema.ts'

type JsonSchema = { readonly [key: string]: unknown }

/**
 * Turns a zod schema into the form that a CRD takes. zod's own OpenAPI form is close; this drops and rewrites what Kubernetes
 * refuses, and throws, naming the place, where a type has no structural form.
 */
export function structuralFromZod(schema: z.ZodType, place: string): StructuralSchema {
  // `input`: what a person may write. There, what has a default is not required.
  const json = z.toJSONSchema(schema, { target: 'openapi-3.0', io: 'input', override: ({ zodSchema }) => refuseLossy(zodSchema, place) })
  return structural(json, place)
}

/** What zod would turn into something looser without a word. */
function refuseLossy(schema: z.core.$ZodTypes, place: string): void {
  const { def } = schema._zod
  if (def.type === 'tuple') throw notStructural(place, 'a tuple')
  if (def.type !== 'record') return
  const key = (def.keyType as z.core.$ZodTypes)._zod.def
  if (key.type !== 'string' || (key.checks ?? []).length > 0) throw notStructural(place, 'a map whose keys are not just any text')
}

const safe = Number.MAX_SAFE_INTEGER
const int32 = 2 ** 31

/** Keywords that mean the same in both, in the order in which a person reads them. */
const sameInBoth = [
  'description',
  'type',
  'format',
  'nullable',
  'default',
  'enum',
  'pattern',
  'minLength',
  'maxLength',
  'minimum',
  'exclusiveMinimum',
  'maximum',
  'exclusiveMaximum',
  'multipleOf',
  'minItems',
  'maxItems',
  'minProperties',
  'maxProperties',
  'required',
] as const

/** Formats that both engines understand alike. Whatever else Kubernetes may check, decoding here would let pass: use a pattern. */
const formats = new Set(['', 'int32', 'int64', 'float', 'double', 'date-time', 'byte'])

/** Keywords that are handled one by one, or say nothing that a CRD could hold. */
const handled = new Set<string>([...sameInBoth, 'properties', 'additionalProperties', 'items', 'anyOf', '$schema', 'title', 'id'])

function structural(json: JsonSchema, place: string): StructuralSchema {
  for (const key of Object.keys(json)) {
    if (!handled.has(key) && !key.startsWith('x-kubernetes-')) throw notStructural(place, `"${key}"`)
  }
  const result: Record<string, unknown> = {}
  for (const key of sameInBoth) if (json[key] !== undefined) result[key] = json[key]
  // Kubernetes asks the enum about null, and never finds it there.
  if (json['nullable'] === true && json['enum'] !== undefined) throw notStructural(place, 'an enum that may be null')
  if (!formats.has((json['format'] as string | undefined) ?? '')) throw notStructural(place, `the format ${String(json['format'])}`)
  if (json['type'] === 'integer') Object.assign(result, integerBounds(json, result))
  if (json['anyOf'] !== undefined) Object.assign(result, union(json['anyOf'] as JsonSchema[], place))
  if (json['items'] !== undefined) result['items'] = structural(json['items'] as JsonSchema, `${place}[]`)
  if (json['type'] === 'object') Object.assign(result, fields(json, place))
  for (const key of Object.keys(json)) if (key.startsWith('x-kubernetes-')) result[key] = json[key]
  const says = (key: string) => result[key] !== undefined
  if (!says('type') && !says('x-kubernetes-int-or-string')) result['x-kubernetes-preserve-unknown-fields'] = true
  return withoutUndefined(result)
}

function fields(json: JsonSchema, place: string): Record<string, unknown> {
  const properties = json['properties'] as Record<string, JsonSchema> | undefined
  const others = json['additionalProperties'] as JsonSchema | false | undefined
  const result: Record<string, unknown> = {}
  if (properties !== undefined && Object.keys(properties).length > 0) {
    result['properties'] = Object.fromEntries(
      Object.entries(properties).map(([name, inner]) => [name, structural(inner, `${place}.${name}`)]),
    )
  }
  if (others === undefined || others === false) return result
  // "Anything else too": a structural schema may not say it beside properties, nor with an empty schema.
  if (result['properties'] !== undefined || Object.keys(others).length === 0) result['x-kubernetes-preserve-unknown-fields'] = true
  else result['additionalProperties'] = structural(others, `${place}.*`)
  return result
}

/** zod's `int()` carries the bounds of a safe integer; a CRD says `int64`, and `int32` by its own bounds. */
function integerBounds(json: JsonSchema, result: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { minimum, maximum } = json as { minimum?: number; maximum?: number }
  if (result['format'] !== undefined) return {}
  if (minimum === -int32 && maximum === int32 - 1) return { format: 'int32', minimum: undefined, maximum: undefined }
  return {
    format: 'int64',
    minimum: minimum === -safe ? undefined : minimum,
    maximum: maximum === safe ? undefined : maximum,
  }
}

function union(options: readonly JsonSchema[], place: string): Record<string, unknown> {
  const types = new Set(options.map(option => option['type']))
  if (types.size === 2 && types.has('integer') && types.has('string')) return { 'x-kubernetes-int-or-string': true }
  throw notStructural(place, 'a union')
}

function withoutUndefined(value: Record<string, unknown>): StructuralSchema {
  return Object.fromEntries(Object.entries(value).filter(([, inner]) => inner !== undefined))
}

function notStructural(place: string, what: string): TypeError {
  return new TypeError(
    `${place}: a CRD cannot express ${what}. Use one object with optional fields and a rule that says which go together.`,
  )
}
