import type { FieldProblem } from '../field-problem.ts'
import type { StructuralSchema } from '../structural-schema.ts'
import { checksOf } from './checks.ts'
import { copyJson, deepest, isPlainObject, setField } from './copy-json.ts'
import { duplicatesOf } from './duplicates.ts'
import { isChecked } from './formats.ts'
import { readObjectMetaSchema } from './object-meta-schema.ts'
import { invalid, required, tooMany, wrongType } from './problems.ts'
import { Reading } from './reading.ts'
import { typeName } from './type-name.ts'

/**
 * Reads one value: a copy without what the schema does not know and with its defaults, and notes on what is wrong with it.
 * `undefined` and functions never come out. The input is never changed, and nothing of it is shared but texts and numbers, and what
 * it has in common with `known`: a value in the same place that was read before and cannot change. That is taken as it is, so that
 * an update costs what it changes and not what the object is.
 */
export type Reader = (value: unknown, reading: Reading, known?: unknown) => unknown

/**
 * Compiles a schema into one function that does in a single walk what Kubernetes does in four: prune, drop nulls, fill in
 * defaults, validate. A walk over closures, not generated code: it costs nothing to start, and speaks Kubernetes' words by itself.
 */
export function compileReader(schema: StructuralSchema): Reader {
  if (schema['x-kubernetes-int-or-string'] === true) return scalarReader(schema)
  switch (schema.type) {
    case 'object':
      return objectReader(schema)
    case 'array':
      return arrayReader(schema)
    case undefined:
      return (value, reading, known) => (value === known ? value : (copyJson(value, reading) ?? null))
    default:
      return scalarReader(schema)
  }
}

function wantedType(schema: StructuralSchema): string {
  return schema['x-kubernetes-int-or-string'] === true ? 'integer,string' : (schema.type ?? '')
}

function scalarReader(schema: StructuralSchema): Reader {
  const checks = checksOf(schema)
  const wanted = wantedType(schema)
  const format = schema.type === 'string' && isChecked(schema.format) ? schema.format : undefined
  const fits = scalarTests[wanted]!
  return (value, reading, known) => {
    if (value === known) return value
    let rest = value
    if (!fits(value)) {
      reading.problem(scalarMisfit(value, wanted, format, reading))
      rest = misfit(value, reading)
    }
    for (const check of checks) check(rest, reading)
    return rest
  }
}

/** Of a text with a format Kubernetes names the format, and what it has got by the name that Go gives it. */
function scalarMisfit(value: unknown, wanted: string, format: string | undefined, reading: Reading): FieldProblem {
  if (format === undefined || Array.isArray(value)) return wrongType(reading.path(), wanted, typeName(value))
  const got = typeof value === 'number' ? (Number.isInteger(value) ? 'int64' : 'float64') : ''
  return wrongType(reading.path(), format, got)
}

/** What is left of a value where the schema expects another type: of an object nothing, for none of its fields are known. */
function misfit(value: unknown, reading: Reading, depth = 0): unknown {
  if (Array.isArray(value)) {
    if (depth > deepest) return []
    return value.map((inner, index) => {
      reading.place.push(index)
      const rest = misfit(inner, reading, depth + 1)
      reading.place.pop()
      return rest
    })
  }
  if (!isPlainObject(value)) return typeof value === 'bigint' ? String(value) : value
  for (const key of Object.keys(value)) reading.unknown(key)
  return {}
}

const scalarTests: Readonly<Record<string, (value: unknown) => boolean>> = {
  string: value => typeof value === 'string',
  boolean: value => typeof value === 'boolean',
  integer: Number.isInteger,
  number: Number.isFinite,
  'integer,string': value => typeof value === 'string' || Number.isInteger(value),
}

interface Field {
  readonly name: string
  readonly read: Reader
  readonly type: string
  readonly nullable: boolean
  readonly fallback: (() => unknown) | undefined
}

function fieldOf(name: string, schema: StructuralSchema): Field {
  const read = compileReader(schema)
  return { name, read, type: wantedType(schema), nullable: schema.nullable === true, fallback: fallbackOf(schema, read) }
}

/** A default is read like any other value, so that what stands inside it gets its defaults too. */
function fallbackOf(schema: StructuralSchema, read: Reader): (() => unknown) | undefined {
  const value = schema.default
  if (value === undefined) return undefined
  if (typeof value !== 'object' || value === null) return () => value
  return () => read(value, new Reading())
}

