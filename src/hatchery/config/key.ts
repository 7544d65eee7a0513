import { Secret } from '../../ports/index.ts'
import type { Found, Reading } from './reading.ts'

/** What docs/configuration.md says of a key: the part of JSON schema that it uses. */
export interface KeyPage {
  readonly type?: string
  readonly description: string
  readonly default?: unknown
  readonly enum?: readonly string[]
  readonly minimum?: number
  readonly maximum?: number
  readonly items?: object
  readonly properties?: Readonly<Record<string, KeyPage>>
  readonly required?: readonly string[]
}

/** A key of the configuration: what it means, and how its value is read, which is never stricter than the original's loader. */
export interface Key<T> {
  readonly page: KeyPage
  /** A file without it cannot be used. */
  readonly required?: boolean
  /** Accepted and without effect. */
  readonly unused?: boolean
  read(found: Found, reading: Reading): Promise<T>
}

/** A text. An empty one counts as absent. */
export function text(meaning: string): Key<string | undefined>
export function text(meaning: string, options: { readonly default: string }): Key<string>
export function text(meaning: string, options: { readonly required: true }): Key<string>
export function text(meaning: string, options: { default?: string; required?: true } = {}): Key<string | undefined> {
  return {
    page: { type: 'string', description: meaning, ...(options.default === undefined ? {} : { default: options.default }) },
    ...(options.required === true ? { required: true } : {}),
    read: async (given, reading) => {
      const found = reading.overridden(given)
      const before = reading.problems.length
      const value = textOf(found, reading)?.trim()
      if (value !== undefined && value !== '') return value
      if (options.required !== true) return options.default
      if (reading.problems.length === before) reading.problem(found, 'is missing', toAdd(meaning))
      return ''
    },
  }
}

/** One of some words, whatever their case. */
export function word<W extends string>(meaning: string, options: { readonly default: W; readonly words: readonly W[] }): Key<W> {
  return {
    page: { enum: options.words, description: meaning, default: options.default },
    read: async (given, reading) => {
      const found = reading.overridden(given)
      const value = textOf(found, reading)?.trim().toLowerCase()
      if (value === undefined || value === '') return options.default
      const meant = options.words.find(each => each.toLowerCase() === value)
      if (meant === undefined) reading.problem(found, `is "${value}"`, `write one of ${options.words.join(', ')}`)
      return meant ?? options.default
    },
  }
}

/** What a whole number may be, and what its absence means. */
interface WholeOptions {
  readonly default: number
  readonly min?: number
  readonly max?: number
  /** Whether 0 says something. Else it counts as absent, because the original's own generator writes it so. */
  readonly zeroCounts?: boolean
  /** Whether the page says that it must be there; whoever uses the value checks it. */
  readonly required?: boolean
}

const mostThatFits = 2 ** 31 - 1

/** A whole number, also written as a text. */
export function whole(meaning: string, options: WholeOptions): Key<number> {
  const { min = 0, max = mostThatFits } = options
  const description = options.zeroCounts === true || min > 0 || options.default === 0 ? meaning : `${meaning} 0 counts as absent.`
  const page = {
    type: 'integer',
    description,
    ...(options.required === true ? {} : { default: options.default }),
    minimum: min,
    ...(max === mostThatFits ? {} : { maximum: max }),
  }
  const given = maybeWhole(meaning, options)
  const required = options.required === true ? { required: true } : {}
  return { page, ...required, read: async (found, reading) => (await given.read(found, reading)) ?? options.default }
}

/** The same, and undefined if it is absent; the default is only told. */
export function maybeWhole(meaning: string, options: WholeOptions): Key<number | undefined> {
  const { min = 0, max = mostThatFits } = options
  const most = max === mostThatFits ? {} : { maximum: max }
  return {
    page: { type: 'integer', description: meaning, default: options.default, minimum: min, ...most },
    read: async (given, reading) => {
      const found = reading.overridden(given)
      const value = numberOf(found.value)
      if (value === undefined) {
        const example = options.default > 0 ? `write a number such as ${options.default}` : 'write a number, without a unit'
        reading.problem(found, `must be a whole number, not ${shown(found.value)}`, example)
        return undefined
      }
      if (value === null || (value === 0 && options.zeroCounts !== true)) return undefined
      if (value < min || value > max) {
        reading.problem(found, `is ${value}`, max === mostThatFits ? `write ${min} or more` : `write a number from ${min} to ${max}`)
        return undefined
      }
      return value
    },
  }
}

const yes = new Set(['true', '1', 't', 'yes', 'on'])
const no = new Set(['false', '0', 'f', 'no', 'off', ''])

/** True or false, also written as a text or a number. */
export function flag(meaning: string, options: { readonly default: boolean }): Key<boolean>
export function flag(meaning: string): Key<boolean | undefined>
export function flag(meaning: string, options: { readonly default?: boolean } = {}): Key<boolean | undefined> {
  return {
    page: { type: 'boolean', description: meaning, ...(options.default === undefined ? {} : { default: options.default }) },
    read: async (given, reading) => {
      const found = reading.overridden(given)
      if (!isPresent(found)) return options.default
      const value = textOf(found, reading)?.trim().toLowerCase()
      if (value === undefined || yes.has(value) || no.has(value)) return value === undefined ? options.default : yes.has(value)
      reading.problem(found, `must be true or false, not "${value}"`, 'write true or false, without quotes')
      return options.default
    },
  }
}

