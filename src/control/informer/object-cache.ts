import type { Resource } from '../../kinds/index.ts'
import { type IndexFunction, ObjectIndex } from './object-index.ts'

interface NamedIndex<R extends Resource> {
  readonly valuesOf: IndexFunction<R>
  readonly index: ObjectIndex<R>
}

/** The objects of one kind in memory, by key, by namespace and by named indexes. */
export class ObjectCache<R extends Resource> {
  readonly #objects = new Map<string, R>()
  readonly #byNamespace = new ObjectIndex<R>()
  readonly #indexes = new Map<string, NamedIndex<R>>()
  readonly #onIndexError: (error: unknown, index: string, key: string) => void

  /** `onIndexError` hears of index functions that throw; the object is then found by other ways only. */
  constructor(onIndexError: (error: unknown, index: string, key: string) => void) {
    this.#onIndexError = onIndexError
  }

  get size(): number {
    return this.#objects.size
  }

  get(key: string): R | undefined {
    return this.#objects.get(key)
  }

  keys(): Iterable<string> {
    return this.#objects.keys()
  }

  list(namespace?: string): readonly R[] {
    return namespace === undefined ? [...this.#objects.values()] : this.#byNamespace.get(namespace)
  }

  /** Undefined if there is no such index. */
  byIndex(name: string, value: string): readonly R[] | undefined {
    return this.#indexes.get(name)?.index.get(value)
  }

  indexNames(): string[] {
    return [...this.#indexes.keys()]
  }

  indexFunction(name: string): IndexFunction<R> | undefined {
    return this.#indexes.get(name)?.valuesOf
  }

  addIndex(name: string, valuesOf: IndexFunction<R>): void {
    const index = new ObjectIndex<R>()
    this.#indexes.set(name, { valuesOf, index })
    for (const [key, object] of this.#objects) index.set(key, object, this.#values(name, valuesOf, key, object))
  }

  set(key: string, object: R): void {
    this.#objects.set(key, object)
    const { namespace } = object.metadata
    if (namespace !== undefined) this.#byNamespace.set(key, object, [namespace])
    for (const [name, { valuesOf, index }] of this.#indexes) index.set(key, object, this.#values(name, valuesOf, key, object))
  }

  delete(key: string): void {
    this.#objects.delete(key)
    this.#byNamespace.remove(key)
    for (const { index } of this.#indexes.values()) index.remove(key)
  }

  #values(name: string, valuesOf: IndexFunction<R>, key: string, object: R): readonly string[] {
    try {
      return [...new Set(valuesOf(object))]
    } catch (error) {
      this.#onIndexError(error, name, key)
      return []
    }
  }
}
