import { ClusterDeployment, ClusterPool } from '../../kinds/index.ts'
import { again, condition, done, findCondition, isBeingDeleted, next, record, report } from '../../control/index.ts'
import type { Step } from '../../control/index.ts'
import { PatchNotApplicable } from '../errors.ts'
import { labelsOf } from '../metrics.ts'
import { namespaceName, poolNameLabel, poolNamespaceLabel } from '../names.ts'
import { forAll } from './all-settled.ts'
import { brokenFrom } from './broken.ts'
import { capacityCondition, currentCondition, filledCondition, initialised, inventoryCondition } from './conditions.ts'
import { type Dependencies, dependenciesOf, find, missingText } from './dependencies.ts'
import { claimCluster, removeCluster, setPower, tellClaim } from './effects.ts'
import { bounds, entriesOf, quarantinedUntil } from './inventory.ts'
import { ledgerOf, ledgerStatus, release, type Reservation, reservations, reserve } from './ledger.ts'
import { makeCluster } from './make-cluster.ts'
import { nameResults } from './name-results.ts'
import { repairsOf } from './plan.ts'
import type { PoolPass } from './pool-pass.ts'
import { type NameTrouble, usableNames } from './usable-names.ts'
import { waitedSeconds } from './waited.ts'

/** Milliseconds after which what is missing is looked for again. */
const lookAgain = 30_000

/** Milliseconds that memory is given to catch up with the store. */
const catchUp = 1_000

const suffixLength = 5

/** A crash may have left a claim and its cluster of two minds. Everything else waits until they agree. */
export async function repairLinks({ clusters, object, claims, store, now }: PoolPass): Promise<Step<ClusterPool>> {
  const { toClaim, toTell } = repairsOf(clusters, claims)
  if (toClaim.length + toTell.length === 0) return initialised(object)
  await forAll(toClaim, ({ claim, cluster }) => claimCluster(store, cluster, claim, now))
  await forAll(toTell, ({ claim, cluster }) => tellClaim(store, claim, cluster))
  return [...initialised(object), again(now), done]
}

/** Gives the oldest claims the oldest clusters that run. The claim is told first: it decides if two race. */
export async function assignClaims({ object, plan, store, now, metrics }: PoolPass): Promise<Step<ClusterPool>> {
  await forAll(plan.assignments, async ({ claim, cluster }) => {
    await tellClaim(store, claim, cluster)
    await claimCluster(store, cluster, claim, now)
    metrics.assignmentDelay.observe(labelsOf(object), waitedSeconds(claim, now))
  })
  return next
}

/** Removes what was asked for, what left the inventory, and then one of: broken ones, too many, one that is stale. */
export async function removeClusters({ object, plan, store, metrics, event }: PoolPass): Promise<Step<ClusterPool>> {
  await forAll(plan.removals, async ({ cluster, why }) => {
    await removeCluster(store, cluster)
    event('Normal', 'Removing', `ClusterDeployment/${cluster.metadata.namespace}/${cluster.metadata.name} is removed: ${why}`)
    if (why === 'stale') metrics.staleRemoved.add(labelsOf(object))
  })
  return next
}

/** Makes the clusters that were decided on, then decides on more. Nothing is made that is not in the ledger. */
export async function addClusters(pass: PoolPass): Promise<Step<ClusterPool>> {
  const { object, plan, store, now } = pass
  const known = ledgerStatus(plan.ledger)
  if (plan.unmade.length === 0 && plan.add === 0) return report(known)
  const dependencies = await dependenciesOf(object, store)
  const closed = await makeUnmade(pass, dependencies)
  const base = closed.reduce((ledger, namespace) => release(ledger, namespace, namesOf(object)), plan.ledger)
  // What was given up is struck out before anything is decided anew.
  if (closed.length > 0) return record(ledgerStatus(base))
  if (dependencies.missing.length > 0)
    return [report(ledgerStatus(base)), dependenciesMissing(dependencies.missing), again(now + lookAgain)]
  const verified = condition('MissingDependencies', { status: 'False', reason: 'Verified', message: 'Dependencies verified' })
  if (plan.add === 0) return [report(ledgerStatus(base)), verified]
  // Memory may be behind: while there is a cluster that it does not show, nothing more is decided.
  if (await isBehind(pass)) return [report(ledgerStatus(base)), verified, again(now + catchUp)]
  const { chosen, trouble } = await choose(pass, dependencies)
  const checked = [verified, ...inventoryCondition(object, plan, trouble)]
  if (chosen.length === 0) return [report(ledgerStatus(base)), ...checked, again(now + lookAgain)]
  for (const { namespace } of chosen) pass.proposed.add(namespace)
  return [...checked, record(ledgerStatus(reserve(base, chosen)))]
}

function namesOf(pool: ClusterPool): readonly string[] | undefined {
  return entriesOf(pool)?.map(({ name }) => name)
}

function dependenciesMissing(missing: readonly string[]) {
  return condition('MissingDependencies', {
    status: 'True',
    reason: 'Missing',
    message: missingText(missing),
    then: 'clusters are made when all of it is there',
    unblock: 'create what is missing, in the namespace of the pool',
  })
}

