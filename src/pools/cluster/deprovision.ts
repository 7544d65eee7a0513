import { parseTime } from '../../ports/index.ts'
import { ClusterDeprovision, ClusterPool } from '../../kinds/index.ts'
import type { ClusterDeployment } from '../../kinds/index.ts'
import { next, wait } from '../../control/index.ts'
import type { Step } from '../../control/index.ts'
import { type Store, StoreError } from '../../store/index.ts'
import { protectionOf } from '../pool/buckets.ts'
import { giveBackCustomization } from '../pool/customization.ts'
import { find } from '../pool/dependencies.ts'
import { inventoryNames } from '../pool/inventory.ts'
import { ledgerOf, ledgerStatus, release } from '../pool/ledger.ts'
import type { ClusterPass } from './cluster-pass.ts'
import { ownerReference } from './install.ts'
import { installerCluster } from './installer-cluster.ts'

/** Somebody wants to be sure that the cluster stays, and said so only after its deletion had begun. */
export function heedProtection({ object }: ClusterPass): Step<ClusterDeployment> {
  const protection = protectionOf(object)
  if (protection === undefined) return next
  return wait('Provisioned', {
    reason: 'DeprovisionBlocked',
    message: `the cluster is to be removed, but ${protection.message}`,
    then: 'it is removed when the annotation is gone',
    unblock: protection.fix,
  })
}

/** Removes everything that was made for the cluster. What was never marked was never made. */
export async function destroy({ object, installer, store, signal, now }: ClusterPass): Promise<Step<ClusterDeployment>> {
  const cluster = await installerCluster(object, store)
  if (cluster === undefined || object.spec.preserveOnDelete === true) return next
  const request = await requestFor(object, store)
  if (request?.status?.completed === true) return next
  const { deletionTimestamp = '' } = object.metadata
  const state = await installer.destroy({ ...cluster, startedAt: parseTime(deletionTimestamp) }, signal)
  if (state.state === 'removed') {
    if (request !== undefined) await finish(request, state.log, store)
    return next
  }
  const isFailed = state.state === 'failed'
  return wait('Provisioned', {
    reason: isFailed ? 'DeprovisionFailed' : 'Deprovisioning',
    message: isFailed ? `the removal failed: ${state.message}` : state.message,
    then: isFailed ? 'it is tried again' : 'the cluster’s name is free when it is through',
    until: isFailed ? now + 60_000 : (state.again ?? now + 60_000),
  })
}

/** The record of the removal; undefined if none can be made because the namespace is on its way out, too. */
async function requestFor(cluster: ClusterDeployment, store: Store): Promise<ClusterDeprovision | undefined> {
  const { name, namespace = '' } = cluster.metadata
  const { clusterMetadata, clusterName, baseDomain } = cluster.spec
  const there = await find(store, ClusterDeprovision, namespace, name)
  if (there !== undefined || clusterMetadata === undefined) return there
  const { infraID, clusterID } = clusterMetadata
  try {
    return await store.create(ClusterDeprovision, {
      metadata: { name, namespace, ownerReferences: [ownerReference(cluster)] },
      spec: { infraID, clusterID, clusterName, baseDomain },
    })
  } catch (error) {
    if (StoreError.is(error, 'Forbidden', 'AlreadyExists')) return undefined
    throw error
  }
}

async function finish(request: ClusterDeprovision, log: string | undefined, store: Store): Promise<void> {
  const status = { ...request.status, completed: true, ...(log === undefined ? {} : { log }) }
  await store.update(ClusterDeprovision, { ...request, status }, { subresource: 'status' })
}

/**
 * Strikes the cluster out of its pool's ledger, before its last trace goes. Afterwards an entry without a cluster can only mean that
 * somebody crashed between the two, and the cluster is made again.
 */
export async function leaveLedger({ object, store, now }: ClusterPass): Promise<Step<ClusterDeployment>> {
  const { clusterPoolRef } = object.spec
  if (clusterPoolRef === undefined) return next
  await giveBackCustomization(store, object, now)
  const pool = await find(store, ClusterPool, clusterPoolRef.namespace, clusterPoolRef.poolName)
  if (pool === undefined) return next
  const ledger = ledgerOf(pool)
  const released = release(ledger, object.metadata.name, inventoryNames(pool))
  if (released !== ledger) {
    const status = Object.fromEntries(
      Object.entries({ ...pool.status, ...ledgerStatus(released) }).filter(([, value]) => value !== undefined),
    )
    await store.update(ClusterPool, { ...pool, status }, { subresource: 'status' })
  }
  return next
}
