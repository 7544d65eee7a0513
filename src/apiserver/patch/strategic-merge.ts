import type { Json } from '../../kinds/index.ts'
import type { ListPolicy } from './list-policies.ts'
import { isObject } from './merge-patch.ts'

/** A strategic merge patch that contradicts itself or the object. */
export class StrategicPatchError extends Error {}

type JsonObject = { readonly [key: string]: Json }
type Policies = (path: string) => ListPolicy | undefined

const directive = '$patch'
const retainKeys = '$retainKeys'
const deletePrefix = '$deleteFromPrimitiveList/'
const orderPrefix = '$setElementOrder/'

/**
 * Applies Kubernetes' strategic merge patch: as a merge patch, but lists with a policy are merged item by item, and the
 * directives `$patch`, `$retainKeys`, `$deleteFromPrimitiveList` and `$setElementOrder` say what a merge cannot.
 * Neither argument is changed.
 */
export function applyStrategicMerge(original: JsonObject, patch: JsonObject, policies: Policies): JsonObject {
  return mergeObjects(original, patch, '', policies)
}

function mergeObjects(original: JsonObject, patch: JsonObject, path: string, policies: Policies): JsonObject {
  if (Object.hasOwn(patch, directive)) return replaced(patch)
  const result = new Map(Object.entries(retained(original, patch)))
  for (const [key, value] of Object.entries(patch)) {
    if (key === retainKeys || key.startsWith(orderPrefix)) continue
    if (key.startsWith(deletePrefix)) {
      removeFromList(result, key.slice(deletePrefix.length), value)
      continue
    }
    const merged = mergeValue(result.get(key), value, path === '' ? key : `${path}.${key}`, policies)
    if (merged === undefined) result.delete(key)
    else result.set(key, merged)
  }
  for (const [key, order] of Object.entries(patch)) {
    if (key.startsWith(orderPrefix)) putInOrder(result, key.slice(orderPrefix.length), order, original, path, policies)
  }
  return Object.fromEntries(result)
}

/** Undefined if the value is to go. */
function mergeValue(original: Json | undefined, patch: Json, path: string, policies: Policies): Json | undefined {
  if (patch === null) return undefined
  if (isObject(patch) && isObject(original)) return mergeObjects(original, patch, path, policies)
  if (!isList(patch) || !isList(original)) return clean(patch)
  const policy = policies(path)
  return policy === undefined ? clean(patch) : mergeLists(original, patch, path, policy, policies)
}

function replaced(patch: JsonObject): JsonObject {
  if (patch[directive] === 'delete') return {}
  if (patch[directive] !== 'replace') throw new StrategicPatchError(`unknown patch type: ${JSON.stringify(patch[directive])}`)
  const { [directive]: _, ...rest } = patch
  return rest
}

function retained(original: JsonObject, patch: JsonObject): JsonObject {
  const keep = patch[retainKeys]
  if (keep === undefined) return original
  if (!isList(keep)) throw new StrategicPatchError('invalid patch format of retainKeys: not a list')
  const kept = new Set(keep)
  const stray = Object.keys(patch).find(key => !key.startsWith('$') && patch[key] !== null && !kept.has(key))
  if (stray !== undefined) throw new StrategicPatchError(`invalid patch format of retainKeys: ${stray} is changed but not retained`)
  return Object.fromEntries(Object.entries(original).filter(([key]) => kept.has(key)))
}

function removeFromList(result: Map<string, Json>, key: string, values: Json): void {
  const list = result.get(key)
  if (!isList(values)) throw new StrategicPatchError(`invalid patch format of primitive list ${key}`)
  if (!isList(list)) return
  const removed = new Set(values)
  result.set(
    key,
    list.filter(item => !removed.has(item)),
  )
}

