import type { ResolveHost } from '../../ports/index.ts'
import type { ClusterPool } from '../../kinds/index.ts'
import type { Entry } from '../pool/inventory.ts'
import { recordsOf } from './records.ts'

/** The hosts of one cluster of a pool that do not resolve, or not to the addresses that the inventory gives. */
export type NameCheck = (pool: ClusterPool, entry: Entry, clusterName: string, signal: AbortSignal) => Promise<readonly string[]>

/** What stands for "any" in a wildcard record, which cannot be asked for as it is. */
const anyHost = 'any'

/** Checks the DNS records of a cluster. A server that does not answer makes a name count as missing: it is asked again later. */
export function nameCheck(resolve: ResolveHost): NameCheck {
  return async ({ spec }, entry, clusterName, signal) => {
    const records = recordsOf(clusterName, spec.baseDomain, entry)
    const checked = await Promise.all(
      records.map(async ({ host, addresses }) => {
        const found = await resolve(host.replace('*', anyHost), signal).catch((): readonly string[] => [])
        const isRight = found.length > 0 && addresses.every(address => found.includes(address))
        return isRight ? [] : [host]
      }),
    )
    return checked.flat()
  }
}
