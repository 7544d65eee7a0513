import type { Resource } from '../kinds/index.ts'

/**
 * One revision of an object, as text, as a frozen object, or both: whoever needs one form gets it made from the other once.
 * An API server passes texts on without ever parsing them; a controller never makes a text.
 */
export class Stored<R extends Resource> {
  readonly resourceVersion: string
  #json: string | undefined
  #object: R | undefined

  private constructor(resourceVersion: string, json: string | undefined, object: R | undefined) {
    this.resourceVersion = resourceVersion
    this.#json = json
    this.#object = object
  }

  static fromJson<R extends Resource>(resourceVersion: string, json: string): Stored<R> {
    return new Stored<R>(resourceVersion, json, undefined)
  }

  static fromObject<R extends Resource>(object: R): Stored<R> {
    return new Stored<R>(object.metadata.resourceVersion ?? '', undefined, deepFreeze(object))
  }

  get object(): R {
    this.#object ??= deepFreeze(JSON.parse(this.#json!) as R)
    return this.#object
  }

  get json(): string {
    this.#json ??= JSON.stringify(this.#object)
    return this.#json
  }
}

/** Freezes a value and everything in it. Values that are frozen already are taken to be frozen to the bottom. */
export function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value
  for (const inner of Object.values(value)) deepFreeze(inner)
  return Object.freeze(value)
}
