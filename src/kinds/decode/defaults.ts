import type { Json } from '../resource.ts'
import type { StructuralSchema } from '../structural-schema.ts'
import { isPlainObject, setField } from './copy-json.ts'

/** What a schema fills in, each with its place. Two schemas that fill in the same give the same. */
export function defaultsOf(schema: StructuralSchema, place = ''): readonly (readonly [place: string, value: Json])[] {
  const { properties = {}, items, additionalProperties: others } = schema
  return [
    ...(schema.default === undefined ? [] : [[place, schema.default] as const]),
    ...Object.entries(properties).flatMap(([name, field]) => defaultsOf(field, `${place}.${name}`)),
    ...(items === undefined ? [] : defaultsOf(items, `${place}[]`)),
    ...(others === undefined ? [] : defaultsOf(others, `${place}.*`)),
  ]
}

/**
 * A value with the defaults that it lacks; the very same if it lacks none. Nothing else about it changes: decoding also prunes and
 * checks, and what is stored was decoded by the rules of its time.
 */
export function withDefaults(schema: StructuralSchema, value: Json): Json {
  if (isList(value)) {
    const { items } = schema
    if (items === undefined) return value
    const filled = value.map(item => withDefaults(items, item))
    return filled.some((item, at) => item !== value[at]) ? filled : value
  }
  if (!isPlainObject(value)) return value
  const filled: Record<string, Json> = {}
  for (const [name, field] of fieldsOf(schema, value)) {
    const present = Object.hasOwn(value, name) ? value[name] : field.default
    if (present === undefined) continue
    const whole = withDefaults(field, present)
    if (!Object.hasOwn(value, name) || whole !== present) setField(filled, name, whole)
  }
  return Object.keys(filled).length === 0 ? value : { ...value, ...filled }
}

function fieldsOf(
  { properties = {}, additionalProperties: others }: StructuralSchema,
  value: object,
): (readonly [string, StructuralSchema])[] {
  return others === undefined ? Object.entries(properties) : Object.keys(value).map(name => [name, others])
}

/** Unlike `Array.isArray` also for the type checker, where lists cannot be changed. */
function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value)
}
