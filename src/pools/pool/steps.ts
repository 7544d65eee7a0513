import type { ClusterPool } from '../../kinds/index.ts'
import { again, condition, next, record, report } from '../../control/index.ts'
import type { Step } from '../../control/index.ts'
import { labelsOf } from '../metrics.ts'
import { namespaceName } from '../names.ts'
import { forAll } from './all-settled.ts'
import { initialised } from './conditions.ts'
import { isReserved, misfitStatus, writeStatus } from './customization.ts'
import { type Dependencies, dependenciesOf, missingText } from './dependencies.ts'
import { removeCluster, setPower } from './effects.ts'
import { entriesOf, inventoryNames } from './inventory.ts'
import { inventoryCondition } from './inventory-condition.ts'
import { ledgerOf, ledgerStatus, release, type Reservation, reservations, reserve } from './ledger.ts'
import { isBehind, makeUnmade } from './make-unmade.ts'
import { type NameTrouble, noTrouble } from './name-trouble.ts'
import type { PoolPass } from './pool-pass.ts'
import { usableNames } from './usable-names.ts'

/** Milliseconds after which what is missing is looked for again. */
const lookAgain = 30_000

/** Milliseconds that memory is given to catch up with the store. */
const catchUp = 1_000

const suffixLength = 5

/** Every condition is there from the first moment on. */
export function initialise({ object }: PoolPass): Step<ClusterPool> {
  return initialised(object)
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
  const { object, plan, now } = pass
  countLostRaces(pass)
  const known = ledgerStatus(plan.ledger)
  if (plan.unmade.length === 0 && plan.add === 0) return report(known)
  const dependencies = await dependenciesOf(pass)
  pass.found.missing = dependencies.missing
  const { closed, isMore } = await makeUnmade(pass, dependencies)
  const base = closed.reduce((ledger, namespace) => release(ledger, namespace, inventoryNames(object)), plan.ledger)
  // What was given up is struck out before anything is decided anew.
  if (closed.length > 0) return record(ledgerStatus(base))
  if (dependencies.missing.length > 0)
    return [report(ledgerStatus(base)), dependenciesMissing(dependencies.missing), again(now + lookAgain)]
  const verified = condition('MissingDependencies', { status: 'False', reason: 'Verified', message: 'Dependencies verified' })
  // The clusters that were made call the pool again; the time is for the case that none could be.
  if (isMore) return [report(ledgerStatus(base)), verified, again(now + catchUp)]
  if (plan.add === 0) return [report(ledgerStatus(base)), verified]
  // Memory may be behind: while there is a cluster that it does not show, nothing more is decided.
  if (await isBehind(pass)) return [report(ledgerStatus(base)), verified, again(now + catchUp)]
  const { chosen, trouble } = await choose(pass, dependencies)
  pass.found.chosen = { count: chosen.length, trouble }
  await tellMisfits(pass, trouble)
  const checked = [verified, ...inventoryCondition(object, plan, trouble, pass.customizations)]
  if (chosen.length === 0) return [report(ledgerStatus(base)), ...checked, again(now + lookAgain)]
  for (const { namespace } of chosen) pass.proposed.set(namespace, pass.key)
  return [...checked, record(ledgerStatus(reserve(base, chosen)))]
}

/** What was to be reserved and is not in the ledger now was not written: somebody else was quicker. */
function countLostRaces({ object, key, proposed, metrics }: PoolPass): void {
  if (proposed.size === 0) return
  const written = new Set(reservations(ledgerOf(object)).map(({ namespace }) => namespace))
  for (const [namespace, pool] of proposed) {
    if (pool !== key || written.has(namespace)) continue
    proposed.delete(namespace)
    metrics.lostRaces.add(labelsOf(object))
  }
}

/** Has customizations say that their patches do not fit. */
async function tellMisfits({ object, customizations, store, now }: PoolPass, { brokenBySyntax }: NameTrouble): Promise<void> {
  await forAll(entriesOf(object) ?? [], async ({ name, customizationRef }) => {
    const [why, customization] = [brokenBySyntax[name], customizations.get(customizationRef?.name ?? '')]
    if (why === undefined || customization === undefined || isReserved(customization)) return
    const status = misfitStatus(customization, why, now)
    if (status.conditions !== customization.status?.conditions) await writeStatus(store, customization, status)
  })
}

function dependenciesMissing(missing: readonly string[]) {
  return condition('MissingDependencies', {
    status: 'True',
    reason: 'Missing',
    message: missingText(missing),
    then: 'clusters are made when all of it is there',
    unblock: 'create what is missing, in the namespace of the pool, and correct what cannot be used',
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
    return { chosen, trouble: noTrouble }
  }
  const { names, trouble } = await usableNames(pass, dependencies, plan.add)
  const nameless = new Set(entriesOf(object)?.flatMap(({ name, generateName }) => (generateName === true ? [name] : [])))
  return { chosen: names.map(name => ({ name, namespace: namespace(nameless.has(name) ? object.metadata.name : name) })), trouble }
}

/** Has as many unclaimed clusters run as are wanted, and as many more as claims wait; the oldest first. */
export async function powerClusters({ plan, store }: PoolPass): Promise<Step<ClusterPool>> {
  await forAll(plan.running, cluster => setPower(store, cluster, 'Running'))
  await forAll(plan.hibernating, cluster => setPower(store, cluster, 'Hibernating'))
  return next
}
