import type { Inventory, Vm } from '../platform.ts'
import { addressEvidence } from './address-evidence.ts'

/** A VM, and the address that it has or is to have. */
export interface VmAddress {
  readonly id: string
  readonly address: string
}

const index = 'addressEvidence'

/** Has the inventory find VMs by their addresses from now on. */
export function indexAddresses(inventory: Inventory): void {
  inventory.index(index, addressEvidence)
}

/** VMs that have an address, or are to have it, by whatever shows it. Throws InventoryNotLive. */
export function vmsWithAddress(inventory: Inventory, address: string): readonly Vm[] {
  indexAddresses(inventory)
  return inventory.by(index, address)
}

/** VMs but this one that have its address or are to have it. */
export function addressRivals(inventory: Inventory, { id, address }: VmAddress): readonly Vm[] {
  return vmsWithAddress(inventory, address).filter(vm => vm.id !== id)
}

/**
 * The rival that a VM must leave its address to: one that runs, or one that was there first. Undefined if it is for the others to go.
 * Everybody who sees the same VMs comes to the same answer: the ids that a platform gives out grow.
 */
export function firstRival(id: string, rivals: readonly Vm[]): Vm | undefined {
  return rivals.find(rival => rival.power !== 'off' || isOlder(rival.id, id))
}

/** `vm-9` is older than `vm-10`. */
function isOlder(one: string, other: string): boolean {
  return one.length === other.length ? one < other : one.length < other.length
}