function objectReader(schema: StructuralSchema): Reader {
  const fields = new Map<string, Field>()
  for (const [name, inner] of Object.entries(propertiesOf(schema))) fields.set(name, fieldOf(name, inner))
  const others = schema.additionalProperties === undefined ? undefined : fieldOf('', schema.additionalProperties)
  const keep = schema['x-kubernetes-preserve-unknown-fields'] === true
  const withDefault = [...fields.values()].filter(field => field.fallback !== undefined)
  const mandatory = schema.required ?? []
  const { minProperties = 0, maxProperties = Infinity } = schema
  const counts = minProperties > 0 || maxProperties < Infinity

  return (value, reading, known) => {
    if (value === known) return value
    if (!isPlainObject(value)) {
      reading.problem(wrongType(reading.path(), 'object', typeName(value)))
      return misfit(value, reading)
    }
    const { place } = reading
    const before = isPlainObject(known) ? known : nothing
    const result: Record<string, unknown> = {}
    for (const key in value) {
      const inner = value[key]
      if (inner === undefined || !Object.hasOwn(value, key)) continue
      const field = fields.get(key) ?? others
      if (field === undefined) {
        if (keep) {
          place.push(key)
          const copy = copyJson(inner, reading)
          if (copy !== undefined) setField(result, key, copy)
          place.pop()
        } else reading.unknown(key)
        continue
      }
      // Null where null is not allowed is as good as nothing, as Kubernetes has it; a default may follow below.
      if (inner === null && !field.nullable) {
        if (field === others && field.fallback !== undefined) setField(result, key, field.fallback())
        continue
      }
      place.push(key)
      setField(result, key, inner === null ? null : field.read(inner, reading, Object.hasOwn(before, key) ? before[key] : undefined))
      place.pop()
    }
    for (const field of withDefault) if (!Object.hasOwn(result, field.name)) result[field.name] = field.fallback!()
    for (const name of mandatory) if (!Object.hasOwn(result, name)) reading.problem(required(reading.path(name)))
    if (counts) checkCount(Object.keys(result).length, minProperties, maxProperties, reading)
    return result
  }
}

const nothing: Readonly<Record<string, unknown>> = {}

function checkCount(count: number, least: number, most: number, reading: Reading): void {
  const path = reading.path()
  const rule = `${path} in body should have at least ${least} properties`
  if (count < least) reading.problem(invalid(path, count, rule, `give at least ${least} entries`))
  if (count > most) reading.problem(tooMany(path, count, most))
}

/** An embedded object has a type and metadata of its own, whether the schema says so or not. */
function propertiesOf(schema: StructuralSchema): Readonly<Record<string, StructuralSchema>> {
  if (schema['x-kubernetes-embedded-resource'] !== true) return schema.properties ?? {}
  return { ...schema.properties, apiVersion: { type: 'string' }, kind: { type: 'string' }, metadata: readObjectMetaSchema }
}

function arrayReader(schema: StructuralSchema): Reader {
  const items = fieldOf('', schema.items!)
  const { minItems = 0, maxItems = Infinity } = schema
  const duplicates = duplicatesOf(schema)

  return (value, reading, known) => {
    if (value === known) return value
    if (!Array.isArray(value)) {
      reading.problem(wrongType(reading.path(), 'array', typeName(value)))
      return misfit(value, reading)
    }
    const { place } = reading
    const before: readonly unknown[] = Array.isArray(known) ? known : []
    const result: unknown[] = []
    for (let index = 0; index < value.length; index++) {
      const inner: unknown = value[index] ?? null
      place.push(index)
      if (inner !== null) result.push(items.read(inner, reading, before[index]))
      else if (items.nullable || items.type === '') result.push(null)
      else if (items.fallback !== undefined) result.push(items.fallback())
      else {
        reading.problem(wrongType(reading.path(), items.type, 'null'))
        result.push(null)
      }
      place.pop()
    }
    if (value.length < minItems) {
      const rule = `${reading.path()} in body should have at least ${minItems} items`
      reading.problem(invalid(reading.path(), value.length, rule, `give at least ${minItems} items`))
    }
    if (value.length > maxItems) reading.problem(tooMany(reading.path(), value.length, maxItems))
    if (duplicates !== undefined) duplicates(result, reading)
    return result
  }
}
