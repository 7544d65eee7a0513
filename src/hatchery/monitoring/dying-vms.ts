import type { Inventory } from '../../platform/index.ts'
import type { Clock } from '../../ports/index.ts'
import type { UnderWay } from '../fleet/under-way.ts'

/** What is looked at. */
export interface DyingVmsOptions {
  readonly platform: { readonly inventory: Pick<Inventory, 'byId'> }
  readonly underWay: Pick<UnderWay, 'doomed'>
  readonly clock: Clock
}

/**
 * VMs that are to be removed and are still there, and for how long. On a busy hatchery there are always some: only the age of the
 * oldest tells those that go from one that does not.
 */
export class DyingVms {
  readonly #options: DyingVmsOptions
  /** When each was first seen here, on the clock that never goes back. */
  #since: ReadonlyMap<string, number> = new Map()

  constructor(options: DyingVmsOptions) {
    this.#options = options
  }

  /** Looks at them now. Ages are told from one look to the next. Throws InventoryNotLive. */
  look(): { readonly count: number; readonly oldestSeconds: number } {
    const { platform, underWay, clock } = this.#options
    const now = clock.monotonic()
    const there = Array.from(underWay.doomed).filter(id => platform.inventory.byId(id) !== undefined)
    this.#since = new Map(there.map(id => [id, this.#since.get(id) ?? now]))
    const oldest = Math.min(now, ...this.#since.values())
    return { count: there.length, oldestSeconds: (now - oldest) / 1000 }
  }
}