async function choose(
  pass: PoolPass,
  dependencies: Dependencies,
): Promise<{ readonly chosen: readonly Reservation[]; readonly trouble: NameTrouble }> {
  const { object, plan, chance } = pass
  const namespace = (base: string) => namespaceName(base, chance.suffix(suffixLength))
  if (plan.freeNames === undefined) {
    const chosen = Array.from({ length: plan.add }, () => ({ namespace: namespace(object.metadata.name) }))
    return { chosen, trouble: { missing: [], brokenBySyntax: [], unresolved: {} } }
  }
  const { names, trouble } = await usableNames(pass, dependencies, plan.add)
  return { chosen: names.map(name => ({ name, namespace: namespace(name) })), trouble }
}

/** Makes clusters that are in the ledger and not there yet. Gives those whose namespace is closed for ever. */
async function makeUnmade(pass: PoolPass, dependencies: Dependencies): Promise<readonly string[]> {
  const { object, plan, version, store, proposed, metrics, log } = pass
  const stored = new Set(reservations(ledgerOf(object)).map(({ namespace }) => namespace))
  const closed: string[] = []
  // Those that will run are made first; places are counted from the front.
  const orders = plan.unmade
    .filter(({ namespace }) => stored.has(namespace))
    .map((reservation, index) => ({
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
    try {
      const made = await makeCluster({ pool: object, version, reservation, dependencies, powerState, unwanted }, store)
      proposed.delete(namespace)
      if (made === 'closed') closed.push(namespace)
    } catch (error) {
      if (!PatchNotApplicable.is(error)) throw error
      log.warn('a cluster cannot be made', { namespace, error })
    }
  })
  return closed
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

/** Whether the store has a cluster of the pool that memory does not show yet. */
async function isBehind({ object, clusters, store }: PoolPass): Promise<boolean> {
  const { namespace, name } = object.metadata
  const { items } = await store.list(ClusterDeployment, { labelSelector: `${poolNamespaceLabel}=${namespace},${poolNameLabel}=${name}` })
  const shown = new Set(clusters.map(({ metadata }) => metadata.uid))
  return items.some(({ object: cluster }) => !shown.has(cluster.metadata.uid))
}

/** Has as many unclaimed clusters run as are wanted, and as many more as claims wait; the oldest first. */
export async function powerClusters({ plan, store }: PoolPass): Promise<Step<ClusterPool>> {
  await forAll(plan.running, cluster => setPower(store, cluster, 'Running'))
  await forAll(plan.hibernating, cluster => setPower(store, cluster, 'Hibernating'))
  return next
}

/** Sums up what the pass saw. */
export function reportPool(pass: PoolPass): Step<ClusterPool> {
  const { object, plan, now, metrics, clusters } = pass
  const { buckets, ledger, freeNames } = plan
  const results = nameResults(object, clusters)
  const pool: ClusterPool = { ...object, status: { ...object.status, ...(results === undefined ? {} : { nameResults: results }) } }
  metrics.show(object, plan, now)
  const missing = findCondition(object, 'MissingDependencies')
  const lacking = missing?.status === 'True' && plan.drift < 0 ? [missing.message] : []
  return [
    report({
      size: buckets.unassigned.length,
      standby: buckets.standby.length,
      ready: buckets.assignable.length,
      nameResults: results,
      inventory: freeNames === undefined ? undefined : inventoryNumbers(pool, ledger.usage, freeNames.length),
    }),
    capacityCondition(pool, plan),
    ...(plan.add > 0 ? [] : inventoryCondition(pool, plan, lastTrouble(object))),
    currentCondition(plan),
    filledCondition(pool, plan, lacking, now),
    ...wakeUps(pass),
  ]
}

function inventoryNumbers(pool: ClusterPool, usage: Readonly<Record<string, string | null>>, free: number) {
  const entries = entriesOf(pool) ?? []
  const broken = entries.filter(({ name }) => pool.status?.nameResults?.[name]?.result === 'Failed').length
  const reserved = Object.values(usage).filter(namespace => namespace !== null).length
  return { total: entries.length, free, reserved, broken }
}

/** What an earlier pass found out about names; it is found out anew when names are chosen. */
function lastTrouble(pool: ClusterPool): NameTrouble {
  const told = findCondition(pool, 'InventoryValid')
  if (told?.reason !== 'Invalid') return { missing: [], brokenBySyntax: [], unresolved: {} }
  const lists = JSON.parse(told.message) as { Missing?: string[]; BrokenBySyntax?: string[]; Unresolved?: Record<string, string[]> }
  const listed = new Set(namesOf(pool))
  const among = (names: readonly string[] = []) => names.filter(name => listed.has(name))
  const unresolved = Object.fromEntries(Object.entries(lists.Unresolved ?? {}).filter(([name]) => listed.has(name)))
  return { missing: among(lists.Missing), brokenBySyntax: among(lists.BrokenBySyntax), unresolved }
}

/** Times at which the pool looks different without anything having happened. */
function wakeUps({ object, plan, now }: PoolPass) {
  const timeouts = plan.buckets.unassigned.map(cluster => brokenFrom(cluster, object))
  const names = bounds(object).size > 0 ? (namesOf(object) ?? []) : []
  const quarantines = names.map(name => quarantinedUntil(name, object, now) ?? Number.POSITIVE_INFINITY)
  const first = Math.min(...[...timeouts, ...quarantines].filter(time => time > now))
  return Number.isFinite(first) ? [again(first)] : []
}
