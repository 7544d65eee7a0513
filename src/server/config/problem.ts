import type { z } from 'zod'
import { nearest } from '../../ports/index.ts'
import type { Position, ValuePath } from './toml-positions.ts'

/** One thing that is wrong with a configuration. */
export interface ConfigProblem {
  /** `access.issuers[0].url`, or what else is wrong: a file, an option of the command line. */
  readonly key: string
  readonly message: string
  readonly fix?: string
  readonly position?: Position
}

/** The part of JSON schema that is needed to say which keys there could have been. */
export interface SchemaShape {
  readonly type?: string
  readonly properties?: Readonly<Record<string, SchemaShape>>
  readonly additionalProperties?: SchemaShape | false
  readonly items?: SchemaShape
  readonly enum?: readonly unknown[]
  readonly default?: unknown
  readonly description?: string
  readonly minimum?: number
  readonly maximum?: number
  readonly required?: readonly string[]
  /** Accepted and without effect: not worth suggesting. */
  readonly unused?: boolean
}

/** `access.issuers[0].url` */
export function keyText(path: ValuePath): string {
  return path.map((part, index) => (typeof part === 'number' ? `[${part}]` : index === 0 ? part : `.${part}`)).join('')
}

/** What zod found, as problems in the words of a configuration file. */
export function problemsOf(issue: z.core.$ZodIssue, input: unknown, root: SchemaShape): readonly (ConfigProblem & { path: ValuePath })[] {
  const path = issue.path as ValuePath
  if (issue.code !== 'unrecognized_keys') {
    const fix = issue.code === 'invalid_value' ? closestValue(valueAt(input, path), issue.values) : undefined
    return [{ path, key: keyText(path), message: messageOf(issue, valueAt(input, path)), ...(fix === undefined ? {} : { fix }) }]
  }
  const known = Object.entries(shapeAt(root, path)?.properties ?? {}).flatMap(([key, { unused }]) => (unused === true ? [] : [key]))
  return issue.keys.map(key => ({
    path: [...path, key],
    key: keyText([...path, key]),
    message: path.length === 0 ? 'there is no such section' : 'there is no such key',
    fix: suggestion(key, known),
  }))
}

function suggestion(key: string, known: readonly string[]): string {
  const meant = nearest(key, known)
  return meant === undefined ? `known here: ${known.join(', ')}` : `did you mean "${meant}"?`
}

function closestValue(typed: unknown, values: readonly unknown[]): string | undefined {
  const meant = typeof typed === 'string' ? nearest(typed, values.map(String)) : undefined
  return meant === undefined ? undefined : `did you mean "${meant}"?`
}

function messageOf(issue: z.core.$ZodIssue, value: unknown): string {
  if (value === undefined && issue.code !== 'custom') return 'is missing'
  switch (issue.code) {
    case 'invalid_type':
      return `must be ${typeWords[issue.expected] ?? issue.expected}, not ${typeOf(value)}`
    case 'invalid_value':
      return `must be ${listOf(issue.values)}, not ${typeof value === 'object' ? typeOf(value) : JSON.stringify(value)}`
    case 'too_small':
      return `must ${sizeWords(issue.origin, issue.minimum, 'at least')}`
    case 'too_big':
      return `must ${sizeWords(issue.origin, issue.maximum, 'at most')}`
    default:
      return issue.message
  }
}

const typeWords: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'an array',
  object: 'a table',
  record: 'a table',
}

function typeOf(value: unknown): string {
  if (Array.isArray(value)) return 'an array'
  if (typeof value === 'object') return value?.constructor === Object ? 'a table' : 'a date'
  return { string: 'a string', number: 'a number', boolean: 'a boolean' }[typeof value as string] ?? typeof value
}

function listOf(values: readonly unknown[]): string {
  const texts = values.map(value => JSON.stringify(value))
  return texts.length === 1 ? texts[0]! : `${texts.slice(0, -1).join(', ')} or ${texts.at(-1)}`
}

function sizeWords(origin: string, limit: number | bigint, bound: string): string {
  if (origin === 'string') return Number(limit) === 1 ? 'not be empty' : `have ${bound} ${limit} characters`
  if (origin === 'array') return Number(limit) === 1 && bound === 'at least' ? 'not be empty' : `have ${bound} ${limit} entries`
  return `be ${bound} ${limit}`
}

function valueAt(input: unknown, path: ValuePath): unknown {
  return path.reduce<unknown>((value, part) => (value as Record<string | number, unknown> | undefined)?.[part], input)
}

function shapeAt(root: SchemaShape, path: ValuePath): SchemaShape | undefined {
  return path.reduce<SchemaShape | undefined>((shape, part) => {
    if (typeof part === 'number') return shape?.items
    return shape?.properties?.[part] ?? (shape?.additionalProperties || undefined)
  }, root)
}
