import type { StructuralSchema } from '../structural-schema.ts'
import { isPlainObject } from './copy-json.ts'
import { duplicate, invalid } from './problems.ts'
import type { Reading } from './reading.ts'

type Item = Readonly<Record<string, unknown>>

/** Notes what stands twice in a list, as it was read: with its defaults. */
type DuplicateCheck = (list: readonly unknown[], reading: Reading) => void

/** The check for lists that are sets or maps; undefined for those in which anything may stand twice. */
export function duplicatesOf(schema: StructuralSchema): DuplicateCheck | undefined {
  switch (schema['x-kubernetes-list-type']) {
    case 'set':
      return (list, reading) => {
        noteRepeated(list, identity, value => value, reading)
      }
    case 'map':
      return mapCheck(schema['x-kubernetes-list-map-keys'] ?? [])
    default:
      return undefined
  }
}

function mapCheck(keys: readonly string[]): DuplicateCheck {
  const only = keys.length === 1 ? keys[0]! : undefined
  const identityOf = only === undefined ? (item: unknown) => identity(keyOf(item, keys)) : (item: unknown) => (item as Item | null)?.[only]
  return (list, reading) => {
    const stranger = list.findIndex(item => item !== null && !isPlainObject(item))
    if (stranger < 0) return noteRepeated(list, identityOf, item => keyOf(item, keys), reading)
    const rule = 'must be an object for an array of list-type map'
    reading.duplicate(invalid(`${reading.path()}[${stranger}]`, list[stranger], rule, `write an object with ${keys.join(', ')}`))
  }
}

function identity(value: unknown): unknown {
  return typeof value === 'object' ? JSON.stringify(value) : value
}

/** Null has no keys: it is refused elsewhere. */
function keyOf(item: unknown, keys: readonly string[]): Item {
  const fields = (item ?? {}) as Item
  return Object.fromEntries(keys.filter(key => Object.hasOwn(fields, key)).map(key => [key, fields[key]]))
}

/** Kubernetes names each value once, at its second place. */
function noteRepeated(
  list: readonly unknown[],
  identityOf: (item: unknown) => unknown,
  shown: (item: unknown) => unknown,
  reading: Reading,
): void {
  if (list.length < 2) return
  const seen = new Set<unknown>()
  const told = new Set<unknown>()
  list.forEach((item, index) => {
    const key = identityOf(item)
    if (!seen.has(key)) seen.add(key)
    else if (!told.has(key)) {
      told.add(key)
      reading.duplicate(duplicate(`${reading.path()}[${index}]`, shown(item)))
    }
  })
}
