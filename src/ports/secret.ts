import { inspect } from 'node:util'

const mask = '***'

/**
 * A value that must not be seen. Whatever prints it (inspect, JSON, a template string, an error text) prints `***`.
 * Only `reveal` gives it away, so that every place that does can be found by that name.
 */
export class Secret {
  readonly #value: string

  constructor(value: string) {
    this.#value = value
  }

  /** The value itself, for the one call that needs it. */
  reveal(): string {
    return this.#value
  }

  toString(): string {
    return mask
  }

  toJSON(): string {
    return mask
  }

  [Symbol.toPrimitive](): string {
    return mask
  }

  [inspect.custom](): string {
    return mask
  }
}
