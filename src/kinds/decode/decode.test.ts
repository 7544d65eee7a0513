import { Ajv } from 'ajv'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { allKinds } from '../all-kinds.ts'
import { Specimen } from '../testing/specimen.ts'
import { goodValuesFor, valuesFor } from '../testing/values-for-schema.ts'
import type { FieldProblem } from '../field-problem.ts'
import type { Kind } from '../kind.ts'
import { Nest } from '../nest.ts'
import type { Resource } from '../resource.ts'
import { Secret } from '../secret.ts'
import type { StructuralSchema } from '../structural-schema.ts'
import { decode } from './decode.ts'
import { isBase64, isDateTime } from './formats.ts'

/** Without what goes beyond the schema, which has tests of its own. */
const kinds: readonly Kind[] = [...allKinds, Specimen].map((kind: Kind) => {
  const { problems: _problems, changeProblems: _changeProblems, ...rest } = kind
  return { ...rest, rules: [], immutable: [], scale: undefined }
})
const runs = { numRuns: 40 }

/** Objects of a kind as somebody might send them: good name, anything else as the schema's values come. */
function objectsOf(kind: Kind, values = valuesFor): fc.Arbitrary<Readonly<Record<string, unknown>>> {
  const { apiVersion: _a, kind: _k, metadata: _m, ...fields } = kind.schema.properties!
  const body = values({ ...kind.schema, properties: fields })
  return body.map(value => ({ ...(isObject(value) ? value : {}), apiVersion: kind.apiVersion, kind: kind.name, metadata: { name: 'one' } }))
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function fieldsOf(object: Resource): Record<string, unknown> {
  const { apiVersion: _a, kind: _k, metadata: _m, ...fields } = object
  return fields
}

/** Some parts of one and some of the other, down to any depth. */
function mixture(one: unknown, other: unknown, fromOne: () => boolean): unknown {
  if (fromOne() || other === undefined) return one
  if (Array.isArray(one) && Array.isArray(other)) return one.map((item, at) => mixture(item, other[at], fromOne))
  if (!isObject(one) || !isObject(other)) return other
  return Object.fromEntries(Object.keys({ ...one, ...other }).map(key => [key, mixture(one[key], other[key], fromOne)]))
}

function frozen<T>(value: T): T {
  if (typeof value === 'object' && value !== null) {
    Object.values(value).forEach(frozen)
    Object.freeze(value)
  }
  return value
}

describe.each(kinds)('decoding any $name', kind => {
  test('twice gives the same as once: nothing is left to prune or to fill in', () => {
    fc.assert(
      fc.property(objectsOf(kind), input => {
        const once = decode(kind, input)
        const twice = decode(kind, once.object)
        expect([twice.object, twice.unknownFields]).toEqual([once.object, []])
        if (once.problems.length === 0) expect(twice.problems).toEqual([])
      }),
      runs,
    )
  })

  test('never changes its input and shares nothing with it', () => {
    fc.assert(
      fc.property(objectsOf(kind), input => {
        const before = JSON.stringify(input)
        const decoded = decode(kind, frozen(input))
        expect(JSON.stringify(input)).toBe(before)
        const inside = new Set<object>()
        collect(input, inside)
        const outside = new Set<object>()
        collect(decoded.object, outside)
        expect(inside.intersection(outside).size).toBe(0)
      }),
      runs,
    )
  })

  test('says the same of a change with the state before at hand, and takes over what is as it was', () => {
    fc.assert(
      fc.property(objectsOf(kind, goodValuesFor), objectsOf(kind), fc.infiniteStream(fc.boolean()), (first, other, coin) => {
        const { object, problems } = decode(kind, first)
        fc.pre(problems.length === 0)
        const known = frozen(object)
        const changed = mixture(known, other, () => coin.next().value)
        const decoded = decode(kind, changed, known)
        expect(decoded).toEqual(decode(kind, changed))
        const read = kind.normalise?.(changed as Record<string, unknown>) ?? (changed as Record<string, unknown>)
        for (const [field, value] of Object.entries(fieldsOf(known))) {
          if (isObject(value) && read[field] === value) expect(fieldsOf(decoded.object)[field]).toBe(value)
        }
      }),
      runs,
    )
  })

  test('never lets a field through that the schema does not know', () => {
    fc.assert(
      fc.property(objectsOf(kind), input => {
        expect(strangers(kind.schema, decode(kind, input).object, '')).toEqual([])
      }),
      runs,
    )
  })

  test('refuses exactly what an independent validator refuses, given the same schema', () => {
    const accepts = independentValidator(kind.schema)
    fc.assert(
      fc.property(objectsOf(kind), input => {
        const { object, problems } = decode(kind, input)
        const bySchema = problems.filter(isAboutSchema)
        expect(bySchema.length === 0, JSON.stringify({ bySchema, errors: accepts(object) ? [] : 'refused' })).toBe(accepts(object))
      }),
      runs,
    )
  })

  test('accepts only what the types promise, and all of what they promise', () => {
    fc.assert(
      fc.property(objectsOf(kind), input => {
        // zod leaves out a key of this name; that decode keeps it has a test of its own.
        fc.pre(!JSON.stringify(input).includes('"__proto__"'))
        const { object, problems } = decode(kind, input)
        if (!problems.some(isAboutSchema)) expect(kind.zod.safeParse(fieldsOf(object)).error).toBeUndefined()
        const byTypes = kind.zod.safeParse(fieldsOf(input as unknown as Resource))
        // zod passes over `__proto__`, whatever stands there.
        if (byTypes.success && !JSON.stringify(input).includes('__proto__')) expect(problems.filter(isAboutSchema)).toEqual([])
      }),
      runs,
    )
  })
})

/** What stands twice is beyond what types and common validators can say. */
function isAboutSchema({ reason }: FieldProblem): boolean {
  return reason !== 'FieldValueDuplicate'
}

function collect(value: unknown, into: Set<object>): void {
  if (typeof value !== 'object' || value === null) return
  into.add(value)
  for (const inner of Object.values(value)) collect(inner, into)
}

function strangers(schema: StructuralSchema, value: unknown, path: string): string[] {
  if (Array.isArray(value)) return value.flatMap(inner => (schema.items === undefined ? [] : strangers(schema.items, inner, `${path}[]`)))
  if (!isObject(value) || path === '.metadata') return []
  return Object.entries(value).flatMap(([name, inner]) => {
    const known = Object.hasOwn(schema.properties ?? {}, name) ? schema.properties![name] : schema.additionalProperties
    if (known !== undefined) return strangers(known, inner, `${path}.${name}`)
    return schema['x-kubernetes-preserve-unknown-fields'] === true ? [] : [`${path}.${name}`]
  })
}

/** ajv over the kind's schema, in the words that ajv knows. */
function independentValidator(schema: StructuralSchema): (value: unknown) => boolean {
  const ajv = new Ajv({ strict: false, formats: { 'date-time': isDateTime, byte: isBase64, int32: true, int64: true } })
  const { metadata: _metadata, ...properties } = schema.properties!
  const validate = ajv.compile(inJsonSchema({ ...schema, properties }))
  return value => validate(value)
}

function inJsonSchema(schema: StructuralSchema): object {
  const {
    exclusiveMinimum,
    exclusiveMaximum,
    minimum,
    maximum,
    properties,
    items,
    additionalProperties,
    default: _default,
    ...rest
  } = schema
  const integer = schema.type === 'integer' || schema['x-kubernetes-int-or-string'] === true
  const largest = schema.format === 'int32' ? 2 ** 31 - 1 : Number.MAX_SAFE_INTEGER
  return {
    ...rest,
    ...(schema['x-kubernetes-int-or-string'] === true ? { type: ['integer', 'string'] } : {}),
    ...bounds('inimum', minimum ?? (integer ? -largest : undefined), exclusiveMinimum),
    ...bounds('aximum', maximum ?? (integer ? largest : undefined), exclusiveMaximum),
    ...(items === undefined ? {} : { items: inJsonSchema(items) }),
    ...(additionalProperties === undefined ? {} : { additionalProperties: inJsonSchema(additionalProperties) }),
    ...(properties === undefined
      ? {}
      : { properties: Object.fromEntries(Object.entries(properties).map(([name, inner]) => [name, inJsonSchema(inner)])) }),
  }
}

function bounds(name: string, bound: number | undefined, exclusive = false): object {
  if (bound === undefined) return {}
  return exclusive ? { [`exclusiveM${name}`]: bound } : { [`m${name}`]: bound }
}

describe('hostile input', () => {
  test.each([null, undefined, 'text', 3, true, [], () => 1])('%s is no object', input => {
    expect(decode(Nest, input).problems).toHaveLength(1)
  })

  test('another kind or version is refused by name', () => {
    expect(decode(Nest, { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'a' } }).problems.map(one => one.message)).toEqual([
      'Invalid value: "Secret": must be Nest',
      'Invalid value: "v1": must be demo.aviary.dev/v1alpha1',
    ])
  })

  test('fields with names of JavaScript are fields like any other', () => {
    const input: unknown = JSON.parse(
      '{"metadata":{"name":"a","labels":{"__proto__":"x","constructor":"y"}},"spec":{"__proto__":{"eggs":5},"constructor":1}}',
    )
    const { object, unknownFields } = decode(Nest, input)
    expect(unknownFields).toEqual(['spec.__proto__', 'spec.constructor'])
    expect(object.spec).toEqual({ eggs: 1, material: 'twig' })
    expect(Object.getPrototypeOf(object.metadata.labels)).toBe(Object.prototype)
    expect(Object.entries(object.metadata.labels!)).toEqual([
      ['__proto__', 'x'],
      ['constructor', 'y'],
    ])
  })

  test('what is nested absurdly deep is refused, not a crash', () => {
    let deep: unknown = 1
    for (let level = 0; level < 50_000; level++) deep = { a: deep }
    const { problems } = decode(Specimen, { metadata: { name: 'a' }, spec: { must: 'x', anything: deep } })
    expect(problems[0]).toMatchObject({ path: 'spec.anything', message: 'Invalid value: must not be nested deeper than 200 levels' })
  })

  test('an object with countless mistakes is refused with the first of them', () => {
    const guards = Array.from({ length: 200_000 }, () => ({ x: 1 }))
    const labels = Object.fromEntries(Array.from({ length: 50_000 }, (_, index) => [`${index} !`, '!']))
    const { problems, unknownFields } = decode(Nest, { metadata: { name: 'a', labels }, spec: { guards } })
    expect(problems.length).toBeGreaterThan(100)
    expect(problems.length).toBeLessThan(400)
    expect(unknownFields).toHaveLength(100)
  })

  test('what JSON cannot say does not get in', () => {
    const anything = { a: undefined, b: Number.NaN, c: () => 1, d: 1n, e: Symbol('x'), f: [undefined, 1] }
    const { object } = decode(Specimen, { metadata: { name: 'a' }, spec: { must: 'x', anything } })
    expect(object.spec.anything).toEqual({ f: [null, 1] })
  })

  test('a number that JavaScript would change in silence is refused', () => {
    const { problems } = decode(Specimen, { metadata: { name: 'a' }, spec: { must: 'x', limit: 2 ** 53 } })
    expect(problems[0]?.message).toBe('Invalid value: 9007199254740992: must be between -9007199254740991 and 9007199254740991, inclusive')
  })

  test('labels of the wrong type are refused once, without asking them for their form', () => {
    const { problems } = decode(Nest, { metadata: { name: 'a', labels: { a: 1 } } })
    expect(problems.map(({ path, reason }) => [path, reason])).toContainEqual(['metadata.labels.a', 'FieldValueTypeInvalid'])
  })
})

