import { compileReader } from '../decode/reader.ts'
import { Reading } from '../decode/reading.ts'
import type { StructuralSchema } from '../structural-schema.ts'

/** Anything that claims to be a schema: what is checked here is whether a Kubernetes API server would take it. */
type Schema = StructuralSchema & { readonly [key: string]: unknown }
type Level = 'root' | 'field' | 'item'

/**
 * What keeps a schema from being structural, in the sense of Kubernetes' CustomResourceDefinitions: each rule of its
 * documentation and of its API server that can be told from the schema alone. Empty if it is.
 */
export function structuralProblems(schema: StructuralSchema): string[] {
  const problems: string[] = []
  checkNode(schema as Schema, 'root', 'schema', problems)
  return problems
}

const never = [
  '$ref',
  '$schema',
  'id',
  'definitions',
  'dependencies',
  'patternProperties',
  'additionalItems',
  'deprecated',
  'discriminator',
  'readOnly',
  'writeOnly',
  'xml',
]
const types = new Set(['object', 'array', 'string', 'integer', 'number', 'boolean'])

function checkNode(schema: Schema, level: Level, at: string, problems: string[]): void {
  const say = (what: string) => problems.push(`${at}: ${what}`)
  for (const key of never) if (schema[key] !== undefined) say(`${key} is not supported`)
  checkType(schema, level, say)
  checkObject(schema, level, say)
  checkList(schema, say)
  checkExtensions(schema, say)
  if (schema.uniqueItems === true) say('uniqueItems cannot be true: use x-kubernetes-list-type: set')
  if (schema.pattern !== undefined) checkPattern(schema.pattern, say)
  if (schema.default !== undefined) checkDefault(schema, say)
  checkLogic(schema, schema, at, problems)

  for (const [name, inner] of Object.entries(schema.properties ?? {})) checkNode(inner as Schema, 'field', `${at}.${name}`, problems)
  if (isSchema(schema.additionalProperties)) checkNode(schema.additionalProperties, 'field', `${at}.*`, problems)
  if (isSchema(schema.items)) checkNode(schema.items, 'item', `${at}[]`, problems)
}

type Say = (what: string) => void

function checkType(schema: Schema, level: Level, say: Say): void {
  const free = schema['x-kubernetes-int-or-string'] === true || schema['x-kubernetes-preserve-unknown-fields'] === true
  if (schema.type === undefined) {
    if (level === 'root' || !free) say('type must be given')
  } else if (!types.has(schema.type)) say(`type ${schema.type} is not known${(schema.type as string) === 'null' ? ': use nullable' : ''}`)
  else if (level === 'root' && schema.type !== 'object') say('type must be object at the root')
  if (level === 'root' && schema.nullable === true) say('nullable cannot be true at the root')
}

function checkObject(schema: Schema, level: Level, say: Say): void {
  const { properties, additionalProperties } = schema
  if (additionalProperties !== undefined) {
    if (level === 'root') say('additionalProperties must not be used at the root')
    if (properties !== undefined && Object.keys(properties).length > 0) say('additionalProperties and properties are mutually exclusive')
    if (!isSchema(additionalProperties)) say('additionalProperties must be a schema')
  }
  const resource = level === 'root' || schema['x-kubernetes-embedded-resource'] === true
  if (properties === undefined || !resource) return
  for (const field of ['apiVersion', 'kind']) {
    if (properties[field] !== undefined && properties[field].type !== 'string') say(`${field} must be of type string`)
  }
  const { metadata } = properties
  if (metadata === undefined) return
  if (metadata.type !== 'object') say('metadata must be of type object')
  const { type: _type, properties: inner = {}, ...rest } = metadata
  const strangers = Object.keys(inner).filter(name => name !== 'name' && name !== 'generateName')
  if (level === 'root' && (strangers.length > 0 || Object.keys(rest).length > 0)) {
    say('metadata must not specify anything other than name and generateName')
  }
}

