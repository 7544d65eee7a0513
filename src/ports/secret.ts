import { createHash, timingSafeEqual } from 'node:crypto'
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

  /** Whether it is `other`; takes as long for a near miss as for a far one. */
  equals(other: string): boolean {
    return timingSafeEqual(digest(this.#value), digest(other))
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

/** Makes texts of any length comparable in constant time, and their length no secret given away. */
function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