/** Texts, also written as one with commas between them. */
export function texts(meaning: string, options: { readonly default?: readonly string[] } = {}): Key<readonly string[]> {
  const fallback = options.default ?? []
  return {
    page: { type: 'array', items: { type: 'string' }, description: meaning, default: fallback },
    read: async (given, reading) => {
      const found = reading.overridden(given)
      const list = Array.isArray(found.value) ? found.value : typeof found.value === 'string' ? found.value.split(',') : [found.value]
      const read = list.map((value, index) => textOf({ ...found, value, at: at(found, index) }, reading)?.trim() ?? '')
      const present = read.filter(each => each !== '')
      return present.length === 0 ? fallback : present
    },
  }
}

/** Something that must not be seen: a text, `{ file = "…" }` or `{ env = "…" }`. */
export function secret(meaning: string): Key<Secret | undefined>
export function secret(meaning: string, options: { readonly required: true }): Key<Secret>
export function secret(meaning: string, options: { readonly required?: true } = {}): Key<Secret | undefined> {
  return {
    page: { type: 'secret', description: meaning },
    ...(options.required === true ? { required: true } : {}),
    read: async (given, reading) => {
      const found = reading.overridden(given)
      const before = reading.problems.length
      const value = (await hiddenText(found, reading)) ?? ''
      if (/^\*+$/.test(value)) {
        reading.problem(found, 'is a mask, not a secret', 'write the secret itself; what is shown of a configuration has none')
      } else if (value !== '') return new Secret(value)
      if (options.required === true && reading.problems.length === before) reading.problem(found, 'is missing', toAdd(meaning))
      return reading.problems.length > before ? new Secret('') : undefined
    },
  }
}

/** What stands in a file whose path is given, or the content itself if it is PEM. */
export function pem(meaning: string): Key<string | undefined> {
  return {
    page: { type: 'path', description: meaning },
    read: async (given, reading) => {
      const found = reading.overridden(given)
      const value = textOf(found, reading)?.trim()
      if (value === undefined || value === '') return undefined
      return value.startsWith('-----BEGIN') ? value : await reading.file(found, value)
    },
  }
}

/** A key that the original has and this program has no use for: says what to do instead. */
export function unused(advice: string): Key<undefined> {
  return {
    page: { description: `Not used: ${advice}` },
    unused: true,
    read: async (found, reading) => {
      if (!isBlank(found.value)) reading.warn(found, 'is not used', advice)
      return undefined
    },
  }
}

/** Whether there is nothing in it, however deep: what a generated file leaves to be filled in. */
export function isBlank(value: unknown): boolean {
  if (value === undefined || value === null || value === '' || value === 0 || value === false) return true
  if (Array.isArray(value)) return value.every(isBlank)
  return isTable(value) && Object.values(value).every(isBlank)
}

/** Whether it is a table of TOML, and not a date or an array. */
export function isTable(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}

/** Whoever lacks a key reads what belongs there. */
function toAdd(meaning: string): string {
  return `add it: ${meaning.charAt(0).toLowerCase()}${meaning.slice(1)}`
}

function isPresent({ value }: Found): boolean {
  return value !== undefined && value !== null
}

function at(found: Found, index: number) {
  return Array.isArray(found.value) ? [...found.at, index] : found.at
}

function textOf(found: Found, reading: Reading): string | undefined {
  const { value } = found
  if (value === undefined || value === null) return undefined
  if (typeof value === 'string') return value
  if (typeof value === 'number' || typeof value === 'boolean' || typeof value === 'bigint') return String(value)
  reading.problem(found, `must be a text, not ${shown(value)}`, 'write it in quotes')
  return undefined
}

/** Null if it is absent, undefined if it is no number. */
function numberOf(value: unknown): number | null | undefined {
  if (value === undefined || value === null) return null
  if (typeof value === 'bigint') return Number(value)
  if (typeof value === 'number') return Number.isSafeInteger(value) ? value : undefined
  if (typeof value !== 'string') return undefined
  const digits = value.trim().replaceAll('_', '')
  if (digits === '') return null
  return /^[+-]?\d{1,15}$/.test(digits) ? Number(digits) : undefined
}

async function hiddenText(found: Found, reading: Reading): Promise<string | undefined> {
  const { value } = found
  if (!isTable(value)) return textOf(found, reading)
  const [[kind, where] = [], ...more] = Object.entries(value)
  if (more.length === 0 && typeof where === 'string' && where !== '') {
    if (kind === 'file') return (await reading.file(found, where))?.replace(/\r?\n$/, '')
    if (kind === 'env') return variable(found, where, reading)
  }
  reading.problem(found, 'is not a secret', 'write it as { file = "PATH" }, { env = "VARIABLE" } or a text')
  return undefined
}

function variable(found: Found, name: string, reading: Reading): string | undefined {
  const value = reading.variable(name)
  if (value === undefined) reading.problem(found, `the environment variable ${name} is not set`, 'set it, or name another')
  return value
}

function shown(value: unknown): string {
  if (Array.isArray(value)) return 'an array'
  if (isTable(value)) return 'a table'
  if (typeof value === 'object') return 'a date'
  return typeof value === 'string' ? 'a text' : String(value)
}
