import type { ClusterPool } from '../../kinds/index.ts'

/** A name that must resolve before a cluster is installed under it. */
export interface DnsRecord {
  readonly cluster: string
  readonly host: string
  /** The addresses that the inventory gives, if it does. */
  readonly addresses: readonly string[]
}

const prefixes = ['api', 'apps', '*.apps', 'console'] as const

/** The DNS records that an administrator must have for each name of a pool's inventory. */
export function dnsRecords({ spec: { inventory, baseDomain } }: ClusterPool): readonly DnsRecord[] {
  return (inventory?.clusterDeployments ?? []).flatMap(({ name, vSphere }) =>
    prefixes.map(prefix => ({
      cluster: name,
      host: `${prefix}.${name}.${baseDomain}`,
      addresses: (prefix === 'api' ? vSphere?.apiVIPs : vSphere?.ingressVIPs) ?? [],
    })),
  )
}
