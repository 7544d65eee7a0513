import { ClusterDeployment, ClusterPool } from '../../kinds/index.ts'
import { isBeingDeleted } from '../../control/index.ts'
import { PatchNotApplicable } from '../errors.ts'
import { find } from '../find.ts'
import { labelsOf } from '../metrics.ts'
import { poolNameLabel, poolNamespaceLabel } from '../names.ts'
import { forAll } from './all-settled.ts'
import { takeCustomization } from './customization.ts'
import type { Dependencies } from './dependencies.ts'
import { entriesOf } from './inventory.ts'
import { ledgerOf, reservations } from './ledger.ts'
import { makeCluster, nameOf } from './make-cluster.ts'
import { reservedName } from './name-holders.ts'
import type { PoolPass } from './pool-pass.ts'

/** Clusters that are made in one pass at most, so that claims do not have to wait until all of a large pool are made. */
const mostInOnePass = 16

/** What came of making clusters. */
interface Making {
  /** Those whose namespace is closed for ever. */
  readonly closed: readonly string[]
  /** Whether there are more to make, for which another pass is needed. */
  readonly isMore: boolean
}

/** Makes clusters that are in the ledger and not there yet. */
export async function makeUnmade(pass: PoolPass, dependencies: Dependencies): Promise<Making> {
  const { object, plan, version, customizations, store, proposed, metrics, log, now } = pass
  const stored = new Set(reservations(ledgerOf(object)).map(({ namespace }) => namespace))
  const closed: string[] = []
  const entries = new Map(entriesOf(object)?.map(entry => [entry.name, entry]))
  // Those that will run are made first; places are counted from the front.
  const unmade = plan.unmade.filter(({ namespace }) => stored.has(namespace))
  if (unmade.length === 0) return { closed: [], isMore: false }
  const orders = unmade.slice(0, mostInOnePass).map((reservation, index) => ({
    reservation,
    powerState: index < plan.runningToMake ? ('Running' as const) : ('Hibernating' as const),
  }))
  const open = await stillOpen(
    pass,
    orders.map(({ reservation }) => reservation.namespace),
  )
  await forAll(orders, async ({ reservation, powerState }) => {
    const { namespace } = reservation
    const unwanted = plan.unwanted.includes(reservation)
    if (dependencies.missing.length > 0 && !unwanted) return
    if (!open.has(namespace)) return
    if (!proposed.has(namespace)) metrics.recovered.add(labelsOf(object))
    const entry = entries.get(reservation.name ?? '')
    const ref = unwanted ? undefined : entry?.customizationRef?.name
    const customization = ref === undefined ? undefined : await takeCustomization(store, object, ref, namespace, now)
    // Another pool was quicker, or it is gone: the place is given up, and another entry is tried.
    if (ref !== undefined && customization === undefined) return void closed.push(namespace)
    const order = { pool: object, version, reservation, entry, customization, dependencies, powerState, unwanted }
    // The customization was changed a moment ago: whether somebody else has the new name is known when memory shows it.
    if (!unwanted && nameOf(order) !== reservedName(reservation, entry, customizations)) return
    const made = await makeCluster(order, store).catch(error => {
      if (!PatchNotApplicable.is(error)) throw error
      // It did fit when the name was chosen, and somebody else may be making it from that: the place is not struck out, but given up in an
      // orderly way. Whoever chooses anew tells what does not fit.
      log.warn('a cluster cannot be made', { namespace, error })
      return makeCluster({ ...order, unwanted: true }, store)
    })
    proposed.delete(namespace)
    if (made === 'closed') closed.push(namespace)
  })
  return { closed, isMore: unmade.length > mostInOnePass }
}

/**
 * The reservations that still hold, asked of the store itself: first for the clusters, then for the pool. A cluster that was there once
 * and is gone has left the ledger before, so one that is still in it was never made.
 */
async function stillOpen({ object, store }: PoolPass, namespaces: readonly string[]): Promise<ReadonlySet<string>> {
  const made = new Set<string>()
  await forAll(namespaces, async namespace => {
    if ((await find(store, ClusterDeployment, namespace, namespace)) !== undefined) made.add(namespace)
  })
  const { namespace: home, name } = object.metadata
  const pool = await find(store, ClusterPool, home, name)
  if (pool === undefined || isBeingDeleted(pool)) return new Set()
  const held = new Set(reservations(ledgerOf(pool)).map(({ namespace }) => namespace))
  return new Set(namespaces.filter(namespace => held.has(namespace) && !made.has(namespace)))
}

/**
 * Whether the store has a cluster of the pool that memory does not show yet. What is in the ledger counts whether memory shows it or
 * not, so this matters only while the ledger knows nothing: it may have been lost. Asking costs as much as there are clusters anywhere.
 */
export async function isBehind({ object, clusters, store }: PoolPass): Promise<boolean> {
  if (reservations(ledgerOf(object)).length > 0) return false
  const { namespace, name } = object.metadata
  const { items } = await store.list(ClusterDeployment, { labelSelector: `${poolNamespaceLabel}=${namespace},${poolNameLabel}=${name}` })
  const shown = new Set(clusters.map(({ metadata }) => metadata.uid))
  return items.some(({ object: cluster }) => !shown.has(cluster.metadata.uid))
}
