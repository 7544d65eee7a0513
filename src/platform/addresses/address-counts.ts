import type { AddressLease } from '../../kinds/index.ts'
import type { Inventory } from '../platform.ts'
import { addressEvidence } from './address-evidence.ts'
import type { AddressNetwork } from './address-network.ts'

/** What became of the addresses of a network. */
export interface AddressCounts {
  readonly network: string
  /** All addresses of the ranges. */
  readonly total: number
  /** Those that some VM shows, by guest, annotation or name. */
  readonly used: number
  /** Those that a guest reports. */
  readonly active: number
  /** Those that are leased and that no VM shows yet, or no longer. */
  readonly reserved: number
  readonly quarantined: number
}

/** Counts addresses, each once, in what VMs show and what is leased. */
export function countAddresses(
  networks: readonly AddressNetwork[],
  leases: readonly AddressLease[],
  inventory: Inventory,
): readonly AddressCounts[] {
  const shown = new Set<string>()
  const reported = new Set<string>()
  for (const vm of inventory.all()) {
    for (const address of addressEvidence(vm)) shown.add(address)
    for (const address of vm.addresses) reported.add(address)
  }
  return networks.map(({ name, size, contains }) => {
    const here = leases.filter(({ spec }) => spec.network === name && contains(spec.address))
    const inside = (addresses: ReadonlySet<string>) => Array.from(addresses).filter(contains).length
    return {
      network: name,
      total: size,
      used: inside(shown),
      active: inside(reported),
      reserved: here.filter(({ spec }) => spec.quarantine === undefined && !shown.has(spec.address)).length,
      quarantined: here.filter(({ spec }) => spec.quarantine !== undefined).length,
    }
  })
}
