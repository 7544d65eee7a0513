import { hostname, networkInterfaces } from 'node:os'
import { isAddress } from './make-certificate.ts'

/** The names under which clients may reach a server that listens on `host`, for its certificate. */
export function serverNames(host: string, more: readonly string[]): readonly string[] {
  const names = ['localhost', '127.0.0.1', '::1', hostname().toLowerCase(), ...(isEverywhere(host) ? ownAddresses() : [host]), ...more]
  return [...new Set(names)].filter(name => isAddress(name) || dnsName.test(name))
}

const dnsName = /^(\*\.)?[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?)*$/i

/** Whether it means every address of the machine. */
export function isEverywhere(host: string): boolean {
  return host === '0.0.0.0' || host === '::'
}

function ownAddresses(): readonly string[] {
  const all = Object.values(networkInterfaces()).flatMap(addresses => addresses ?? [])
  // Link-local addresses come with a zone, which a certificate cannot name.
  return all.map(({ address }) => address).filter(address => !address.startsWith('fe80:'))
}