function mergeLists(original: readonly Json[], patch: readonly Json[], path: string, policy: ListPolicy, policies: Policies): Json {
  if (policy.kind === 'set') return ordered([...new Set([...original, ...patch])], patch, original, policy)
  const changes = patch.map(item => keyed(item, policy.key))
  const special = changes.filter(item => Object.hasOwn(item, directive))
  const plain = changes.filter(item => !Object.hasOwn(item, directive))
  if (special.some(item => item[directive] === 'replace')) return plain
  const deleted = new Set(special.map(item => deletedKey(item, policy.key)))
  const kept = original.map(item => keyed(item, policy.key)).filter(item => !deleted.has(item[policy.key]!))
  const changeOf = firstPlaces(plain, policy)
  const merged = kept.map(item => {
    const change = changeOf.get(item[policy.key])
    return change === undefined ? item : mergeObjects(item, plain[change]!, path, policies)
  })
  const present = firstPlaces(kept, policy)
  const added = plain.filter(item => !present.has(item[policy.key]))
  return ordered([...merged, ...added.map(item => clean(item)!)], plain, kept, policy)
}

function deletedKey(item: JsonObject, key: string): Json {
  if (item[directive] !== 'delete') throw new StrategicPatchError(`unknown patch type: ${JSON.stringify(item[directive])}`)
  return item[key]!
}

function keyed(item: Json, key: string): JsonObject {
  if (!isObject(item)) throw new StrategicPatchError(`${shown(item)} is in a list of objects but is none`)
  if (item[key] === undefined && item[directive] !== 'replace') {
    throw new StrategicPatchError(`map: ${shown(item)} does not contain declared merge key: ${key}`)
  }
  return item
}

function putInOrder(result: Map<string, Json>, key: string, order: Json, original: JsonObject, path: string, policies: Policies): void {
  const list = result.get(key)
  const policy = policies(path === '' ? key : `${path}.${key}`)
  if (!isList(order)) throw new StrategicPatchError(`invalid patch format of setElementOrder list ${key}`)
  if (policy === undefined || !isList(list)) return
  const before = original[key]
  result.set(key, ordered(list, order, isList(before) ? before : [], policy))
}

/** Enough of an item to recognise it; it may be as large as the body. */
function shown(item: Json): string {
  const text = JSON.stringify(item)
  return text.length <= 200 ? text : `${text.slice(0, 200)}…`
}

/** Items that `order` names come as it names them; the others keep their places among them as far as these knew each other before. */
function ordered(items: readonly Json[], order: readonly Json[], before: readonly Json[], policy: ListPolicy): readonly Json[] {
  const orderPlaces = firstPlaces(order, policy)
  const placesBefore = firstPlaces(before, policy)
  const placeIn = (places: ReadonlyMap<Json | undefined, number>, item: Json) => places.get(identity(item, policy)) ?? -1
  const named = items.filter(item => placeIn(orderPlaces, item) >= 0).toSorted((a, b) => placeIn(orderPlaces, a) - placeIn(orderPlaces, b))
  const others = items.filter(item => placeIn(orderPlaces, item) < 0)
  const result: Json[] = []
  let [nextNamed, nextOther] = [0, 0]
  while (nextNamed < named.length && nextOther < others.length) {
    const [first, second] = [placeIn(placesBefore, others[nextOther]!), placeIn(placesBefore, named[nextNamed]!)]
    result.push(first >= 0 && second >= 0 && first < second ? others[nextOther++]! : named[nextNamed++]!)
  }
  return [...result, ...named.slice(nextNamed), ...others.slice(nextOther)]
}

/** Where each item first stands in a list, by its identity. Built once per list: a search for each item would take quadratic time. */
function firstPlaces(list: readonly Json[], policy: ListPolicy): ReadonlyMap<Json | undefined, number> {
  const places = new Map<Json | undefined, number>()
  for (const [index, item] of list.entries()) {
    const key = identity(item, policy)
    if (!places.has(key)) places.set(key, index)
  }
  return places
}

function identity(item: Json, policy: ListPolicy): Json | undefined {
  return policy.kind === 'map' && isObject(item) ? item[policy.key] : item
}

/** A new value as it will be stored: without nulls and directives. */
function clean(value: Json): Json | undefined {
  if (isList(value)) return value.flatMap(item => clean(item) ?? [])
  if (!isObject(value)) return value
  if (Object.hasOwn(value, directive)) return undefined
  const entries = Object.entries(value).map(([key, inner]) => [key, inner === null ? undefined : clean(inner)] as const)
  return Object.fromEntries(entries.filter(([key, inner]) => inner !== undefined && !key.startsWith('$'))) as JsonObject
}

function isList(value: Json | undefined): value is readonly Json[] {
  return Array.isArray(value)
}
