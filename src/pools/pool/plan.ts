import type { ClusterClaim, ClusterDeployment, ClusterPool } from '../../kinds/index.ts'
import { type Buckets, bucketsOf, protectionOf } from './buckets.ts'
import { isAnothers, isFree } from './customization.ts'
import {
  bounds,
  clusterNameOf,
  type Customizations,
  entriesOf,
  entryFinder,
  type EntryOf,
  inOrderOfTrust,
  inventoryNames,
  lastUse,
  quarantinedUntil,
} from './inventory.ts'
import { isTaken, ledgerOf, type Ledger, type Reservation, reservations, strangers, synced } from './ledger.ts'
import { linksOf } from './links.ts'
import { toldTrouble } from './told-trouble.ts'

/** Everything that decides what is done about a pool, as it is at one moment. */
export interface PoolView {
  readonly pool: ClusterPool
  readonly version: string
  readonly now: number
  /** All clusters of the pool, in whatever state. */
  readonly clusters: readonly ClusterDeployment[]
  /** All claims on the pool. */
  readonly claims: readonly ClusterClaim[]
  /** Who else has a name, so that this pool must not use it. */
  readonly holderOf: (name: string) => string | undefined
  /** Living clusters that the ledger does not know, and that are certainly there. */
  readonly adopted: readonly ClusterDeployment[]
  /** The customizations that entries of the inventory name. */
  readonly customizations: Customizations
}

/** A cluster that is to go, and why. */
export interface Removal {
  readonly cluster: ClusterDeployment
  readonly why: 'marked' | 'left the inventory' | 'broken' | 'excess' | 'stale'
}

/** What is to be done about a pool. */
export interface Plan {
  readonly buckets: Buckets
  readonly ledger: Ledger
  /** Reservations of the status for which there is no cluster yet. */
  readonly unmade: readonly Reservation[]
  /** Reserved, but more than the pool wants by now. */
  readonly unwanted: readonly Reservation[]
  /** Clusters that claims get now, or were told that they get. */
  readonly given: ReadonlySet<ClusterDeployment>
  /** Claims that stay without a cluster. */
  readonly pending: readonly ClusterClaim[]
  readonly removals: readonly Removal[]
  /** How many clusters to add, and the names to do it with, best first; undefined: names are generated. */
  readonly add: number
  readonly freeNames: readonly string[] | undefined
  readonly capacity: number
  /** How many more installations and removals may begin. */
  readonly room: number
  /** Unclaimed clusters after this pass, less what the pool wants; below zero: too few. */
  readonly drift: number
  readonly running: readonly ClusterDeployment[]
  readonly hibernating: readonly ClusterDeployment[]
  /** How many clusters that are still to be made should run. */
  readonly runningToMake: number
  /** Names of the inventory that somebody else has, and those that two clusters of the pool have. */
  readonly conflicts: readonly string[]
  readonly duplicates: readonly string[]
}

/** Decides what is done about a pool. Pure: the same view gives the same plan. */
export function planPool(view: PoolView): Plan {
  const { pool, version, now, clusters, claims } = view
  const buckets = bucketsOf(clusters, pool, version, now)
  const names = inventoryNames(pool)
  const entryOf = entryFinder(pool)
  const ledger = synced(ledgerOf(pool), names, view.adopted, entryOf)
  const made = new Set(clusters.map(({ metadata }) => metadata.name))
  const unmade = reservations(ledger).filter(({ namespace }) => !made.has(namespace))

  // Who gives clusters to claims goes by the same function: what it has given, or will, is no longer the pool's.
  const { toClaim, assignments, pending } = linksOf(clusters, claims, buckets.assignable)
  const given = new Set([...toClaim, ...assignments].map(({ cluster }) => cluster))

  const { size, max } = bounds(pool)
  const capacity = max - clusters.length - unmade.length
  const { maxConcurrent = Number.POSITIVE_INFINITY } = pool.spec
  let room = Math.max(0, maxConcurrent - buckets.installing.length - buckets.deleting.length - unmade.length)

  const removals: Removal[] = []
  const removeSome = (why: Removal['why'], chosen: readonly ClusterDeployment[], most = Number.POSITIVE_INFINITY) => {
    const within = chosen.filter(cluster => protectionOf(cluster) === undefined).slice(0, Math.min(room, most))
    removals.push(...within.map(cluster => ({ cluster, why })))
    room -= within.length
  }
  removeSome('marked', buckets.marked)
  const leaving = buckets.unassigned.filter(cluster => !given.has(cluster) && hasLeft(entryOf(cluster), names))
  removeSome('left the inventory', leaving)

  const gone = () => new Set(removals.map(({ cluster }) => cluster))
  const leavers = new Set(leaving)
  // What leaves the inventory is on its way out even while it must wait for its turn: it never counts, nor is it chosen again.
  const unassigned = buckets.unassigned.filter(cluster => !given.has(cluster) && !leavers.has(cluster))
  const drift = unassigned.length + unmade.length - size - pending.length
  const broken = buckets.broken.filter(cluster => unassigned.includes(cluster) && protectionOf(cluster) === undefined)
  const free = freeNames(view, ledger, entryOf)
  const possible = Math.min(capacity, free?.length ?? Number.POSITIVE_INFINITY)
  const isAdding = drift < 0 && possible > 0

  let add = 0
  if (room > 0) {
    // While no free name can be used, the names of broken clusters are all that there is to try.
    if (isAdding && free?.every(isInTrouble(view)) === true) removeSome('broken', broken)
    if (isAdding) add = Math.min(-drift, possible, room)
    else if (broken.length > 0) removeSome('broken', broken)
    else if (drift > unmade.length) removeSome('excess', excess(buckets, unassigned), drift - unmade.length)
    else if (drift === 0 && buckets.installing.length === 0 && unmade.length === 0) removeSome('stale', stale(buckets, unassigned), 1)
  }

  const removed = gone()
  const powered = unassigned.filter(cluster => !removed.has(cluster) && !buckets.broken.includes(cluster))
  const toRun = (pool.spec.runningCount ?? 0) + pending.length
  return {
    buckets,
    ledger,
    unmade,
    unwanted: unmade.slice(Math.max(0, unmade.length - Math.max(0, drift))),
    given,
    pending,
    removals,
    add,
    freeNames: free,
    capacity,
    room,
    drift,
    running: powered.slice(0, toRun),
    hibernating: powered.slice(toRun),
    runningToMake: Math.max(0, toRun - powered.length),
    conflicts: conflictsOf(view),
    duplicates: duplicatesOf(
      clusters.flatMap(cluster => entryOf(cluster) ?? []),
      names,
    ),
  }
}

