import type { ClusterClaim, ClusterDeployment, ClusterPool } from '../../kinds/index.ts'
import { type Bounds, boundsOf } from './bounds.ts'
import { type Buckets, bucketsOf, protectionOf } from './buckets.ts'
import { conflictsOf, duplicatesOf } from './clashes.ts'
import { freeNames } from './free-names.ts'
import { type Customizations, entriesOf, entryFinder, inventoryNames } from './inventory.ts'
import { ledgerOf, type Ledger, type Reservation, reservations, strangers, synced } from './ledger.ts'
import { linksOf } from './links.ts'
import { nameHolders, type NameHolders, reservedName } from './name-holders.ts'
import { isInTrouble } from './told-trouble.ts'

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
  readonly bounds: Bounds
  /** Reservations of the status for which there is no cluster yet. */
  readonly unmade: readonly Reservation[]
  /** Those of them that the pool cannot use, or does not want any more. */
  readonly unwanted: readonly Reservation[]
  /** Clusters that claims get now, or were told that they get. */
  readonly given: ReadonlySet<ClusterDeployment>
  /** Claims that stay without a cluster. */
  readonly pending: readonly ClusterClaim[]
  readonly removals: readonly Removal[]
  /** Unclaimed clusters whose entry is not in the inventory any more: they go, when it is their turn and nothing protects them. */
  readonly leaving: readonly ClusterDeployment[]
  /** How many clusters have no name of the inventory, if there is one. */
  readonly outside: number
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
  /** Entries whose name somebody else has, and those whose name another cluster or entry of the pool has. */
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

  const bounds = boundsOf(pool, ledger)
  const holders = nameHolders(view, unmade, entryOf)
  const unusable = unmade.filter(isUnusable(view, holders))
  const coming = unmade.filter(reservation => !unusable.includes(reservation))
  const capacity = bounds.max - clusters.length - unmade.length
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

  const leavers = new Set(leaving)
  // What leaves the inventory is on its way out even while it must wait for its turn: it never counts, nor is it chosen again.
  const unassigned = buckets.unassigned.filter(cluster => !given.has(cluster) && !leavers.has(cluster))
  const drift = unassigned.length + coming.length - bounds.size - pending.length
  const broken = buckets.broken.filter(cluster => unassigned.includes(cluster) && protectionOf(cluster) === undefined)
  const free = freeNames(view, ledger, entryOf, holders)
  const possible = Math.min(capacity, free?.length ?? Number.POSITIVE_INFINITY)
  const isAdding = drift < 0 && possible > 0
  // While nothing can be added, the names and the places of clusters that are there already are all that there is to try.
  const isTroubled = possible > 0 && free?.every(isInTrouble(view)) === true
  const isStuck = drift < 0 && (possible <= 0 || isTroubled)
  const isAtRest = buckets.installing.length === 0 && unmade.length === 0
  // One at a time, and never the one that a claim would get soon. A pool that is full is seen to lack the one that goes; in one that is
  // stuck the one that goes must be seen itself.
  const isQuiet = pending.length === 0 && buckets.deleting.length === 0 && removals.length === 0
  // A name in trouble under which all went well before is not to blame: the next would fare no better, and what runs is kept.
  const isCommon = isTroubled && free.some(name => pool.status?.nameResults?.[name]?.result === 'Succeeded')
  const mayRenew = isAtRest && (drift === 0 || (isStuck && isQuiet && !isCommon))

  let add = 0
  if (room > 0) {
    if (!isAdding || isStuck) {
      if (broken.length > 0) removeSome('broken', broken)
      else if (drift > coming.length) removeSome('excess', excess(buckets, unassigned), drift - coming.length)
      else if (mayRenew) removeSome('stale', stale(buckets, unassigned), 1)
    }
    if (isAdding) add = Math.min(-drift, possible, room)
  }

  const removed = new Set(removals.map(({ cluster }) => cluster))
  const powered = unassigned.filter(cluster => !removed.has(cluster) && !buckets.broken.includes(cluster))
  const toRun = (pool.spec.runningCount ?? 0) + pending.length
  return {
    buckets,
    ledger,
    bounds,
    unmade,
    unwanted: [...unusable, ...coming.slice(Math.max(0, coming.length - Math.max(0, drift)))],
    given,
    pending,
    removals,
    leaving,
    outside: names === undefined ? 0 : clusters.filter(cluster => !names.includes(entryOf(cluster) ?? '')).length,
    add,
    freeNames: free,
    capacity,
    room,
    drift,
    running: powered.slice(0, toRun),
    hibernating: powered.slice(toRun),
    runningToMake: Math.max(0, toRun - powered.length),
    conflicts: conflictsOf(view),
    duplicates: duplicatesOf(view, entryOf, holders),
  }
}

/** Clusters that the ledger of a pool should know and does not. Whoever finds any makes sure that they are there. */
export function unknownClusters({ pool, clusters }: Pick<PoolView, 'pool' | 'clusters'>): readonly ClusterDeployment[] {
  return strangers(ledgerOf(pool), clusters)
}

function hasLeft(entry: string | undefined, names: readonly string[] | undefined): boolean {
  return names !== undefined && entry !== undefined && !names.includes(entry)
}

/**
 * Says of a reservation whether nothing must come of it: its entry has left the inventory, or somebody else has the name, another
 * cluster of the pool or another pool. Two pools that got it at the same time cannot have seen each other before they wrote it down.
 * But memory that shows our own entry shows whatever was written before it: so at least the later of them gives way, and perhaps both;
 * then the older pool has it.
 */
function isUnusable({ pool, customizations, holderOf }: PoolView, holders: NameHolders): (reservation: Reservation) => boolean {
  const entries = new Map(entriesOf(pool)?.map(entry => [entry.name, entry]))
  return reservation => {
    const { name, namespace } = reservation
    if (name === undefined) return false
    const entry = entries.get(name)
    if (entry === undefined) return true
    const clusterName = reservedName(reservation, entry, customizations)
    return holders.get(clusterName)?.namespace !== namespace || holderOf(clusterName) !== undefined
  }
}

/** The newest that are being installed, then the oldest that do not run, then the oldest that do. */
function excess(buckets: Buckets, among: readonly ClusterDeployment[]): readonly ClusterDeployment[] {
  const order = [...buckets.installing.toReversed(), ...buckets.standby, ...buckets.assignable]
  return order.filter(cluster => among.includes(cluster))
}

function stale(buckets: Buckets, among: readonly ClusterDeployment[]): readonly ClusterDeployment[] {
  return [...buckets.unknownVersion, ...buckets.otherVersion].filter(cluster => among.includes(cluster))
}
