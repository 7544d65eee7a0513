import { isDeepStrictEqual } from 'node:util'
import { isPlainObject } from './decode/copy-json.ts'
import { configKeyComplaints } from './decode/names.ts'
import { forbidden, invalid, tooLong } from './decode/problems.ts'
import { mostProblems } from './decode/reading.ts'
import type { FieldProblem } from './field-problem.ts'
import { valueAt } from './field-value.ts'
import type { Column } from './kind.ts'
import type { Resource } from './resource.ts'

// What ConfigMap and Secret have in common: maps of data by names that can be names of files.

type Data = Readonly<Record<string, string>>

const sizeLimit = 1024 * 1024

/** A column that counts what is in some maps. */
export function countColumn(name: string, ...maps: readonly string[]): Column {
  const value = (object: Resource) => maps.reduce((sum, map) => sum + Object.keys(dataOf(object, map)).length, 0)
  return Object.freeze({ name, type: 'string', path: `.${maps[0]}`, priority: 0, description: 'how many entries there are', value })
}

/**
 * What is wrong with names and size of the data, which counts as what it stands for: base64 as its bytes. Kubernetes names the first map
 * when a key stands in two.
 */
export function keyProblems(object: Resource, encodings: Readonly<Record<string, 'utf8' | 'base64'>>): FieldProblem[] {
  const problems: FieldProblem[] = []
  const maps = Object.keys(encodings)
  let size = 0
  for (const [index, map] of maps.entries()) {
    const others = maps.slice(index + 1)
    for (const [key, text] of Object.entries(dataOf(object, map))) {
      if (problems.length >= mostProblems) return problems
      const path = `${map}[${key}]`
      for (const complaint of configKeyComplaints(key)) {
        problems.push(invalid(path, key, complaint, 'use letters, digits, dashes, dots and underscores'))
      }
      const twin = others.find(other => Object.hasOwn(dataOf(object, other), key))
      if (twin !== undefined) problems.push(invalid(path, key, `duplicate of key present in ${twin}`, 'keep one of the two'))
      size += Buffer.byteLength(text, encodings[map])
    }
  }
  // The size of several maps together belongs to none of them: Kubernetes then writes an empty path, like this.
  if (size > sizeLimit) problems.push({ ...tooLong(maps.length === 1 ? maps[0]! : '[]', sizeLimit), fix: 'split it, or keep it elsewhere' })
  return problems
}

/** What a change breaks if the object says that it is immutable. */
export function lockedProblems(old: Resource, next: Resource, ...maps: readonly string[]): FieldProblem[] {
  if (valueAt(old, 'immutable') !== true) return []
  const rule = 'field is immutable when `immutable` is set'
  const changed = maps.filter(map => !isDeepStrictEqual(dataOf(old, map), dataOf(next, map)))
  if (valueAt(next, 'immutable') !== true) changed.unshift('immutable')
  return changed.map(path => forbidden(path, rule, 'make a new object under another name'))
}

/** A Secret with its plain texts among the data, where they win over what was there; the input itself if it has none. */
export function withPlainTexts(input: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { stringData, data, ...rest } = input
  if (!isPlainObject(stringData) || !(data === undefined || data === null || isPlainObject(data))) return input
  const texts = Object.entries(stringData).filter(([, text]) => text !== undefined && text !== null)
  // What is no text is left where it is, for the schema to refuse.
  if (!texts.every((entry): entry is [string, string] => typeof entry[1] === 'string')) return input
  if (texts.length === 0) return { ...rest, ...(data === undefined ? {} : { data }) }
  const encoded = Object.fromEntries(texts.map(([name, text]) => [name, Buffer.from(text).toString('base64')]))
  return { ...rest, data: { ...data, ...encoded } }
}

function dataOf(object: Resource, map: string): Data {
  return (valueAt(object, map) as Data | undefined) ?? {}
}
