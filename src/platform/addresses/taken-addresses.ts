import type { Informer } from '../../control/index.ts'
import type { AddressLease } from '../../kinds/index.ts'
import type { Inventory, Vm } from '../platform.ts'
import { addressEvidence } from './address-evidence.ts'
import type { AddressNetwork } from './address-network.ts'

/**
 * How many addresses are taken, kept up with every change of VMs and leases, so that a decision does not walk through a range that
 * may hold thousands. For deciding whether something is worth beginning; which address it gets is decided by the lease.
 */
export class TakenAddresses {
  readonly #networks: readonly NetworkCount[]
  readonly #inventory: Inventory
  readonly #leases: Informer<AddressLease>
  readonly #forget: readonly (() => void)[]
  /** What each VM shows, by its id. Undefined until the inventory was live and somebody asked. */
  #shown: Map<string, readonly string[]> | undefined

  constructor(networks: readonly AddressNetwork[], inventory: Inventory, leases: Informer<AddressLease>) {
    this.#networks = networks.map(network => new NetworkCount(network))
    this.#inventory = inventory
    this.#leases = leases
    const lease =
      (by: 1 | -1) =>
      ({ spec }: AddressLease) =>
        this.#networks.find(each => each.name === spec.network)?.count(spec.address, by)
    this.#forget = [
      inventory.onChange(({ old, now }) => this.#show((now ?? old)?.id ?? '', now)),
      leases.on({ added: lease(1), removed: lease(-1) }),
    ]
  }

  /** Whether so many are free. Throws InventoryNotLive and NotSynced. */
  hasFree(count: number): boolean {
    this.#mustKnow()
    return this.#networks.reduce((sum, { free }) => sum + free, 0) >= count
  }

  stop(): void {
    for (const forget of this.#forget) forget()
  }

  #mustKnow(): void {
    // Both throw if they do not know.
    this.#inventory.byId('')
    void this.#leases.size
    if (this.#shown !== undefined) return
    this.#shown = new Map()
    for (const vm of this.#inventory.all()) this.#show(vm.id, vm)
  }

  #show(id: string, vm: Vm | undefined): void {
    if (this.#shown === undefined) return
    const before = this.#shown.get(id) ?? []
    const now = vm === undefined ? [] : addressEvidence(vm)
    for (const network of this.#networks) {
      for (const address of before) network.count(address, -1)
      for (const address of now) network.count(address, 1)
    }
    if (now.length === 0) this.#shown.delete(id)
    else this.#shown.set(id, now)
  }
}

/** The count of one network. */
class NetworkCount {
  readonly name: string
  readonly #network: AddressNetwork
  /** By how many leases and VMs each address is taken that a guest may have. */
  readonly #taken = new Map<string, number>()

  constructor(network: AddressNetwork) {
    this.name = network.name
    this.#network = network
  }

  count(address: string, by: 1 | -1): void {
    if (!this.#network.isUsable(address)) return
    const left = (this.#taken.get(address) ?? 0) + by
    if (left === 0) this.#taken.delete(address)
    else this.#taken.set(address, left)
  }

  get free(): number {
    return this.#network.size - this.#taken.size
  }
}
