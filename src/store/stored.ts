import type { Resource } from '../kinds/index.ts'

/**
 * One revision of an object, as text, as a frozen object, or both: whoever needs one form gets it made from the other once.
 * An API server passes texts on without ever parsing them; a controller never makes a text.
 *
 * Beside a text the object is held weakly. A parsed object takes three times the memory of its text, so it stays only as long
 * as somebody uses it, and everybody who does shares the same one.
 */
export class Stored<R extends Resource> {
  readonly resourceVersion: string
  #json: string | undefined
  #object: R | WeakRef<R> | undefined

  private constructor(resourceVersion: string, json: string | undefined, object: R | WeakRef<R> | undefined) {
    this.resourceVersion = resourceVersion
    this.#json = json
    this.#object = object
  }

  /** From a text, which is parsed when first needed. */
  static fromJson<R extends Resource>(resourceVersion: string, json: string): Stored<R> {
    return new Stored<R>(resourceVersion, json, undefined)
  }

  /** From an object, which is frozen. */
  static fromObject<R extends Resource>(object: R): Stored<R> {
    return new Stored<R>(object.metadata.resourceVersion ?? '', undefined, deepFreeze(object))
  }

  /** From both, where both had to be made anyway. */
  static fromBoth<R extends Resource>(object: R, json: string): Stored<R> {
    return new Stored<R>(object.metadata.resourceVersion ?? '', json, new WeakRef(deepFreeze(object)))
  }

  /** The object, frozen to any depth. Keep it, not only this, if it is needed again and again. */
  get object(): R {
    const held = this.#object instanceof WeakRef ? this.#object.deref() : this.#object
    if (held !== undefined) return held
    const object = deepFreeze(JSON.parse(this.#json!) as R)
    this.#object = new WeakRef(object)
    return object
  }

  /** The object as JSON text. */
  get json(): string {
    this.#json ??= JSON.stringify(this.#object)
    return this.#json
  }
}

/** Freezes a value and everything in it. Values that are frozen already are taken to be frozen to the bottom. */
export function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value
  if (Array.isArray(value)) for (const item of value) deepFreeze(item)
  else for (const key in value) deepFreeze(value[key])
  return Object.freeze(value)
}
