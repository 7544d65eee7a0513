import type { CompiledSelection } from '../selectors/selection.ts'
import type { Change } from './change.ts'
import type { Collection } from './collection.ts'
import type { Version } from './version.ts'
import type { Watcher } from './watcher.ts'

/** What of an object some watchers go by: its key, its namespace, one label, one field, or nothing at all. */
interface Aspect {
  readonly valueOf: (version: Version) => string | undefined
  readonly watchers: Map<string, Set<Watcher>>
}

/** Where a watcher is filed: under these values of the aspect of that name. */
export interface Place {
  readonly aspect: string
  readonly valueOf: Aspect['valueOf']
  readonly values: readonly string[]
}

/**
 * The watchers of one collection, each filed under what its selection says most narrowly. Only aspects by which somebody is filed are
 * looked at, so that a change costs what is watched, not how many labels and fields it has.
 */
export class WatchFiles {
  readonly #aspects = new Map<string, Aspect>()

  get isEmpty(): boolean {
    return this.#aspects.size === 0
  }

  add(watcher: Watcher, { aspect, valueOf, values }: Place): void {
    let files = this.#aspects.get(aspect)
    if (files === undefined) this.#aspects.set(aspect, (files = { valueOf, watchers: new Map() }))
    for (const value of values) {
      const watchers = files.watchers.get(value)
      if (watchers === undefined) files.watchers.set(value, new Set([watcher]))
      else watchers.add(watcher)
    }
  }

  remove(watcher: Watcher, { aspect, values }: Place): void {
    const files = this.#aspects.get(aspect)!
    for (const value of values) {
      const watchers = files.watchers.get(value)
      watchers?.delete(watcher)
      if (watchers?.size === 0) files.watchers.delete(value)
    }
    if (files.watchers.size === 0) this.#aspects.delete(aspect)
  }

  /** Calls back for each watcher to whom a change can matter; twice if it is filed under both the value before and the value after. */
  forEach({ previous, current }: Change, callback: (watcher: Watcher) => void): void {
    for (const { valueOf, watchers } of this.#aspects.values()) {
      const before = previous === undefined ? undefined : valueOf(previous)
      const after = current === undefined ? undefined : valueOf(current)
      if (after !== undefined) watchers.get(after)?.forEach(callback)
      if (before !== undefined && before !== after) watchers.get(before)?.forEach(callback)
    }
  }
}

/** Where to file a watcher: any change that can matter to it is found there. */
export function placeOf({ kind }: Collection, { key, labels, fields, namespace }: CompiledSelection): Place {
  if (key !== undefined) return { aspect: 'key', valueOf: version => version.key, values: [key] }
  const label = labels.find(({ operator }) => operator === 'in')
  if (label !== undefined) {
    return { aspect: `label ${label.key}`, valueOf: version => version.labels?.[label.key], values: label.values }
  }
  const field = fields.find(({ path, equal }) => equal && !path.startsWith('metadata.'))
  if (field !== undefined) {
    const at = kind!.selectableFields.indexOf(field.path)
    return { aspect: `field ${field.path}`, valueOf: version => version.fields[at], values: [field.value] }
  }
  if (namespace !== undefined) return { aspect: 'namespace', valueOf: namespaceOf, values: [namespace] }
  return { aspect: 'all', valueOf: () => '', values: [''] }
}

function namespaceOf({ key }: Version): string {
  return key.slice(0, Math.max(0, key.indexOf('/')))
}