test('metadata that clients send as null is left out', () => {
  const { object, problems } = decode(Nest, { metadata: { name: 'a', creationTimestamp: null, labels: null } })
  expect([object.metadata, problems]).toEqual([{ name: 'a' }, []])
})

test('a prefix of a name is checked as if something followed it', () => {
  expect(decode(Nest, { metadata: { generateName: 'egg-' } }).problems).toEqual([])
  expect(decode(Nest, { metadata: { generateName: 'Egg_' } }).problems[0]?.path).toBe('metadata.generateName')
})

test('a secret that is not base64 is refused without being repeated', () => {
  const { problems } = decode(Secret, { metadata: { name: 'a' }, data: { password: 'hunter2' } })
  expect(problems).toHaveLength(1)
  expect(JSON.stringify(problems)).not.toContain('hunter2')
  expect(problems[0]?.message).toBe('Invalid value: data.password in body must be of type byte')
})

test('every problem but the hint that rules were not checked comes with a fix', () => {
  const spec = { eggs: -1, material: 'straw', incubation: 'x', guards: [{ name: 'a' }, { name: 'a' }, {}], paused: 'x' }
  const { problems } = decode(Nest, { metadata: { name: 'A', labels: { 'a b': '!' }, finalizers: ['!'] }, spec })
  expect(problems.length).toBeGreaterThan(8)
  for (const { path, fix } of problems) if (path !== '<nil>') expect(fix, path).toBeTruthy()
})

test('a fix says what to write', () => {
  const { problems } = decode(Nest, { metadata: { name: 'a' }, spec: { material: 'straw', incubation: '1 day', eggs: 'x' } })
  expect(Object.fromEntries(problems.map(({ path, fix }) => [path, fix]))).toMatchObject({
    'spec.material': 'use one of twig, moss, down',
    'spec.incubation': 'write a duration such as 90s, 15m or 1h30m',
    'spec.eggs': 'write an integer instead of a string',
  })
})
