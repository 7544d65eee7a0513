import { readFileSync } from 'node:fs'

/** A real program that tests use. Light ones are tried on every run, heavy ones only when they are asked for. */
export interface Peer {
  readonly name: string
  readonly version: string
  readonly weight: 'light' | 'heavy'
  /** What the machine must have, each explained in needs.ts. */
  readonly needs: readonly string[]
  /** The script, beside this table, whose `build` makes the peer. */
  readonly recipe: string
  /** The file that runs it, below the peer's folder. */
  readonly program: string
  /** How long the first set-up lasts, in words. */
  readonly takes: string
}

/** Test files that run together because they use the same peers. */
export interface Group {
  readonly name: string
  readonly about: string
  /** Test files, from the root of the repository. */
  readonly tests: readonly string[]
  readonly peers: readonly string[]
  /** Heavy by itself, whatever its peers are. */
  readonly heavy?: boolean
  /** It waits more than it computes, so it runs beside the groups that do not. */
  readonly mostlyWaits?: boolean
  /** How long it takes on two cores, without the set-up of its peers. */
  readonly seconds: number
}

/** `peers.json`: every peer and every group that uses them. */
export const table: { readonly peers: readonly Peer[]; readonly groups: readonly Group[] } = JSON.parse(
  readFileSync(new URL('peers.json', import.meta.url), 'utf8'),
)

/** The peer of that name in the table. */
export function findPeer(name: string): Peer {
  const peer = table.peers.find(entry => entry.name === name)
  if (peer === undefined)
    throw new Error(`no peer is called ${name}: test/peers/peers.json has ${table.peers.map(entry => entry.name).join(', ')}`)
  return peer
}

/** A group is as heavy as the heaviest peer it uses. */
export function isHeavy(group: Group): boolean {
  return group.heavy === true || group.peers.some(name => findPeer(name).weight === 'heavy')
}
