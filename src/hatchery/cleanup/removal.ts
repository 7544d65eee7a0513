import type { Platform, Vm } from '../../platform/index.ts'
import type { Clock, Log } from '../../ports/index.ts'
import type { UnderWay } from '../fleet/under-way.ts'

/** With what VMs are removed. */
export interface RemovalOptions {
  readonly platform: Platform
  readonly underWay: UnderWay
  readonly clock: Clock
  readonly log: Log
}

/** How many VMs are removed at the same time. */
const atOnce = 8

/** How long the removal of one VM may take; then the next pass tries again. */
const longest = 10 * 60_000

/**
 * Removes VMs: nobody claims them from the moment on at which it is asked for, a few at a time go, and one that cannot be removed
 * holds up no other. What this program is doing to a VM is for the caller to know.
 */
export class Removal {
  readonly #options: RemovalOptions
  readonly #going = new Map<string, Promise<void>>()
  readonly #waiting: (() => void)[] = []
  #busy = 0

  constructor(options: RemovalOptions) {
    this.#options = options
  }

  /** Whether a VM is being removed. */
  isGoing(id: string): boolean {
    return this.#going.has(id)
  }

  /**
   * Powers a VM off and removes it with its disks. Resolves when it is gone, also if it was before. If it rejects, the VM stays
   * doomed, and whoever cleans up tries again. Asked twice at a time, it is done once.
   */
  remove(vm: Pick<Vm, 'id' | 'name'>, why: string, signal: AbortSignal): Promise<void> {
    this.#options.underWay.doomed.add(vm.id)
    const known = this.#going.get(vm.id)
    if (known !== undefined) return known
    const going = this.#inTurn(() => this.#remove(vm, why, signal)).finally(() => this.#going.delete(vm.id))
    this.#going.set(vm.id, going)
    return going
  }

  async #remove({ id, name }: Pick<Vm, 'id' | 'name'>, why: string, signal: AbortSignal): Promise<void> {
    const { platform, clock, log } = this.#options
    signal.throwIfAborted()
    using deadline = clock.deadline(longest, signal)
    log.info('a VM is removed', { vm: name, id, why })
    // What is off already, or will not go off, is removed all the same: the removal itself switches off what runs.
    await platform.powerOff(id, deadline.signal).catch((error: unknown) => log.debug('a VM could not be powered off', { vm: name, error }))
    await platform.destroy(id, deadline.signal)
  }

  async #inTurn<T>(act: () => Promise<T>): Promise<T> {
    if (this.#busy >= atOnce) await new Promise<void>(resolve => this.#waiting.push(resolve))
    else this.#busy++
    try {
      return await act()
    } finally {
      // The place goes to whoever waits longest, without ever being free.
      const next = this.#waiting.shift()
      if (next === undefined) this.#busy--
      else next()
    }
  }
}