function checkList(schema: Schema, say: Say): void {
  const { items } = schema
  if (Array.isArray(items)) say('items must be one schema, not a list of schemas')
  if (schema.type === 'array' && items === undefined) say('items must be given for an array')
  const listType = schema['x-kubernetes-list-type']
  const keys = schema['x-kubernetes-list-map-keys'] ?? []
  if (listType !== undefined && schema.type !== 'array') say('type must be array if x-kubernetes-list-type is given')
  if (listType !== undefined && !['atomic', 'set', 'map'].includes(listType)) say('x-kubernetes-list-type must be atomic, set or map')
  if (keys.length > 0 && listType !== 'map') say('x-kubernetes-list-type must be map if x-kubernetes-list-map-keys is given')
  if (!isSchema(items)) return
  if (listType === 'set' || listType === 'map') {
    if (items.nullable === true) say(`items cannot be nullable if x-kubernetes-list-type is ${listType}`)
  }
  if (listType === 'set') checkSetItems(items, say)
  if (listType === 'map') checkMapKeys(items, keys, say)
}

function checkSetItems(items: Schema, say: Say): void {
  if (items.type === 'array' && ![undefined, 'atomic'].includes(items['x-kubernetes-list-type'])) say('items of a set must be atomic')
  if (items.type === 'object' && items['x-kubernetes-map-type'] !== 'atomic')
    say('items of a set must be scalars or have x-kubernetes-map-type: atomic')
}

function checkMapKeys(items: Schema, keys: readonly string[], say: Say): void {
  if (keys.length === 0) say('x-kubernetes-list-map-keys must be given if x-kubernetes-list-type is map')
  if (items.type !== 'object') say('items must be of type object if x-kubernetes-list-type is map')
  if (new Set(keys).size < keys.length) say('x-kubernetes-list-map-keys must not repeat a key')
  for (const key of keys) {
    const field = items.properties?.[key]
    if (field === undefined) {
      say(`key ${key} is not a property of the items`)
      continue
    }
    if (field.type === 'object' || field.type === 'array') say(`key ${key} must be a scalar`)
    if (items.required?.includes(key) !== true && field.default === undefined) say(`key ${key} must be required or have a default`)
    if (field.nullable === true) say(`key ${key} cannot be nullable`)
  }
}

function checkExtensions(schema: Schema, say: Say): void {
  const preserves = schema['x-kubernetes-preserve-unknown-fields']
  const intOrString = schema['x-kubernetes-int-or-string'] === true
  const embedded = schema['x-kubernetes-embedded-resource'] === true
  if (preserves === false) say('x-kubernetes-preserve-unknown-fields must be true or absent')
  if (intOrString && schema.type !== undefined) say('type must be absent if x-kubernetes-int-or-string is true')
  if (intOrString && preserves === true) say('x-kubernetes-preserve-unknown-fields and x-kubernetes-int-or-string exclude each other')
  if (intOrString && embedded) say('x-kubernetes-embedded-resource and x-kubernetes-int-or-string exclude each other')
  if (schema['x-kubernetes-map-type'] !== undefined && schema.type !== 'object')
    say('type must be object if x-kubernetes-map-type is given')
  if (embedded && schema.type !== 'object') say('type must be object if x-kubernetes-embedded-resource is true')
  if (embedded && schema.additionalProperties !== undefined) say('additionalProperties must not be used in an embedded resource')
  if (embedded && preserves !== true && Object.keys(schema.properties ?? {}).length === 0)
    say('an embedded resource must have properties or preserve unknown fields')
  for (const { rule, message } of schema['x-kubernetes-validations'] ?? []) {
    if (rule.trim() === '') say('a rule of x-kubernetes-validations must not be empty')
    if (message !== undefined && (message.trim() === '' || /[\r\n]/.test(message))) say('the message of a rule must be one line')
  }
}

