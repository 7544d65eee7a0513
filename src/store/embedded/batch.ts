import type { Resource } from '../../kinds/index.ts'
import { Stored } from '../stored.ts'
import { Change } from './change.ts'
import type { Collection } from './collection.ts'
import { sizeOf, textOf } from './object-text.ts'
import type { State } from './state.ts'
import { fieldsOf, type Version } from './version.ts'

/**
 * What the writes of one flush want to change, before any of it is durable. Each write sees those before it; nobody else sees
 * anything until the whole batch is committed, and if that fails it is simply forgotten.
 */
export class Batch {
  readonly #state: State
  readonly #at: number
  readonly #keepText: boolean
  readonly #changes: Change[] = []
  #bytes = 0
  readonly #written = new Map<Collection, Map<string, Version | undefined>>()

  constructor(state: State, options: { readonly at: number; readonly keepText: boolean }) {
    this.#state = state
    this.#at = options.at
    this.#keepText = options.keepText
  }

  get changes(): readonly Change[] {
    return this.#changes
  }

  /** Length of all texts to be written. */
  get bytes(): number {
    return this.#bytes
  }

  /** The revision that the next change will have. */
  get revision(): number {
    return this.#state.revision + this.#changes.length + 1
  }

  /** The collection of a kind by its qualified name, if the store has it. */
  collection(name: string): Collection | undefined {
    return this.#state.collections.get(name)
  }

  /** An object as the writes before have left it. */
  read(collection: Collection, key: string): Version | undefined {
    const written = this.#written.get(collection)
    return written?.has(key) === true ? written.get(key) : collection.get(key)
  }

  /** Makes or replaces an object, which must carry this batch's `revision`. Throws RequestEntityTooLarge. */
  put(collection: Collection, key: string, object: Resource): void {
    const json = this.#keepText ? textOf(object) : undefined
    const current: Version = {
      revision: this.revision,
      key,
      labels: object.metadata.labels,
      fields: fieldsOf(collection.kind!, object),
      stored: json === undefined ? Stored.fromObject(object) : Stored.fromBoth(object, json),
      size: json?.length ?? sizeOf(object),
    }
    this.#bytes += current.size
    this.#write(collection, key, current)
  }

  /** Removes an object that is there. */
  remove(collection: Collection, key: string): void {
    this.#write(collection, key, undefined)
  }

  #write(collection: Collection, key: string, current: Version | undefined): void {
    const previous = this.read(collection, key)
    this.#changes.push(new Change({ revision: this.revision, collection, key, previous, current, at: this.#at }))
    const written = this.#written.get(collection)
    if (written === undefined) this.#written.set(collection, new Map([[key, current]]))
    else written.set(key, current)
  }
}
