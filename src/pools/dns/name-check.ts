import type { ResolveHost } from '../../ports/index.ts'
import type { ClusterPool } from '../../kinds/index.ts'
import type { Entry } from '../pool/inventory.ts'
import { type DnsRecord, recordsOf } from './records.ts'

/** The hosts of one cluster of a pool that do not resolve, or not to the addresses that the inventory gives. */
export type NameCheck = (pool: ClusterPool, entry: Entry, clusterName: string, signal: AbortSignal) => Promise<readonly string[]>

/** What a record leads to, and whether that is where the inventory says. */
export interface CheckedRecord extends DnsRecord {
  readonly found: readonly string[]
  readonly isRight: boolean
}

/** What stands for "any" in a wildcard record, which cannot be asked for as it is. */
const anyHost = 'any'

/** Resolves a record. A server that does not answer makes it count as missing: it is asked again later. */
export async function checkRecord(record: DnsRecord, resolve: ResolveHost, signal: AbortSignal): Promise<CheckedRecord> {
  const found = await resolve(record.host.replace('*', anyHost), signal).catch((): readonly string[] => [])
  const known = new Set(found.map(sameAddress))
  return { ...record, found, isRight: found.length > 0 && record.addresses.every(address => known.has(sameAddress(address))) }
}

/** Checks the DNS records of a cluster. */
export function nameCheck(resolve: ResolveHost): NameCheck {
  return async ({ spec }, entry, clusterName, signal) => {
    const records = recordsOf(clusterName, spec.baseDomain, entry)
    const checked = await Promise.all(records.map(record => checkRecord(record, resolve, signal)))
    return checked.filter(({ isRight }) => !isRight).map(({ host }) => host)
  }
}

/** An address in the one form that it has among several: those of IPv6 may be written with capitals, and with or without zeros. */
function sameAddress(address: string): string {
  const url = `http://[${address}]`
  return URL.canParse(url) ? new URL(url).hostname : address
}
