import fc from 'fast-check'
import type { StructuralSchema } from '../structural-schema.ts'

type Values = (schema: StructuralSchema) => fc.Arbitrary<unknown>

/** Values for a schema: mostly such that it accepts, with something at the edge or altogether strange now and then, at any depth. */
export function valuesFor(schema: StructuralSchema): fc.Arbitrary<unknown> {
  return fc.oneof(
    { weight: 94, arbitrary: fitting(schema, valuesFor) },
    { weight: 4, arbitrary: edgeValues(schema) },
    { weight: 2, arbitrary: fc.jsonValue({ maxDepth: 2 }) },
  )
}

/** Values that a schema accepts, unless something stands twice where it may not. */
export function goodValuesFor(schema: StructuralSchema): fc.Arbitrary<unknown> {
  return fitting(schema, goodValuesFor)
}

function fitting(schema: StructuralSchema, inside: Values): fc.Arbitrary<unknown> {
  const { minimum, maximum, multipleOf = 1 } = schema
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum)
  if (schema['x-kubernetes-int-or-string'] === true) return fc.oneof(fc.integer(), fc.string())
  switch (schema.type) {
    case 'object':
      return objects(schema, inside)
    case 'array':
      return fc.array(inside(schema.items!), { minLength: schema.minItems ?? 0, maxLength: Math.min(schema.maxItems ?? 4, 4) })
    case 'string':
      return texts(schema)
    case 'integer':
      return fc.integer({ min: minimum ?? -5, max: maximum ?? 20 }).map(value => value * multipleOf)
    case 'number':
      return fc.double({ min: (minimum ?? -5) + 0.01, max: (maximum ?? 20) - 0.01, noNaN: true })
    case 'boolean':
      return fc.boolean()
    default:
      return fc.jsonValue({ maxDepth: 2 })
  }
}

/** One less and one more than allowed. */
function edgeValues(schema: StructuralSchema): fc.Arbitrary<unknown> {
  const { type, minimum = 0, maximum = 2 ** 53, minLength = 1, maxLength = 0, format } = schema
  if (type === 'integer' || type === 'number') return fc.constantFrom(minimum - 1, minimum, maximum, maximum + 1, minimum + 0.5)
  if (type === 'array')
    return fc.constantFrom(
      [],
      Array.from({ length: (schema.maxItems ?? 0) + 1 }, () => 'x'),
    )
  if (format === 'date-time') return fc.constantFrom('2026-02-30T00:00:00Z', '2026-11-15T23:21:43', 'now')
  if (format === 'byte') return fc.constantFrom('aGk', 'a$==')
  if (type === 'string') return fc.constantFrom('x'.repeat(Math.max(minLength - 1, 0)), 'x'.repeat(maxLength + 1), 'NO')
  return fc.constantFrom(null, {}, [])
}

function objects(schema: StructuralSchema, inside: Values): fc.Arbitrary<unknown> {
  const { properties = {}, additionalProperties, required = [], minProperties = 0, maxProperties = 3 } = schema
  if (additionalProperties !== undefined) {
    return fc.dictionary(names, inside(additionalProperties), { minKeys: minProperties, maxKeys: maxProperties })
  }
  const known = fc.record(Object.fromEntries(Object.entries(properties).map(([name, inner]) => [name, inside(inner)])), {
    requiredKeys: required.filter(name => Object.hasOwn(properties, name)),
  })
  const others = fc.dictionary(names, fc.jsonValue({ maxDepth: 1 }), { maxKeys: 1 })
  return fc
    .tuple(known, fc.oneof({ weight: 9, arbitrary: fc.constant({}) }, { weight: 1, arbitrary: others }))
    .map(([a, b]) => ({ ...b, ...a }))
}

const names = fc.oneof(
  { weight: 9, arbitrary: fc.stringMatching(/^[a-z]{1,5}$/) },
  { weight: 1, arbitrary: fc.constantFrom('__proto__', 'constructor') },
)

function texts(schema: StructuralSchema): fc.Arbitrary<string> {
  const { format, pattern, minLength = 0, maxLength = Infinity } = schema
  if (format === 'date-time') return fc.constantFrom('2026-11-15T23:21:43Z', '2026-11-15T23:21:43.123456+01:00')
  if (format === 'byte') return fc.constantFrom('', 'aGk=', 'aGVs')
  if (pattern === undefined) return fc.string({ minLength, maxLength: Math.min(maxLength, 12) })
  return fc.stringMatching(new RegExp(pattern)).filter(text => text.length >= minLength && text.length <= maxLength)
}