/** Kubernetes' expressions know neither look-around nor back references. */
function checkPattern(pattern: string, say: Say): void {
  if (!isExpression(pattern)) say(`pattern ${pattern} is not a regular expression`)
  else if (/\(\?<?[=!]|\\[1-9]|\\k</.test(pattern))
    say(`pattern ${pattern} has look-around or back references, which Kubernetes does not know`)
}

function isExpression(pattern: string): boolean {
  try {
    return new RegExp(pattern, 'u') instanceof RegExp
  } catch {
    return false
  }
}

/** A default must be what the schema accepts as it stands, before other defaults complete it. */
function checkDefault(schema: Schema, say: Say): void {
  if (schema.default === null) {
    if (schema.nullable !== true) say('default cannot be null where null is not allowed')
    return
  }
  if (!types.has(schema.type ?? '')) return
  const reading = new Reading()
  compileReader(withoutDefaults(schema))(schema.default, reading)
  for (const { path, message } of [...reading.problems, ...reading.duplicates])
    say(`default is not valid: ${path === '' ? '' : `${path}: `}${message}`)
  for (const field of reading.unknownFields) say(`default has a field that the schema does not know: ${field}`)
}

function withoutDefaults({ default: _default, ...schema }: StructuralSchema): StructuralSchema {
  const { properties, items, additionalProperties } = schema
  return {
    ...schema,
    ...(properties === undefined
      ? {}
      : { properties: Object.fromEntries(Object.entries(properties).map(([name, inner]) => [name, withoutDefaults(inner)])) }),
    ...(items === undefined ? {} : { items: withoutDefaults(items) }),
    ...(additionalProperties === undefined ? {} : { additionalProperties: withoutDefaults(additionalProperties) }),
  }
}

const shape = ['type', 'default', 'title', 'description', 'nullable', 'additionalProperties'] as const

/** Logic may say more about a value, but not what the value looks like. */
function checkLogic(schema: Schema, outside: Schema, at: string, problems: string[]): void {
  const branches: [string, Schema][] = []
  for (const key of ['allOf', 'anyOf', 'oneOf'] as const) {
    for (const [index, branch] of (schema[key] ?? []).entries()) branches.push([`${at}.${key}[${index}]`, branch as Schema])
  }
  if (schema.not !== undefined) branches.push([`${at}.not`, schema.not as Schema])
  for (const [place, branch] of branches) {
    if (schema['x-kubernetes-int-or-string'] === true && isTypeAlone(branch)) continue
    checkBranch(branch, outside, place, problems)
  }
}

/** `anyOf: [{type: integer}, {type: string}]` is how many people write an int-or-string. */
function isTypeAlone(branch: Schema): boolean {
  return Object.keys(branch).length === 1 && (branch.type === 'integer' || branch.type === 'string')
}

function checkBranch(branch: Schema, outside: Schema, at: string, problems: string[]): void {
  for (const key of [...shape, ...Object.keys(branch).filter(name => name.startsWith('x-kubernetes-'))]) {
    if (branch[key] !== undefined) problems.push(`${at}: ${key} must not be used inside of allOf, anyOf, oneOf or not`)
  }
  for (const [name, inner] of Object.entries(branch.properties ?? {})) {
    const known = outside.properties?.[name]
    if (name === 'metadata') problems.push(`${at}: metadata must not be restricted inside of allOf, anyOf, oneOf or not`)
    else if (known === undefined) problems.push(`${at}: ${name} must be specified outside of allOf, anyOf, oneOf and not, too`)
    else checkBranch(inner as Schema, known as Schema, `${at}.${name}`, problems)
  }
  if (isSchema(branch.items)) {
    if (isSchema(outside.items)) checkBranch(branch.items, outside.items, `${at}[]`, problems)
    else problems.push(`${at}: items must be specified outside of allOf, anyOf, oneOf and not, too`)
  }
  checkLogic(branch, outside, at, problems)
}

function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
