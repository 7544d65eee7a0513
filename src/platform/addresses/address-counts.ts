import type { AddressLease } from '../../kinds/index.ts'
import type { Inventory } from '../platform.ts'
import { addressEvidence } from './address-evidence.ts'
import type { AddressNetwork } from './address-network.ts'

/** What became of the addresses of a network. Only those count that a guest may have: neither ends of a subnet, gateway nor name servers. */
export interface AddressCounts {
  readonly network: string
  /** All that a guest may have. */
  readonly total: number
  /** Those that some VM shows, by guest, annotation or name. */
  readonly used: number
  /** Those that a guest reports. */
  readonly active: number
  /** Those that are leased and that no VM shows yet, or no longer. */
  readonly reserved: number
  readonly quarantined: number
  /** Those that the next VM may be given: no VM shows them, and they are neither leased nor quarantined. */
  readonly free: number
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
  return networks.map(({ name, size, isUsable }) => {
    const here = leases.filter(({ spec }) => spec.network === name && isUsable(spec.address))
    const inside = (addresses: ReadonlySet<string>) => Array.from(addresses).filter(isUsable).length
    const used = inside(shown)
    // A quarantined address may be shown too, and a lease almost always is.
    const leasedOnly = here.filter(({ spec }) => !shown.has(spec.address))
    return {
      network: name,
      total: size,
      used,
      active: inside(reported),
      reserved: leasedOnly.filter(({ spec }) => spec.quarantine === undefined).length,
      quarantined: here.filter(({ spec }) => spec.quarantine !== undefined).length,
      free: size - used - leasedOnly.length,
    }
  })
}
