import type { Kind, Resource } from '../../kinds/index.ts'
import { qualified, StoreError } from '../errors.ts'
import { parseRevision } from '../revision.ts'
import { type CompiledSelection, compileSelection } from '../selectors/selection.ts'
import type { ListOptions, Page } from '../store.ts'
import type { Collection } from './collection.ts'
import { type ContinueToken, decodeContinue, encodeContinue, whenUsed } from './continue-token.ts'
import type { State } from './state.ts'
import type { Version } from './version.ts'

/** Objects as they were, for those that have changed since; undefined if they did not exist. */
type Since = ReadonlyMap<string, Version | undefined>

/** One page of a list, as of one moment. */
export function listPage(state: State, kind: Kind, options: ListOptions): Page<Resource> {
  const collection = state.collectionOf(kind)
  const selection = compileSelection(kind, options)
  const of = `${qualified(kind)} in ${selection.namespace ?? 'all namespaces'}`
  const { revision, start } = startingPoint(state, of, options)
  const since = changedSince(collection, revision)
  const limit = Math.max(0, options.limit ?? 0)

  const found: Version[] = []
  let more = false
  for (const version of matching(collection, selection, start, since)) {
    more = limit > 0 && found.length === limit
    if (more) break
    found.push(version)
  }
  // A key with the smallest character behind it comes right after the key itself.
  const next = more ? `${found.at(-1)!.key}\0` : undefined
  return {
    items: found.map(version => version.stored),
    resourceVersion: String(revision),
    continue: next === undefined ? undefined : encodeContinue({ revision, start: next, of }),
    remaining: next !== undefined && selection.plain ? countAt(collection, selection, next, since) : undefined,
  }
}

function startingPoint(state: State, of: string, options: ListOptions): Pick<ContinueToken, 'revision' | 'start'> {
  const asked = options.resourceVersion === undefined ? 0 : parseRevision(options.resourceVersion)
  if (options.continue !== undefined && options.continue !== '') {
    if (asked > 0) throw new StoreError('BadRequest', 'specifying resource version is not allowed when using continue')
    const token = decodeContinue(options.continue, of)
    if (token.revision === whenUsed) return { revision: state.revision, start: token.start }
    // A token from the future comes from a store that was put back to an older state.
    if (token.revision < state.compacted || token.revision > state.revision) throw tokenExpired(token)
    return token
  }
  if (asked > state.revision) throw tooLarge(asked, state.revision)
  if (options.exactRevision !== true) return { revision: state.revision, start: '' }
  if (asked === 0) throw new StoreError('BadRequest', 'an exact list needs a resource version other than 0')
  if (asked < state.compacted) throw revisionExpired()
  return { revision: asked, start: '' }
}

/** What objects were at a revision, as far as they have changed since: what the first change after it found. */
function changedSince(collection: Collection, revision: number): Since {
  const since = new Map<string, Version | undefined>()
  for (const change of collection.changes.from(({ revision: at }) => at > revision)) {
    if (!since.has(change.key)) since.set(change.key, change.previous)
  }
  return since
}

/** The objects from `start` on that matched then, in order. */
function* matching(collection: Collection, selection: CompiledSelection, start: string, since: Since): Generator<Version> {
  const candidates = collection.candidates(selection)
  if (candidates === undefined) {
    for (const version of inOrder(collection, prefixOf(selection), start, since)) if (selection.matches(version)) yield version
    return
  }
  const found: Version[] = []
  for (const key of candidates) {
    const version = since.has(key) ? undefined : collection.get(key)
    if (version !== undefined && key >= start && selection.matches(version)) found.push(version)
  }
  for (const version of since.values()) {
    if (version !== undefined && version.key >= start && selection.matches(version)) found.push(version)
  }
  yield* found.toSorted(byKey)
}

/** All objects of a range as they were, in order: the present ones, with those that changed since put back in their place. */
function* inOrder(collection: Collection, prefix: string, start: string, since: Since): Generator<Version> {
  const changed = [...since.values()].filter(version => version?.key.startsWith(prefix) === true && version.key >= start)
  const old = (changed as Version[]).toSorted(byKey)
  let at = 0
  for (const key of collection.keysFrom(start, prefix)) {
    while (at < old.length && old[at]!.key <= key) yield old[at++]!
    if (!since.has(key)) yield collection.get(key)!
  }
  while (at < old.length) yield old[at++]!
}

/** How many objects there were from `start` on. */
function countAt(collection: Collection, selection: CompiledSelection, start: string, since: Since): number {
  const prefix = prefixOf(selection)
  let count = collection.countFrom(start, prefix)
  for (const [key, then] of since) {
    if (key < start || !key.startsWith(prefix)) continue
    count += Number(then !== undefined) - Number(collection.get(key) !== undefined)
  }
  return count
}

function prefixOf(selection: CompiledSelection): string {
  return selection.namespace === undefined ? '' : `${selection.namespace}/`
}

function byKey(a: Version, b: Version): number {
  return a.key < b.key ? -1 : a.key > b.key ? 1 : 0
}

/** In Kubernetes' words, and with a token for who would rather have the rest as it is now than begin again. */
function tokenExpired(token: ContinueToken): StoreError {
  const message =
    'The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue ' +
    'parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided ' +
    'token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was ' +
    'returned and now may show up in the list.'
  return new StoreError('Expired', message, {
    continue: encodeContinue({ ...token, revision: whenUsed }),
    fix: 'list again without the continue parameter',
  })
}

function revisionExpired(): StoreError {
  return new StoreError('Expired', 'The resourceVersion for the provided list is too old.', {
    fix: 'list again without the resource version',
  })
}

/** The answer of Kubernetes to a revision that is yet to come. */
export function tooLarge(asked: number, current: number): StoreError {
  return new StoreError('Timeout', `Timeout: Too large resource version: ${asked}, current: ${current}`, {
    retryAfterSeconds: 1,
    fix: 'list again without a resource version; the store may have been put back to an older state',
  })
}
