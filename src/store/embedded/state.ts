import type { Kind } from '../../kinds/index.ts'
import { qualified, StoreError } from '../errors.ts'
import type { Change } from './change.ts'
import { Collection } from './collection.ts'
import { History, type HistoryWindow } from './history.ts'

/** Everything that is acknowledged, in memory: what every read and every watch is served from. */
export class State {
  readonly history: History
  readonly #collections = new Map<string, Collection>()
  #revision = 1
  #compacted = 1

  constructor(kinds: readonly Kind[], window: HistoryWindow) {
    this.history = new History(window)
    for (const kind of kinds) this.#collections.set(qualified(kind), new Collection(kind))
  }

  /** The revision of the last change. An empty store is at 1, because 0 means "any" to Kubernetes. */
  get revision(): number {
    return this.#revision
  }

  /** Snapshots and watches reach back to this revision. */
  get compacted(): number {
    return this.#compacted
  }

  get collections(): ReadonlyMap<string, Collection> {
    return this.#collections
  }

  /** The objects of a kind. Throws NotFound if this store was not told of it. */
  collectionOf(kind: Kind): Collection {
    const collection = this.#collections.get(qualified(kind))
    if (collection?.kind !== undefined) return collection
    throw new StoreError('NotFound', 'the server could not find the requested resource', {
      group: kind.group,
      kind: kind.plural,
      fix: `open the store with the kind ${kind.name} of ${kind.apiVersion}`,
    })
  }

  /** The collection of a qualified name, known kind or not: what is on disk is kept in any case. */
  collectionNamed(name: string): Collection {
    let collection = this.#collections.get(name)
    if (collection === undefined) this.#collections.set(name, (collection = new Collection(undefined)))
    return collection
  }

  /** Where a store that was opened again goes on. */
  resume(revision: number, compacted: number): void {
    this.#revision = revision
    this.#compacted = compacted
  }

  /** Takes over changes that have become durable. */
  publish(changes: readonly Change[]): void {
    for (const change of changes) {
      change.collection.apply(change)
      this.history.push(change)
      this.#revision = change.revision
    }
  }

  /** Drops what has left the window, and returns it. */
  trim(now: number): readonly Change[] {
    const dropped = this.history.trim(now)
    this.#compacted = Math.max(dropped.at(-1)?.revision ?? 0, this.#compacted)
    return dropped
  }
}
