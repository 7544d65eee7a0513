import type { Capacity, Platform } from '../../platform/index.ts'
import { type Log, silentLog } from '../../ports/index.ts'

/** What the resource pool has, as far as it says so. */
export class ResourcePool {
  readonly #platform: Pick<Platform, 'capacity'>
  readonly #name: string | undefined
  readonly #log: Log
  /** Why it could not be asked the last time, so that it is said once. */
  #trouble = ''

  /** Undefined name: the only one there is. */
  constructor(platform: Pick<Platform, 'capacity'>, name: string | undefined, log: Log = silentLog) {
    this.#platform = platform
    this.#name = name
    this.#log = log
  }

  /** What it has left, from memory; undefined if it cannot be asked. Jobs then go on within the limits of the configuration. */
  async capacity(): Promise<Capacity | undefined> {
    try {
      const capacity = await this.#platform.capacity(this.#name)
      this.#trouble = ''
      return capacity
    } catch (error) {
      const trouble = (error as Error).message
      if (trouble !== this.#trouble) this.#log.warn('the resource pool cannot be asked: only the configured limits hold', { error })
      this.#trouble = trouble
      return undefined
    }
  }
}
