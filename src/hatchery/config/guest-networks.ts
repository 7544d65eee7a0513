import { type AddressNetwork, addressNetwork } from '../../platform/index.ts'
import { Failure } from '../../ports/index.ts'
import type { Found, Reading } from './reading.ts'
import type { Entry, Values } from './table.ts'
import type { vsphereKeys } from './keys.ts'

type Keys = Values<typeof vsphereKeys>
type NetworkEntry = Keys['networks'][number] extends Entry<infer S> ? Values<S> : never

interface Described {
  readonly found: Found
  readonly values: NetworkEntry
  readonly network: AddressNetwork
}

/** Where guests get their addresses from: the networks of the configuration, else the one of the older keys. */
export function guestNetworks(keys: Keys, reading: Reading): readonly AddressNetwork[] {
  const dns = keys.dns
    .split(',')
    .map(each => each.trim())
    .filter(each => each !== '')
  if (keys.networks.length === 0) return legacyNetwork(keys, dns, reading)
  for (const name of ['iprange', 'gateway'] as const) {
    if (keys[name] !== '') reading.warn(reading.at(name), 'is not used: networks takes its place', 'remove it')
  }
  const found: Described[] = []
  for (const { at, values } of keys.networks) {
    // What is missing was reported already.
    if (values.iprange === '' || values.gateway === '' || values.subnetMask === '') continue
    const place: Found = { value: undefined, at }
    const network = tryNetwork(values, dns, place, found, reading)
    if (network !== undefined) found.push({ found: place, values, network })
  }
  return found.map(each => each.network)
}

function legacyNetwork(keys: Keys, dns: readonly string[], reading: Reading): readonly AddressNetwork[] {
  if (keys.iprange === '') return []
  if (keys.gateway === '') {
    reading.warn(reading.at('gateway'), 'is missing: guests with addresses of iprange reach only their own subnet', 'add it')
  }
  const network = tryNetwork(keys, dns, reading.at(), [], reading)
  return network === undefined ? [] : [network]
}

function tryNetwork(
  { iprange, gateway, subnetMask }: NetworkEntry,
  dns: readonly string[],
  place: Found,
  others: readonly Described[],
  reading: Reading,
): AddressNetwork | undefined {
  try {
    const name = subnetName(gateway === '' ? iprange : gateway, subnetMask, others)
    const network = addressNetwork({ name, ranges: iprange, subnetMask, gateway, dns })
    checkGateway({ iprange, gateway, subnetMask }, place, reading)
    const blocks = (text: string) => text.split(',').map(block => block.trim().split('/')[0] ?? '')
    // Blocks of this sort either hold each other or do not touch, so an address of each is enough.
    const other = others.find(each => blocks(iprange).some(each.network.contains) || blocks(each.values.iprange).some(network.contains))
    if (other === undefined) return network
    const what = `overlaps with "${other.values.iprange}"`
    reading.problem({ ...place, at: [...place.at, 'iprange'] }, what, 'name each address in one network only')
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    const { field, why } = error.details as { field: string; why: string }
    const at = field === 'dns' ? reading.at('dns').at : [...place.at, field]
    reading.problem({ at }, why, error.fix)
  }
  return undefined
}

function checkGateway({ iprange, gateway, subnetMask }: NetworkEntry, { at }: Found, reading: Reading): void {
  const isAstray = (block: string) => gateway !== '' && subnetOf(block, subnetMask) !== subnetOf(gateway, subnetMask)
  const astray = iprange.split(',').find(isAstray)
  if (astray === undefined) return
  const what = `is in another subnet (${subnetMask}) than ${astray.trim()}: guests with such an address do not reach it`
  reading.warn({ at: [...at, 'gateway'] }, what, 'correct gateway or subnetMask, or give each subnet an entry of networks')
}

/** What the network is called: its subnet, which stays the same when ranges are added or put in another order. */
function subnetName(address: string, mask: string, others: readonly Described[]): string {
  const name = subnetOf(address, mask)
  const same = others.filter(({ network }) => network.name === name || network.name.startsWith(`${name}#`)).length
  return same === 0 ? name : `${name}#${same + 1}`
}

function subnetOf(address: string, mask: string): string {
  const parts = (text: string) => text.trim().split(/[./]/).slice(0, 4).map(Number)
  const bits = parts(mask)
  return parts(address)
    .map((part, index) => part & (bits[index] ?? 0))
    .join('.')
}
