import { ClusterDeploymentCustomization } from '../../kinds/index.ts'
import type { ClusterDeployment, ClusterPool, Condition } from '../../kinds/index.ts'
import { conditionsOf, findCondition, hasFinalizer, isBeingDeleted, setCondition } from '../../control/index.ts'
import type { ConditionChange } from '../../control/index.ts'
import { find } from '../find.ts'
import { type Store, StoreError } from '../../store/index.ts'

type Status = NonNullable<ClusterDeploymentCustomization['status']>

/*
 * A customization is used by one cluster at a time, whichever pools list it. What says so is its own status, written by
 * compare-and-swap and only after the pool's ledger has the cluster; so two pools that want one customization settle it there, and two
 * programs at work on one pool have settled it before. Only the pool that it names gives it back.
 */

/** By this a pool holds the customizations of its inventory. */
export function poolFinalizerOf({ metadata }: ClusterPool): string {
  return `hive.openshift.io/${metadata.name}`
}

/** Whether somebody uses a customization, as it says itself. */
export function isReserved(customization: ClusterDeploymentCustomization): boolean {
  return findCondition(customization, 'Available')?.status === 'False'
}

/** Whether another pool's cluster uses it. */
export function isAnothers(customization: ClusterDeploymentCustomization, { metadata }: ClusterPool): boolean {
  const holder = customization.status?.clusterPoolRef?.name
  return isReserved(customization) && holder !== undefined && holder !== metadata.name
}

/** Whether a pool may use it for a new cluster: nobody does, or the pool itself for one that is not there any more. */
export function isFree(customization: ClusterDeploymentCustomization, pool: ClusterPool, clusters: readonly ClusterDeployment[]): boolean {
  if (isBeingDeleted(customization) || isAnothers(customization, pool)) return false
  const { name } = customization.metadata
  return clusters.every(({ spec }) => spec.clusterPoolRef?.clusterDeploymentCustomization?.name !== name)
}

/** How the patches of a customization fared, in the words that Hive has for it. */
export const applied = {
  pending: { status: 'False', reason: 'InstallationPending', message: 'Patches applied; cluster is installing' },
  succeeded: { status: 'True', reason: 'Succeeded', message: 'Patches applied and cluster installed successfully' },
  brokenByCloud: {
    status: 'False',
    reason: 'BrokenByCloud',
    message: 'Cluster installation failed. This may or may not be the fault of patches. Check the installation logs.',
  },
} as const

/** The status of a customization that a cluster uses. */
export function reservedStatus(
  customization: ClusterDeploymentCustomization,
  by: { readonly cluster: string; readonly pool: string },
  outcome: Omit<ConditionChange, 'type'> | undefined,
  now: number,
): Status {
  return {
    ...customization.status,
    clusterDeploymentRef: { name: by.cluster },
    clusterPoolRef: { name: by.pool },
    conditions: changed(customization, now, [
      { type: 'Available', status: 'False', reason: 'Reserved', message: 'reserved' },
      ...(outcome === undefined ? [] : [{ type: 'ApplySucceeded', ...outcome }]),
    ]),
  }
}

/** The status of a customization that nobody uses any more. */
export function freeStatus(customization: ClusterDeploymentCustomization, now: number): Status {
  const { clusterDeploymentRef: _cluster, clusterPoolRef: _pool, ...rest } = customization.status ?? {}
  return {
    ...rest,
    conditions: changed(customization, now, [{ type: 'Available', status: 'True', reason: 'Available', message: 'available' }]),
  }
}

/** The status of a customization whose patches do not fit. */
export function misfitStatus(customization: ClusterDeploymentCustomization, message: string, now: number): Status {
  const misfit = { type: 'ApplySucceeded', status: 'False', reason: 'BrokenBySyntax', message } as const
  return { ...customization.status, conditions: changed(customization, now, [misfit]) }
}

function changed(customization: ClusterDeploymentCustomization, now: number, changes: readonly ConditionChange[]): readonly Condition[] {
  const moment = { now, generation: customization.metadata.generation }
  return changes.reduce((conditions, change) => setCondition(conditions, change, moment), conditionsOf(customization))
}

/**
 * Reserves a customization for a cluster that is about to be made. False if another pool's cluster has it. Asks the store itself, and
 * loses by a Conflict if somebody else is quicker.
 */
export async function takeCustomization(
  store: Store,
  pool: ClusterPool,
  name: string,
  cluster: string,
  now: number,
): Promise<ClusterDeploymentCustomization | undefined> {
  const customization = await find(store, ClusterDeploymentCustomization, pool.metadata.namespace, name)
  if (customization === undefined || isBeingDeleted(customization) || isAnothers(customization, pool)) return undefined
  const { clusterDeploymentRef } = customization.status ?? {}
  if (isReserved(customization) && clusterDeploymentRef?.name === cluster) return customization
  return writeStatus(store, customization, reservedStatus(customization, { cluster, pool: pool.metadata.name }, applied.pending, now))
}

/** Gives back what a cluster that is gone has used. Another's use is left alone. */
export async function giveBackCustomization(store: Store, cluster: ClusterDeployment, now: number): Promise<void> {
  const { clusterPoolRef } = cluster.spec
  const name = clusterPoolRef?.clusterDeploymentCustomization?.name
  if (name === undefined) return
  const customization = await find(store, ClusterDeploymentCustomization, clusterPoolRef?.namespace, name)
  if (customization?.status?.clusterDeploymentRef?.name !== cluster.metadata.name) return
  await writeStatus(store, customization, freeStatus(customization, now))
}

/** Writes a customization's status. */
export function writeStatus(
  store: Store,
  customization: ClusterDeploymentCustomization,
  status: Status,
): Promise<ClusterDeploymentCustomization> {
  return store.update(ClusterDeploymentCustomization, { ...customization, status }, { subresource: 'status' })
}

/** Adds or takes away a pool's hold on a customization. Gives what is there then; undefined if it is gone. */
export async function setHold(
  store: Store,
  customization: ClusterDeploymentCustomization,
  finalizer: string,
  isWanted: boolean,
): Promise<ClusterDeploymentCustomization | undefined> {
  if (hasFinalizer(customization, finalizer) === isWanted || (isWanted && isBeingDeleted(customization))) return customization
  const { finalizers = [] } = customization.metadata
  const next = isWanted ? [...finalizers, finalizer] : finalizers.filter(each => each !== finalizer)
  const metadata = { ...customization.metadata, finalizers: next }
  try {
    const written = await store.update(ClusterDeploymentCustomization, { ...customization, metadata })
    return next.length === 0 && isBeingDeleted(customization) ? undefined : written
  } catch (error) {
    if (StoreError.is(error, 'NotFound')) return undefined
    throw error
  }
}