/** Clusters that the ledger of a pool should know and does not. Whoever finds any makes sure that they are there. */
export function unknownClusters({ pool, clusters }: Pick<PoolView, 'pool' | 'clusters'>): readonly ClusterDeployment[] {
  return strangers(ledgerOf(pool), clusters)
}

function hasLeft(entry: string | undefined, names: readonly string[] | undefined): boolean {
  return names !== undefined && entry !== undefined && !names.includes(entry)
}

/** Says of a name whether an earlier pass found that it cannot be used. */
function isInTrouble({ pool, customizations }: PoolView): (name: string) => boolean {
  const { missing, brokenBySyntax, unresolved } = toldTrouble(pool, customizations)
  return name => missing.includes(name) || Object.hasOwn(brokenBySyntax, name) || Object.hasOwn(unresolved, name)
}

/** Entries whose name or customization somebody else has. */
function conflictsOf({ pool, customizations, holderOf }: PoolView): readonly string[] {
  const others = (entriesOf(pool) ?? []).filter(entry => {
    const clusterName = clusterNameOf(entry, customizations)
    const customization = customizations.get(entry.customizationRef?.name ?? '')
    return (
      (clusterName !== undefined && holderOf(clusterName) !== undefined) || (customization !== undefined && isAnothers(customization, pool))
    )
  })
  return others.map(({ name }) => name)
}

/** Entries that more than one cluster was made from: by hand, or by a backup that was restored beside what it was taken of. */
function duplicatesOf(used: readonly string[], names: readonly string[] = []): readonly string[] {
  return names.filter(name => used.indexOf(name) !== used.lastIndexOf(name))
}

/** The newest that are being installed, then the oldest that do not run, then the oldest that do. */
function excess(buckets: Buckets, among: readonly ClusterDeployment[]): readonly ClusterDeployment[] {
  const order = [...buckets.installing.toReversed(), ...buckets.standby, ...buckets.assignable]
  return order.filter(cluster => among.includes(cluster))
}

function stale(buckets: Buckets, among: readonly ClusterDeployment[]): readonly ClusterDeployment[] {
  return [...buckets.unknownVersion, ...buckets.otherVersion].filter(cluster => among.includes(cluster))
}

/** The names that can be used now, best first; undefined without an inventory. */
function freeNames(view: PoolView, ledger: Ledger, entryOf: EntryOf): readonly string[] | undefined {
  const { pool, clusters, now, holderOf, customizations } = view
  const entries = entriesOf(pool)
  if (entries === undefined) return undefined
  const taken = new Set(clusters.map(entryOf))
  const inUse = new Set(clusters.map(({ spec }) => spec.clusterName))
  const results = new Map(entries.map(entry => [entry.name, lastUse(entry, pool, customizations)]))
  const free = entries.filter(entry => {
    const { name, disabled, customizationRef } = entry
    const clusterName = clusterNameOf(entry, customizations)
    const customization = customizations.get(customizationRef?.name ?? '')
    return (
      disabled !== true &&
      !isTaken(ledger, name) &&
      !taken.has(name) &&
      (clusterName === undefined || (!inUse.has(clusterName) && holderOf(clusterName) === undefined)) &&
      (customization === undefined || isFree(customization, pool, clusters)) &&
      quarantinedUntil(results.get(name), pool, now) === undefined
    )
  })
  return inOrderOfTrust(
    free.map(({ name }) => name),
    name => results.get(name),
  )
}
