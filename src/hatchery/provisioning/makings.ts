import { AddressContested, InventoryNotLive, NoAddressFree } from '../../platform/index.ts'
import type { Removal } from '../cleanup/removal.ts'
import type { Fleet } from '../fleet/fleet.ts'
import type { Undertaking, UnderWay } from '../fleet/under-way.ts'
import { causeOf } from '../spawn/cause.ts'
import type { ProvisionTools } from './make-provision.ts'

/** With what VMs are made, and removed again if that fails. */
export interface MakingsOptions extends ProvisionTools {
  readonly fleet: Fleet
  readonly underWay: UnderWay
  readonly removal: Removal
}

/** Who is told how a making ended. */
export interface MakingsListener {
  succeeded(pool: string): void
  /** The template, the platform, the guest or the store failed. */
  failed(pool: string, error: unknown): void
  /** There was no address. */
  lackedAddress(): void
  /** One is over, whatever became of it. */
  ended(): void
}

/** A VM that is being made. */
export interface Making {
  /** For which pool. */
  readonly pool: string
  /** On the clock that never goes back. */
  readonly since: number
  /** Resolves when it is over. */
  readonly ended: Promise<void>
}

/**
 * The VMs that are being made to stand ready, each beside the others. One that fails is removed before it is over; if even that
 * fails, its record says that it is to go, and the next round tries again.
 */
export class Makings {
  readonly #options: MakingsOptions
  readonly #listener: MakingsListener
  readonly #stop = new AbortController()
  readonly #all = new Map<string, Making>()

  constructor(options: MakingsOptions, listener: MakingsListener) {
    this.#options = options
    this.#listener = listener
  }

  /** What is being made. */
  all(): Iterable<Making> {
    return this.#all.values()
  }

  /** Begins one. The undertaking is over when it is. `work` tells whether a VM stands ready by it, or one was only removed. */
  begin(undertaking: Undertaking, work: (signal: AbortSignal) => Promise<'ready' | 'removed'>): void {
    const { vmName, model } = undertaking
    const ended = this.#see(undertaking, work).finally(() => {
      this.#all.delete(vmName)
      if (!this.#stop.signal.aborted) this.#listener.ended()
    })
    this.#all.set(vmName, { pool: model, since: this.#options.clock.monotonic(), ended })
    this.#options.log.debug('a VM is being made ready', { vm: vmName, pool: model })
  }

  /** Leaves everything as it is; the next run finishes it. */
  async stop(): Promise<void> {
    this.#stop.abort()
    await Promise.allSettled(Array.from(this.#all.values(), ({ ended }) => ended))
  }

  /** Removes a VM that will not stand ready, and then its record. */
  async discard(name: string, id: string | undefined, why: string, signal: AbortSignal): Promise<'removed'> {
    const { records, removal, underWay, platform } = this.#options
    underWay.unfinished.add(name)
    const spec = records.get(name)?.spec
    const reason = { reason: 'TearingDown', message: why }
    if (spec !== undefined) await records.write(name, spec, { phase: 'TearingDown', vmId: id, lastError: why, why: reason })
    if (id !== undefined) await removal.remove({ id, name }, why, signal)
    // Whether there is one after all is not known. The record stays, and with it somebody who looks.
    else if (platform.inventory.state.kind !== 'live') return 'removed'
    await records.remove(name)
    underWay.unfinished.delete(name)
    return 'removed'
  }

  async #see(undertaking: Undertaking, work: (signal: AbortSignal) => Promise<'ready' | 'removed'>): Promise<void> {
    const { underWay } = this.#options
    const { signal } = this.#stop
    using _over = undertaking
    try {
      const outcome = await work(signal)
      underWay.unfinished.delete(undertaking.vmName)
      if (outcome === 'ready') this.#listener.succeeded(undertaking.model)
    } catch (error) {
      if (!signal.aborted) await this.#failed(undertaking, error, signal)
    }
  }

  async #failed({ vmName, vmId, model }: Undertaking, error: unknown, signal: AbortSignal): Promise<void> {
    const { log, fleet, platform } = this.#options
    log.warn('a VM could not be made ready', { vm: vmName, pool: model, error })
    if (NoAddressFree.is(error)) this.#listener.lackedAddress()
    // Neither is to be paused for: rounds wait for the inventory, and the next VM has another address.
    else if (!InventoryNotLive.is(error) && !AddressContested.is(error)) this.#listener.failed(model, error)
    try {
      // The call may have failed and the VM be there all the same.
      const id = vmId ?? (platform.inventory.state.kind === 'live' ? fleet.ownNamed(vmName)?.vm.id : undefined)
      await this.discard(vmName, id, causeOf(error, []), signal)
    } catch (failure) {
      if (!signal.aborted) log.warn('what was begun could not be removed; it is tried again', { vm: vmName, error: failure })
    }
  }
}
