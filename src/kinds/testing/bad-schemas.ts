import type { StructuralSchema } from '../structural-schema.ts'

/** A schema of an object with one field. */
export function withField(field: object): StructuralSchema {
  return { type: 'object', properties: { a: field } }
}

const pair = { type: 'object', required: ['k'], properties: { k: { type: 'string' }, v: { type: 'object' } } }
const mapOf = (items: object, keys: readonly string[] = ['k']) =>
  withField({ type: 'array', items, 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': keys })

/**
 * Schemas that each break one rule, with what is said about them. A real API server is asked about each, too: it refuses all but
 * those marked as ours, where its documentation says no and it keeps quiet.
 */
export const badSchemas: readonly (readonly [string, object, string])[] = [
  ['no type at the root', {}, 'schema: type must be given'],
  ['another type at the root', { type: 'string' }, 'schema: type must be object at the root'],
  ['null at the root', { type: 'object', nullable: true }, 'schema: nullable cannot be true at the root'],
  ['no type of a field', withField({}), 'schema.a: type must be given'],
  ['no type of items', withField({ type: 'array', items: {} }), 'schema.a[]: type must be given'],
  ['no type of map values', withField({ type: 'object', additionalProperties: { description: 'x' } }), 'schema.a.*: type must be given'],
  ['an unknown type', withField({ type: 'text' }), 'schema.a: type text is not known'],
  ['type null', withField({ type: 'null' }), 'schema.a: type null is not known: use nullable'],
  ['a reference', withField({ type: 'object', $ref: '#/x' }), 'schema.a: $ref is not supported'],
  ['definitions', { type: 'object', definitions: { a: { type: 'string' } } }, 'schema: definitions is not supported'],
  [
    'pattern properties',
    withField({ type: 'object', patternProperties: { a: { type: 'string' } } }),
    'schema.a: patternProperties is not supported',
  ],
  ['dependencies', withField({ type: 'object', dependencies: { a: ['b'] } }), 'schema.a: dependencies is not supported'],
  ['an id', withField({ type: 'object', id: 'x' }), 'schema.a: id is not supported'],
  [
    'additional items',
    withField({ type: 'array', items: { type: 'string' }, additionalItems: true }),
    'schema.a: additionalItems is not supported',
  ],
  [
    'several schemas of items',
    withField({ type: 'array', items: [{ type: 'string' }] }),
    'schema.a: items must be one schema, not a list of schemas',
  ],
  ['no items', withField({ type: 'array' }), 'schema.a: items must be given for an array'],
  [
    'a map at the root',
    { type: 'object', additionalProperties: { type: 'string' } },
    'schema: additionalProperties must not be used at the root',
  ],
  [
    'a map that is an object, too',
    withField({ type: 'object', properties: { b: { type: 'string' } }, additionalProperties: { type: 'string' } }),
    'schema.a: additionalProperties and properties are mutually exclusive',
  ],
  [
    'additionalProperties: false (ours)',
    withField({ type: 'object', additionalProperties: false }),
    'schema.a: additionalProperties must be a schema',
  ],
  [
    'unique items',
    withField({ type: 'array', items: { type: 'string' }, uniqueItems: true }),
    'schema.a: uniqueItems cannot be true: use x-kubernetes-list-type: set',
  ],
  ['a kind that is no text', { type: 'object', properties: { kind: { type: 'integer' } } }, 'schema: kind must be of type string'],
  [
    'metadata that is no object',
    { type: 'object', properties: { metadata: { type: 'string' } } },
    'schema: metadata must be of type object',
  ],
  [
    'metadata with labels',
    { type: 'object', properties: { metadata: { type: 'object', properties: { labels: { type: 'object' } } } } },
    'schema: metadata must not specify anything other than name and generateName',
  ],
  [
    'metadata that is described',
    { type: 'object', properties: { metadata: { type: 'object', description: 'x' } } },
    'schema: metadata must not specify anything other than name and generateName',
  ],
  [
    'a list type without a list',
    withField({ type: 'string', 'x-kubernetes-list-type': 'set' }),
    'schema.a: type must be array if x-kubernetes-list-type is given',
  ],
  [
    'an unknown list type',
    withField({ type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'bag' }),
    'schema.a: x-kubernetes-list-type must be atomic, set or map',
  ],
  [
    'keys without a map',
    withField({ type: 'array', items: pair, 'x-kubernetes-list-map-keys': ['k'] }),
    'schema.a: x-kubernetes-list-type must be map if x-kubernetes-list-map-keys is given',
  ],
  ['a list map without keys', mapOf(pair, []), 'schema.a: x-kubernetes-list-map-keys must be given if x-kubernetes-list-type is map'],
  ['a list map of texts', mapOf({ type: 'string' }), 'schema.a: items must be of type object if x-kubernetes-list-type is map'],
  ['a key that is no field', mapOf(pair, ['k', 'z']), 'schema.a: key z is not a property of the items'],
  ['a key twice', mapOf(pair, ['k', 'k']), 'schema.a: x-kubernetes-list-map-keys must not repeat a key'],
  ['a key that is an object', mapOf({ ...pair, required: ['v'] }, ['v']), 'schema.a: key v must be a scalar'],
  ['a key that may be missing', mapOf({ ...pair, required: [] }), 'schema.a: key k must be required or have a default'],
  [
    'a key that may be null',
    mapOf({ type: 'object', required: ['k'], properties: { k: { type: 'string', nullable: true } } }),
    'schema.a: key k cannot be nullable',
  ],
  [
    'items of a list map that may be null',
    mapOf({ ...pair, nullable: true }),
    'schema.a: items cannot be nullable if x-kubernetes-list-type is map',
  ],
  [
    'a set of lists that are no values',
    withField({
      type: 'array',
      items: { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'set' },
      'x-kubernetes-list-type': 'set',
    }),
    'schema.a: items of a set must be atomic',
  ],
  [
    'a set of objects that are no values',
    withField({ type: 'array', items: { type: 'object' }, 'x-kubernetes-list-type': 'set' }),
    'schema.a: items of a set must be scalars or have x-kubernetes-map-type: atomic',
  ],
  [
    'a map type without a map',
    withField({ type: 'string', 'x-kubernetes-map-type': 'atomic' }),
    'schema.a: type must be object if x-kubernetes-map-type is given',
  ],
  [
    'preserve: false',
    withField({ type: 'object', 'x-kubernetes-preserve-unknown-fields': false }),
    'schema.a: x-kubernetes-preserve-unknown-fields must be true or absent',
  ],
  [
    'a number or text with a type (ours)',
    withField({ type: 'string', 'x-kubernetes-int-or-string': true }),
    'schema.a: type must be absent if x-kubernetes-int-or-string is true',
  ],
  [
    'a number or text that preserves',
    withField({ 'x-kubernetes-int-or-string': true, 'x-kubernetes-preserve-unknown-fields': true }),
    'schema.a: x-kubernetes-preserve-unknown-fields and x-kubernetes-int-or-string exclude each other',
  ],
  [
    'an embedded text',
    withField({ type: 'string', 'x-kubernetes-embedded-resource': true }),
    'schema.a: type must be object if x-kubernetes-embedded-resource is true',
  ],
  [
    'an embedded nothing',
    withField({ type: 'object', 'x-kubernetes-embedded-resource': true }),
    'schema.a: an embedded resource must have properties or preserve unknown fields',
  ],
  [
    'an embedded map',
    withField({
      type: 'object',
      'x-kubernetes-embedded-resource': true,
      'x-kubernetes-preserve-unknown-fields': true,
      additionalProperties: { type: 'string' },
    }),
    'schema.a: additionalProperties must not be used in an embedded resource',
  ],
  ['a pattern that is none', withField({ type: 'string', pattern: '(' }), 'schema.a: pattern ( is not a regular expression'],
  [
    'a pattern with look-ahead',
    withField({ type: 'string', pattern: '^(?!x)' }),
    'schema.a: pattern ^(?!x) has look-around or back references, which Kubernetes does not know',
  ],
  ['a default of another type', withField({ type: 'string', default: 3 }), 'schema.a: default is not valid'],
  ['a default out of bounds', withField({ type: 'integer', minimum: 5, default: 3 }), 'schema.a: default is not valid'],
  ['a default with a field missing', withField({ ...pair, default: {} }), 'schema.a: default is not valid: k: Required value'],
  [
    'a default with a field that is unknown',
    withField({ type: 'object', properties: { b: { type: 'string' } }, default: { c: 1 } }),
    'schema.a: default has a field that the schema does not know: c',
  ],
  [
    'a default that others would have to complete',
    withField({ type: 'object', default: {}, required: ['b'], properties: { b: { type: 'integer', default: 1 } } }),
    'schema.a: default is not valid: b: Required value',
  ],
  [
    'a default that is null (ours)',
    withField({ type: 'string', default: null }),
    'schema.a: default cannot be null where null is not allowed',
  ],
  [
    'a rule that is empty',
    withField({ type: 'string', 'x-kubernetes-validations': [{ rule: ' ' }] }),
    'schema.a: a rule of x-kubernetes-validations must not be empty',
  ],
  [
    'a message of two lines',
    withField({ type: 'string', 'x-kubernetes-validations': [{ rule: 'true', message: 'a\nb' }] }),
    'schema.a: the message of a rule must be one line',
  ],
  ['a type inside of anyOf', withField({ type: 'string', anyOf: [{ type: 'string' }] }), 'schema.a.anyOf[0]: type must not be used inside'],
  [
    'a default inside of allOf',
    withField({ type: 'string', allOf: [{ default: 'x' }] }),
    'schema.a.allOf[0]: default must not be used inside',
  ],
  [
    'a description inside of oneOf',
    withField({ type: 'string', oneOf: [{ description: 'x' }] }),
    'schema.a.oneOf[0]: description must not be used inside',
  ],
  ['null inside of not', withField({ type: 'string', not: { nullable: true } }), 'schema.a.not: nullable must not be used inside'],
  [
    'a list type inside of allOf',
    withField({ type: 'array', items: { type: 'string' }, allOf: [{ 'x-kubernetes-list-type': 'set' }] }),
    'schema.a.allOf[0]: x-kubernetes-list-type must not be used inside',
  ],
  [
    'a field that only logic knows',
    { type: 'object', anyOf: [{ properties: { b: { minimum: 1 } } }] },
    'schema.anyOf[0]: b must be specified outside',
  ],
  [
    'items that only logic knows (ours)',
    withField({ type: 'object', properties: { b: { type: 'array', items: { type: 'string' } } }, allOf: [{ items: { minLength: 1 } }] }),
    'schema.a.allOf[0]: items must be specified outside',
  ],
  [
    'a type deep inside of logic',
    withField({ type: 'object', properties: { b: { type: 'string' } }, allOf: [{ properties: { b: { type: 'string' } } }] }),
    'schema.a.allOf[0].b: type must not be used inside',
  ],
  [
    'metadata inside of logic',
    { type: 'object', properties: { metadata: { type: 'object' } }, allOf: [{ properties: { metadata: { maxProperties: 1 } } }] },
    'schema.allOf[0]: metadata must not be restricted inside',
  ],
]
