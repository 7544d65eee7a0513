import { isDeepStrictEqual } from 'node:util'
import { ClusterDeployment, ClusterDeploymentCustomization, ClusterPool } from '../../kinds/index.ts'
import { isBeingDeleted, next } from '../../control/index.ts'
import type { Step } from '../../control/index.ts'
import { forAll } from './all-settled.ts'
import { claimNameOf } from './buckets.ts'
import { applied, freeStatus, isAnothers, isReserved, poolFinalizerOf, reservedStatus, setHold, writeStatus } from './customization.ts'
import { entriesOf } from './inventory.ts'
import type { PoolPass } from './pool-pass.ts'

/**
 * Has each customization of the inventory say which cluster uses it and how that went, holds those that are listed or in use, and gives
 * back those that are not used any more.
 */
export async function keepCustomizations(pass: PoolPass): Promise<Step<ClusterPool>> {
  const { object: pool, store, now } = pass
  const concerned = concernedBy(pass)
  if (concerned.length === 0) return next
  const listed = new Set(isBeingDeleted(pool) ? [] : entriesOf(pool)?.map(({ customizationRef }) => customizationRef?.name))
  const finalizer = poolFinalizerOf(pool)
  await forAll(concerned, async customization => {
    const user = userOf(customization, pass)
    const isWanted = user !== undefined || listed.has(customization.metadata.name)
    const held = await setHold(store, customization, finalizer, isWanted && !(isBeingDeleted(customization) && user === undefined))
    if (held === undefined) return
    const status = isOrphaned(held, pass) ? freeStatus(held, now) : statusFor(held, user, pool, now)
    if (status !== undefined && !isDeepStrictEqual(status, held.status)) await writeStatus(store, held, status)
  })
  return next
}

/** Those that the pool lists, holds or uses. */
function concernedBy({ object: pool, read, customizations, key }: PoolPass): readonly ClusterDeploymentCustomization[] {
  const held = read(ClusterDeploymentCustomization).byIndex('byPool', key)
  const named = new Map([...customizations.values(), ...held].map(each => [each.metadata.name, each]))
  return [...named.values()].filter(({ metadata }) => metadata.namespace === pool.metadata.namespace)
}

/** Who uses a customization: a cluster, or one that is decided on. */
type User =
  | { readonly cluster: ClusterDeployment; readonly namespace: string }
  | { readonly cluster?: undefined; readonly namespace: string }

function userOf({ metadata: { name } }: ClusterDeploymentCustomization, { object: pool, clusters, plan }: PoolPass): User | undefined {
  const users = clusters.filter(({ spec }) => spec.clusterPoolRef?.clusterDeploymentCustomization?.name === name)
  const cluster = users.find(each => !isBeingDeleted(each)) ?? users[0]
  if (cluster !== undefined) return { cluster, namespace: cluster.metadata.name }
  const entries = new Set(entriesOf(pool)?.flatMap(entry => (entry.customizationRef?.name === name ? [entry.name] : [])))
  const decided = plan.unmade.find(reservation => entries.has(reservation.name ?? ''))
  return decided === undefined ? undefined : { namespace: decided.namespace }
}

/** Whether both the pool and the cluster that a customization names are gone, so that nobody else gives it back. */
function isOrphaned(customization: ClusterDeploymentCustomization, { object: pool, read }: PoolPass): boolean {
  if (!isAnothers(customization, pool)) return false
  const { clusterPoolRef, clusterDeploymentRef } = customization.status ?? {}
  const cluster = clusterDeploymentRef?.name ?? ''
  return (
    read(ClusterPool).get(`${pool.metadata.namespace}/${clusterPoolRef?.name}`) === undefined &&
    read(ClusterDeployment).get(`${cluster}/${cluster}`) === undefined
  )
}

/** What a customization should say; undefined if that is somebody else's business. */
function statusFor(customization: ClusterDeploymentCustomization, user: User | undefined, pool: ClusterPool, now: number) {
  if (isAnothers(customization, pool)) return undefined
  if (user === undefined) return isReserved(customization) ? freeStatus(customization, now) : undefined
  const by = { cluster: user.namespace, pool: pool.metadata.name }
  const { cluster } = user
  // A cluster on its way out keeps what it has, but does not take back what was given back for it.
  if (cluster !== undefined && isBeingDeleted(cluster))
    return isReserved(customization) ? reservedStatus(customization, by, undefined, now) : undefined
  return reservedStatus(customization, by, cluster === undefined ? applied.pending : outcomeOf(cluster), now)
}

function outcomeOf(cluster: ClusterDeployment) {
  if (cluster.spec.installed || claimNameOf(cluster) !== undefined) return applied.succeeded
  const stopped = cluster.status?.conditions?.find(({ type }) => type === 'ProvisionStopped')
  return stopped?.status === 'True' ? applied.brokenByCloud : applied.pending
}
