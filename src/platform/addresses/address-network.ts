import { AddressNetworkNotValid } from '../errors.ts'
import type { GuestAddress } from '../platform.ts'
import { firstOfBlock, formatIpv4, parseIpv4, prefixOfMask, sizeOfPrefix } from './ipv4.ts'

/** A network as it stands in a configuration. */
export interface NetworkRanges {
  readonly name: string
  /** Blocks that addresses are taken from, in this order: `10.0.0.0/28,10.0.1.64/26`. */
  readonly ranges: string
  /** Default 255.255.255.0. */
  readonly subnetMask?: string
  readonly gateway?: string
  readonly dns?: readonly string[]
}

interface Block {
  readonly first: number
  readonly size: number
}

/** A network whose addresses are given to guests. */
export interface AddressNetwork {
  readonly name: string
  /** As the configuration has them. */
  readonly ranges: string
  /** How many addresses a guest may have: as many as `usable` yields, counted without walking the ranges. */
  readonly size: number
  /** The addresses that a guest may have, each once, in the order of the ranges; beginning with the one at that place, and round. */
  usable(from?: number): Iterable<string>
  contains(address: string): boolean
  /** Whether a guest may have the address: it is in the ranges, and `whyNot` has nothing against it. */
  isUsable(address: string): boolean
  /** Why no guest may have an address of the ranges; undefined if one may. */
  whyNot(address: string): string | undefined
  /** How a guest is told to use an address. */
  settings(address: string): GuestAddress & { readonly kind: 'static' }
}

/**
 * Reads a network's settings. A guest may have every address of the ranges but the gateway, the name servers, and the first and
 * last of its subnet. It is the mask that says which these are, not the ranges: a range may be any part of a subnet.
 */
export function addressNetwork(given: NetworkRanges): AddressNetwork {
  const { name, subnetMask = '255.255.255.0', gateway = '', dns = [] } = given
  const prefix = prefixOfMask(subnetMask)
  if (prefix === undefined) throw problem(name, 'subnetMask', `"${subnetMask}" is not a subnet mask`, 'write it as 255.255.255.0')
  for (const [field, address] of [['gateway', gateway] as const, ...dns.map(each => ['dns', each] as const)]) {
    if (address !== '' && parseIpv4(address) === undefined)
      throw problem(name, field, `"${address}" is not an IPv4 address`, 'write it as 10.0.0.1')
  }
  const blocks = given.ranges.split(',').map(text => parseBlock(name, text.trim()))
  const reserved = new Map<number, string>([
    ...dns.map(each => [parseIpv4(each) ?? -1, 'it is a name server'] as const),
    [gateway === '' ? -1 : (parseIpv4(gateway) ?? -1), 'it is the gateway'],
  ])
  const reasonFor = (number: number): string | undefined => {
    const known = reserved.get(number)
    if (known !== undefined || !isSubnetEnd(number, prefix)) return known
    return number === firstOfBlock(number, prefix) ? 'it is the address of its subnet' : 'it is the broadcast address of its subnet'
  }
  const contains = (number: number) => blocks.some(block => inBlock(number, block))
  const isHost = (number: number) => contains(number) && !isSubnetEnd(number, prefix)
  return Object.freeze({
    name,
    ranges: given.ranges,
    size: hostCount(outerBlocks(blocks), prefix) - [...reserved.keys()].filter(isHost).length,
    *usable(from = 0) {
      for (const [number, index] of round(blocks, from)) {
        const isRepeated = blocks.some((other, at) => at < index && inBlock(number, other))
        if (!isRepeated && reasonFor(number) === undefined) yield formatIpv4(number)
      }
    },
    contains: (address: string) => contains(parseIpv4(address) ?? -1),
    isUsable: (address: string) => {
      const number = parseIpv4(address) ?? -1
      return contains(number) && reasonFor(number) === undefined
    },
    whyNot: (address: string) => reasonFor(parseIpv4(address) ?? -1),
    settings: (address: string) => Object.freeze({ kind: 'static' as const, address, subnetMask, gateway, dns }),
  })
}

function parseBlock(network: string, text: string): Block {
  const [, address = '', bits = ''] = /^([^/]*)\/(\d{1,2})$/.exec(text) ?? []
  const number = parseIpv4(address)
  if (number === undefined || bits === '' || Number(bits) > 32) {
    throw problem(
      network,
      'iprange',
      `"${text}" is not a block of addresses`,
      'write blocks as 10.0.0.0/28, several with commas between them',
    )
  }
  if (Number(bits) < 8)
    throw problem(network, 'iprange', `"${text}" is larger than any network`, 'name the part that is meant, as 10.0.0.0/28')
  return { first: firstOfBlock(number, Number(bits)), size: sizeOfPrefix(Number(bits)) }
}

/** Every number of the blocks with the place of its block, beginning anywhere and going round once. */
function* round(blocks: readonly Block[], from: number): Iterable<readonly [number: number, block: number]> {
  const total = blocks.reduce((sum, { size }) => sum + size, 0)
  yield* between(blocks, from % total, total)
  yield* between(blocks, 0, from % total)
}

/** The numbers from one place to before another, counted through all blocks. */
function* between(blocks: readonly Block[], begin: number, end: number): Iterable<readonly [number: number, block: number]> {
  let before = 0
  for (const [index, { first, size }] of blocks.entries()) {
    const last = Math.min(size, end - before)
    for (let offset = Math.max(0, begin - before); offset < last; offset++) yield [first + offset, index]
    before += size
  }
}

function inBlock(number: number, { first, size }: Block): boolean {
  return number >= first && number < first + size
}

/** Whether it is the network or the broadcast address of its subnet. In a subnet of one or two addresses (RFC 3021) there is neither. */
function isSubnetEnd(number: number, prefix: number): boolean {
  const offset = number - firstOfBlock(number, prefix)
  return prefix < 31 && (offset === 0 || offset === sizeOfPrefix(prefix) - 1)
}

/** Blocks of this sort either hold each other or do not touch: those inside others are not counted twice. */
function outerBlocks(blocks: readonly Block[]): readonly Block[] {
  const isInside = (block: Block, index: number) => (other: Block, at: number) =>
    at !== index && inBlock(block.first, other) && (other.size > block.size || (other.size === block.size && at < index))
  return blocks.filter((block, index) => !blocks.some(isInside(block, index)))
}

/** How many addresses of the blocks are no ends of a subnet. A block is either a part of one subnet or a number of whole ones. */
function hostCount(blocks: readonly Block[], prefix: number): number {
  const ends = ({ first, size }: Block) => {
    const subnets = size / sizeOfPrefix(prefix)
    if (prefix < 31 && subnets >= 1) return 2 * subnets
    return new Set([first, first + size - 1].filter(number => isSubnetEnd(number, prefix))).size
  }
  return blocks.reduce((sum, block) => sum + block.size - ends(block), 0)
}

function problem(network: string, field: string, why: string, fix: string): Error {
  return AddressNetworkNotValid({ network, field, why, fix })
}
