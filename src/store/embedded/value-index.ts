/**
 * Which objects have which value: of one label, or of one field. Most values of most labels belong to many objects or to exactly
 * one; a lone key is held without a set around it, which saves more memory than all the rest of the index takes.
 */
export class ValueIndex {
  readonly #keys = new Map<string, string | Set<string>>()

  add(value: string, key: string): void {
    const held = this.#keys.get(value)
    if (held === undefined) this.#keys.set(value, key)
    else if (typeof held === 'string') this.#keys.set(value, new Set([held, key]))
    else held.add(key)
  }

  remove(value: string, key: string): void {
    const held = this.#keys.get(value)
    if (typeof held === 'object') held.delete(key)
    if (held === key || (typeof held === 'object' && held.size === 0)) this.#keys.delete(value)
  }

  /** How many objects have this value. */
  count(value: string): number {
    const held = this.#keys.get(value)
    return held === undefined ? 0 : typeof held === 'string' ? 1 : held.size
  }

  /** The keys of the objects that have this value, in no order. */
  *keys(value: string): Generator<string, void, undefined> {
    const held = this.#keys.get(value)
    if (typeof held === 'string') yield held
    else if (held !== undefined) yield* held
  }
}
