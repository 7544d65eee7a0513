import type { Secret, TlsTrust } from '../ports/index.ts'
import type { NetworkSettings } from '../platform/index.ts'
import { SettingNotValid } from './errors.ts'

/** Which vCenter, as whom, and which of its datacenters: what is the same for all who share a connection. */
export interface VcenterAccess {
  /** `https://vcenter.example.org`, or with the path `/sdk`. */
  readonly url: string
  readonly user: string
  /** Any characters: it is a value of its own and never part of a URL. */
  readonly password: Secret
  readonly trust?: TlsTrust
  /** The datacenter by name or path; may be left out if there is only one. */
  readonly datacenter?: string
}

/** Where VMs are made unless a request says otherwise, and how long that may take: each service's own. */
export interface VsphereHome {
  /** Name, or path below the datacenter, as of all places here. */
  readonly folder?: string
  readonly resourcePool?: string
  readonly datastore?: string
  readonly network?: string
  /** Without a network: the sort of card that VMs have on the network of their template. */
  readonly card?: NetworkSettings['card']
  /** How long tasks may take, in milliseconds. Defaults: a clone 30 minutes, everything else 5. */
  readonly cloneTimeout?: number
  readonly taskTimeout?: number
}

/** A vCenter with a home in it. */
export interface VsphereSettings extends VcenterAccess, VsphereHome {}

/** The URL of vCenter's SOAP interface. Throws `SettingNotValid`. */
export function sdkUrl({ url }: Pick<VcenterAccess, 'url'>): string {
  const text = url.includes('://') ? url : `https://${url}`
  if (!URL.canParse(text)) throw SettingNotValid({ field: 'url', rule: 'is not a URL', fix: 'write it like https://vcenter.example.org' })
  const parsed = new URL(text)
  if (parsed.username !== '' || parsed.password !== '') {
    throw SettingNotValid({ field: 'url', rule: 'must not hold a user or password', fix: 'give them as user and password' })
  }
  if (parsed.protocol !== 'https:') {
    throw SettingNotValid({
      field: 'url',
      rule: `must begin with https:, not ${parsed.protocol}`,
      fix: 'write it like https://vcenter.example.org',
    })
  }
  return `${parsed.origin}${parsed.pathname === '/' ? '/sdk' : parsed.pathname}`
}
