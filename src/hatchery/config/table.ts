import { nearest } from '../../ports/index.ts'
import { isBlank, isTable, type Key, type KeyPage } from './key.ts'
import type { Found, Reading } from './reading.ts'
import { settingName, type ValuePath } from './setting-problem.ts'

/** The keys of a table, by the names that are documented. */
export type Shape = Readonly<Record<string, Key<unknown>>>

/** What a table says, every default filled in. */
export type Values<S extends Shape> = { readonly [K in keyof S]: S[K] extends Key<infer T> ? T : never }

/** One table of an array of tables, with its place. */
export interface Entry<S extends Shape> {
  readonly at: ValuePath
  readonly values: Values<S>
}

/** A table with these keys. Case does not count in names, as it does not in the original. */
export function table<S extends Shape>(meaning: string, shape: S): Key<Values<S>> {
  return { page: tablePage(meaning, shape), read: (found, reading) => readTable(shape, found, reading) }
}

/** An array of tables; one table alone counts as one. Those in which nothing is filled in are left out. */
export function list<S extends Shape>(meaning: string, shape: S): Key<readonly Entry<S>[]> {
  return {
    page: { type: 'array', items: tablePage('', shape), description: meaning },
    read: (found, reading) => readEntries(shape, found, reading),
  }
}

/** The same, or a table of tables whose keys are the names of the entries. */
export function namedList<S extends Shape & { readonly name: Key<string | undefined> }>(
  meaning: string,
  shape: S,
): Key<readonly Entry<S>[]> {
  const inArray = list(meaning, shape)
  return {
    page: inArray.page,
    read: async (found, reading) => {
      if (!isTable(found.value) || !Object.values(found.value).every(isTable)) return await inArray.read(found, reading)
      const entries: Entry<S>[] = []
      for (const [name, inner] of Object.entries(found.value as Readonly<Record<string, object>>)) {
        const at = [...found.at, name]
        entries.push({ at, values: await readTable(shape, { value: { name, ...inner }, at }, reading) })
      }
      return entries
    },
  }
}

function tablePage(meaning: string, shape: Shape): KeyPage {
  const keys = Object.entries(shape)
  return {
    type: 'object',
    description: meaning,
    properties: Object.fromEntries(keys.map(([name, { page }]) => [name, page])),
    required: keys.filter(([, { required }]) => required === true).map(([name]) => name),
  }
}

async function readEntries<S extends Shape>(shape: S, found: Found, reading: Reading): Promise<readonly Entry<S>[]> {
  if (isBlank(found.value)) return []
  const given = Array.isArray(found.value) ? found.value : [found.value]
  const entries: Entry<S>[] = []
  for (const [index, value] of given.entries()) {
    if (isBlank(value)) continue
    const at = Array.isArray(found.value) ? [...found.at, index] : found.at
    entries.push({ at, values: await readTable(shape, { value, at }, reading) })
  }
  return entries
}

/** Reads every key of the table, and says which there are that nobody knows. */
async function readTable<S extends Shape>(shape: S, { value, at }: Found, reading: Reading): Promise<Values<S>> {
  if (value !== undefined && !isTable(value)) {
    reading.problem({ at }, 'must be a table', `write it as [${settingName(at)}]`)
  }
  const given = byLowerCase(isTable(value) ? value : {}, at, reading)
  const values: Record<string, unknown> = {}
  for (const [name, key] of Object.entries(shape)) {
    const found = given.get(name.toLowerCase())
    given.delete(name.toLowerCase())
    values[name] = await key.read({ value: found?.value, at: [...at, name] }, reading)
  }
  for (const { name } of given.values())
    reading.problem({ at: [...at, name] }, 'there is no such key', suggestion(name, Object.keys(shape)))
  return values as Values<S>
}

interface Given {
  readonly name: string
  readonly value: unknown
}

function byLowerCase(given: Readonly<Record<string, unknown>>, at: ValuePath, reading: Reading): Map<string, Given> {
  const result = new Map<string, Given>()
  for (const [name, value] of Object.entries(given)) {
    const other = result.get(name.toLowerCase())
    if (other === undefined) result.set(name.toLowerCase(), { name, value })
    else reading.problem({ at: [...at, name] }, `is there twice, as ${other.name} too`, 'remove one: upper and lower case do not count')
  }
  return result
}

function suggestion(name: string, known: readonly string[]): string {
  const meant = nearest(name, known)
  return meant === undefined ? `known here: ${known.join(', ')}` : `did you mean "${meant}"?`
}
