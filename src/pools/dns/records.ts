import type { ClusterDeploymentCustomization, ClusterPool } from '../../kinds/index.ts'
import { clusterNameOf, type Entry, entriesOf } from '../pool/inventory.ts'

/** A name that must resolve before a cluster is installed under it. */
export interface DnsRecord {
  readonly cluster: string
  readonly host: string
  /** The addresses that the inventory gives, if it does. */
  readonly addresses: readonly string[]
}

const prefixes = ['api', 'apps', '*.apps', 'console'] as const

/**
 * The DNS records that an administrator must have for each name of a pool's inventory. `customizations` are those of the pool's
 * namespace: some entries take their clusters' names from them. Names that are generated need no records that anybody could make before.
 */
export function dnsRecords(pool: ClusterPool, customizations: readonly ClusterDeploymentCustomization[]): readonly DnsRecord[] {
  const byName = new Map(customizations.map(each => [each.metadata.name, each]))
  return (entriesOf(pool) ?? []).flatMap(entry => {
    const name = clusterNameOf(entry, byName)
    return name === undefined ? [] : recordsOf(name, pool.spec.baseDomain, entry)
  })
}

/** The records of one cluster. */
export function recordsOf(cluster: string, baseDomain: string, { vSphere }: Pick<Entry, 'vSphere'>): readonly DnsRecord[] {
  return prefixes.map(prefix => ({
    cluster,
    host: `${prefix}.${cluster}.${baseDomain}`,
    addresses: (prefix === 'api' ? vSphere?.apiVIPs : vSphere?.ingressVIPs) ?? [],
  }))
}
