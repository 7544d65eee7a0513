import type { Metrics } from '../../ports/index.ts'
import { NotSynced } from '../../control/index.ts'
import { InventoryNotLive } from '../errors.ts'
import type { AddressAuthority } from './address-authority.ts'
import type { AddressCounts } from './address-counts.ts'

/**
 * Shows what became of the addresses of each network, until the signal is aborted. While the inventory is not live it shows nothing:
 * unknown is not zero.
 */
export function addressMetrics(metrics: Metrics, platform: string, authority: AddressAuthority, until: AbortSignal): void {
  // Several authorities share the gauge, so each takes back only what it set itself.
  let shown: { readonly platform: string; readonly network: string; readonly state: string }[] = []
  metrics.gauge({
    name: 'aviary_platform_addresses',
    help: 'Addresses of a network that a guest may have: all (total), shown by a VM (used), reported by a guest (active), leased but not shown (reserved), quarantined, left to assign (free).',
    labels: ['platform', 'network', 'state'],
    collect: gauge => {
      for (const labels of shown) gauge.remove(labels)
      shown = []
      for (const { network, ...counts } of countsIfKnown(authority)) {
        for (const [state, value] of Object.entries(counts)) {
          gauge.set({ platform, network, state }, value)
          shown.push({ platform, network, state })
        }
      }
    },
    until,
  })
}

function countsIfKnown(authority: AddressAuthority): readonly AddressCounts[] {
  try {
    return authority.counts()
  } catch (error) {
    if (InventoryNotLive.is(error) || NotSynced.is(error)) return []
    throw error
  }
}
