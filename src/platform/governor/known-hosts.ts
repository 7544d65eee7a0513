import type { Inventory, Vm } from '../platform.ts'

/** The hosts that VMs of some inventories are on, as far as they say so. */
export class KnownHosts {
  readonly #vms = new Map<string, number>()

  get count(): number {
    return this.#vms.size
  }

  /** Counts the hosts of one more inventory from now on. */
  watch(inventory: Inventory): void {
    if (inventory.state.kind === 'live') for (const vm of inventory.all()) this.#count(vm, 1)
    inventory.onChange(({ old, now }) => {
      if (old?.host === now?.host) return
      this.#count(old, -1)
      this.#count(now, 1)
    })
  }

  #count(vm: Vm | undefined, by: 1 | -1): void {
    if (vm?.host === undefined) return
    const left = (this.#vms.get(vm.host) ?? 0) + by
    if (left === 0) this.#vms.delete(vm.host)
    else this.#vms.set(vm.host, left)
  }
}
