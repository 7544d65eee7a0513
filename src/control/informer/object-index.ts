import type { Resource } from '../../kinds/index.ts'

/** From an object to the values under which it shall be found. Depends on the object alone. */
export type IndexFunction<R extends Resource> = (object: R) => Iterable<string>

/** Objects by the values that a function gives them. */
export class ObjectIndex<R extends Resource> {
  readonly #byValue = new Map<string, Map<string, R>>()
  /** The values under which an object stands, kept so that it leaves all of them whatever the function says later. */
  readonly #values = new Map<string, readonly string[]>()

  /** Puts an object under `values` and takes it away from where it stood before. */
  set(key: string, object: R, values: readonly string[]): void {
    if (!sameTexts(this.#values.get(key), values)) {
      this.remove(key)
      if (values.length > 0) this.#values.set(key, values)
    }
    for (const value of values) {
      let objects = this.#byValue.get(value)
      if (objects === undefined) this.#byValue.set(value, (objects = new Map()))
      objects.set(key, object)
    }
  }

  remove(key: string): void {
    const values = this.#values.get(key)
    if (values === undefined) return
    this.#values.delete(key)
    for (const value of values) {
      const objects = this.#byValue.get(value)
      objects?.delete(key)
      if (objects?.size === 0) this.#byValue.delete(value)
    }
  }

  get(value: string): readonly R[] {
    const objects = this.#byValue.get(value)
    return objects === undefined ? [] : [...objects.values()]
  }
}

function sameTexts(a: readonly string[] | undefined, b: readonly string[]): boolean {
  return a !== undefined && a.length === b.length && a.every((text, position) => text === b[position])
}
