import type { ClusterDeployment, ClusterPool } from '../../kinds/index.ts'
import { isBeingDeleted } from '../../control/index.ts'
import type { StatusPatch } from '../../control/index.ts'
import type { EntryOf } from './inventory.ts'

type Clusters = readonly ClusterDeployment[]

/**
 * Which clusters a pool has, or has decided to make: written into its status, by compare-and-swap, before anything is made, and
 * struck out when a cluster is really gone. Whoever else works on the pool sees the entry or loses the race for it.
 */
export interface Ledger {
  /** For each name of the inventory the namespace of its cluster, or null. */
  readonly usage: Readonly<Record<string, string | null>>
  /** The namespaces of clusters with generated names. */
  readonly reserved: readonly string[]
}

/** A cluster that was decided on. */
export interface Reservation {
  readonly namespace: string
  /** The name of the inventory; absent if the name is generated. */
  readonly name?: string
}

/** The ledger as a pool's status has it. */
export function ledgerOf({ status }: ClusterPool): Ledger {
  return { usage: status?.clusterNameUsage ?? {}, reserved: status?.reserved ?? [] }
}

/** Whether a cluster has this name of the inventory, or is to get it. Any host name may be one, `constructor` too. */
export function isTaken({ usage }: Pick<Ledger, 'usage'>, name: string): boolean {
  return Object.hasOwn(usage, name) && usage[name] !== null
}

/** Every cluster that the ledger knows. */
export function reservations({ usage, reserved }: Ledger): readonly Reservation[] {
  const named = Object.entries(usage).flatMap(([name, namespace]) => (namespace === null ? [] : [{ name, namespace }]))
  return [...named, ...reserved.map(namespace => ({ namespace }))]
}

/**
 * The living clusters that the ledger does not know: it was lost, or somebody restored a backup. One that is being deleted is left
 * out, because its entry may just have been struck out for good.
 */
export function strangers(ledger: Ledger, clusters: Clusters): Clusters {
  const known = new Set(reservations(ledger).map(({ namespace }) => namespace))
  return clusters.filter(cluster => !isBeingDeleted(cluster) && !known.has(cluster.metadata.name))
}

/**
 * The ledger with strangers taken in and with exactly the keys that it should have: those of the inventory, and those in use. A name
 * that is in use by another cluster keeps that one.
 */
export function synced(ledger: Ledger, names: readonly string[] | undefined, adopted: Clusters, entryOf: EntryOf): Ledger {
  const usage: Record<string, string | null> = {}
  for (const name of names ?? []) usage[name] = null
  for (const [name, namespace] of Object.entries(ledger.usage)) if (namespace !== null) usage[name] = namespace
  const reserved = [...ledger.reserved]
  for (const cluster of adopted) {
    const entry = entryOf(cluster)
    if (entry === undefined) reserved.push(cluster.metadata.name)
    else if (!isTaken({ usage }, entry)) usage[entry] = cluster.metadata.name
  }
  return { usage, reserved }
}

/** The ledger with further reservations. */
export function reserve({ usage, reserved }: Ledger, added: readonly Reservation[]): Ledger {
  const named = added.flatMap(({ name, namespace }) => (name === undefined ? [] : [[name, namespace] as const]))
  const generated = added.flatMap(({ name, namespace }) => (name === undefined ? [namespace] : []))
  return { usage: { ...usage, ...Object.fromEntries(named) }, reserved: [...reserved, ...generated] }
}

/** The ledger without a cluster that is gone. The very same ledger if it was not in it. */
export function release(ledger: Ledger, namespace: string, names: readonly string[] | undefined): Ledger {
  const held = Object.entries(ledger.usage).find(([, holder]) => holder === namespace)
  if (held === undefined && !ledger.reserved.includes(namespace)) return ledger
  const usage = { ...ledger.usage }
  if (held !== undefined && names?.includes(held[0]) === true) usage[held[0]] = null
  else if (held !== undefined) delete usage[held[0]]
  return { usage, reserved: ledger.reserved.filter(one => one !== namespace) }
}

/** The ledger as it is written into the status; what would be empty is left out. */
export function ledgerStatus({ usage, reserved }: Ledger): StatusPatch<ClusterPool> {
  return {
    clusterNameUsage: Object.keys(usage).length === 0 ? undefined : usage,
    reserved: reserved.length === 0 ? undefined : reserved,
  }
}
