import { describe, expect, test } from 'vitest'
import * as z from 'zod'
import { listMap, listSet } from '../lists.ts'
import { anyObject, bytes, duration, intOrString, time } from '../scalars.ts'
import type { StructuralSchema } from '../structural-schema.ts'
import { structuralFromZod } from './from-zod.ts'

const table: readonly (readonly [string, z.ZodType, StructuralSchema])[] = [
  ['a text', z.string(), { type: 'string' }],
  ['a text with bounds', z.string().min(1).max(5).regex(/^a+$/), { type: 'string', minLength: 1, maxLength: 5, pattern: '^a+$' }],
  ['a whole number is int64, without the bounds of JavaScript', z.int(), { type: 'integer', format: 'int64' }],
  ['its own bounds stay', z.int().min(0).max(12), { type: 'integer', format: 'int64', minimum: 0, maximum: 12 }],
  ['one bound stays, the other goes', z.int().min(0), { type: 'integer', format: 'int64', minimum: 0 }],
  ['int32 by its own bounds', z.int32(), { type: 'integer', format: 'int32' }],
  ['a fraction', z.number().gt(0).lt(1), { type: 'number', minimum: 0, exclusiveMinimum: true, maximum: 1, exclusiveMaximum: true }],
  ['an enum', z.enum(['a', 'b']), { type: 'string', enum: ['a', 'b'] }],
  ['a literal', z.literal('a'), { type: 'string', enum: ['a'] }],
  ['null allowed', z.string().nullable(), { type: 'string', nullable: true }],
  ['a default', z.boolean().default(true), { type: 'boolean', default: true }],
  ['a description', z.boolean().describe('Why.'), { type: 'boolean', description: 'Why.' }],
  ['a moment', time(), { type: 'string', format: 'date-time' }],
  ['bytes', bytes(), { type: 'string', format: 'byte' }],
  ['a duration', duration(), { type: 'string', pattern: '^([0-9]+(\\.[0-9]+)?(ns|us|µs|ms|s|m|h))+$', maxLength: 64 }],
  ['a number or a text', intOrString(), { 'x-kubernetes-int-or-string': true }],
  ['anything', z.unknown(), { 'x-kubernetes-preserve-unknown-fields': true }],
  ['a map', z.record(z.string(), z.int()), { type: 'object', additionalProperties: { type: 'integer', format: 'int64' } }],
  ['a map of anything', anyObject(), { type: 'object', 'x-kubernetes-preserve-unknown-fields': true }],
  [
    'an object: what has a default is not required',
    z.object({ a: z.string(), b: z.string().optional(), c: z.string().default('x') }),
    { type: 'object', required: ['a'], properties: { a: { type: 'string' }, b: { type: 'string' }, c: { type: 'string', default: 'x' } } },
  ],
  [
    'an object that is strict',
    z.strictObject({ a: z.string() }),
    { type: 'object', required: ['a'], properties: { a: { type: 'string' } } },
  ],
  [
    'an object that keeps what it does not know',
    z.looseObject({ a: z.string().optional() }),
    { type: 'object', properties: { a: { type: 'string' } }, 'x-kubernetes-preserve-unknown-fields': true },
  ],
  [
    'an object that is always there',
    z.object({ a: z.int32().default(1) }).prefault({}),
    { type: 'object', default: {}, properties: { a: { type: 'integer', format: 'int32', default: 1 } } },
  ],
  [
    'a list by keys',
    listMap(z.array(z.object({ name: z.string() })).max(3), 'name'),
    {
      type: 'array',
      maxItems: 3,
      items: { type: 'object', required: ['name'], properties: { name: { type: 'string' } } },
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name'],
    },
  ],
  ['a set', listSet(z.array(z.string())), { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'set' }],
]

test.each(table)('%s', (_name, schema, expected) => {
  expect(structuralFromZod(schema, 'x')).toEqual(expected)
})

describe('what a CRD cannot say is refused by its place', () => {
  const refused: readonly (readonly [string, z.ZodType, string])[] = [
    [
      'unions of objects',
      z.object({ a: z.union([z.object({ b: z.string() }), z.object({ c: z.string() })]) }),
      'Kind.a: a CRD cannot express a union',
    ],
    ['unions of texts and truth', z.object({ a: z.array(z.union([z.string(), z.boolean()])) }), 'Kind.a[]: a CRD cannot express a union'],
    ['recursive types', z.object({ a: z.json() }), 'Kind: a CRD cannot express "definitions"'],
    ['tuples', z.object({ a: z.tuple([z.string(), z.int()]) }), 'Kind: a CRD cannot express a tuple'],
    ['enums that may be null', z.object({ a: z.enum(['x']).nullable() }), 'Kind.a: a CRD cannot express an enum that may be null'],
    ['formats that only one engine would check', z.object({ a: z.url() }), 'Kind.a: a CRD cannot express the format uri'],
    ['maps by an enum', z.object({ a: z.partialRecord(z.enum(['x', 'y']), z.string()) }), 'Kind: a CRD cannot express a map whose keys'],
    ['texts that are two things at once', z.object({ a: z.string().and(z.string().min(3)) }), 'Kind.a: a CRD cannot express "allOf"'],
  ]
  test.each(refused)('%s', (_name, schema, message) => {
    expect(() => structuralFromZod(schema, 'Kind')).toThrow(message)
  })
})
