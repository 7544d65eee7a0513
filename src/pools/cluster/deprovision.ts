import { parseTime } from '../../ports/index.ts'
import { ClusterDeprovision, ClusterPool } from '../../kinds/index.ts'
import type { ClusterDeployment } from '../../kinds/index.ts'
import { next, wait } from '../../control/index.ts'
import type { Step } from '../../control/index.ts'
import { type Store, StoreError } from '../../store/index.ts'
import { find } from '../find.ts'
import { type DestroyState, longestLog } from '../installer/installer.ts'
import { previousMarkAnnotation } from '../names.ts'
import { claimNameOf, protectionOf } from '../pool/buckets.ts'
import { giveBackCustomization } from '../pool/customization.ts'
import { inventoryNames } from '../pool/inventory.ts'
import { ledgerOf, ledgerStatus, release } from '../pool/ledger.ts'
import type { ClusterPass } from './cluster-pass.ts'
import { forgottenMarks, ownerReference } from './install.ts'
import { identityOf, installerCluster } from './installer-cluster.ts'

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

/** Removes everything that was made for the cluster, by whichever attempt. What was never marked was never made. */
export async function destroy(pass: ClusterPass): Promise<Step<ClusterDeployment>> {
  const { object, installer, store, signal, now } = pass
  const cluster = await installerCluster(pass)
  if (cluster === undefined || object.spec.preserveOnDelete === true) return next
  const { deletionTimestamp = '' } = object.metadata
  for (const infraID of marksOf(pass)) {
    const request = await requestFor(object, infraID, cluster, store)
    if (request?.status?.completed === true) continue
    const state = await installer.destroy({ ...cluster, infraID, startedAt: parseTime(deletionTimestamp) }, signal)
    if (state.state !== 'removing' && request !== undefined) await keep(request, state, store)
    if (state.state === 'removed') continue
    const isFailed = state.state === 'failed'
    return wait('Provisioned', {
      reason: isFailed ? 'DeprovisionFailed' : 'Deprovisioning',
      message: isFailed ? `the removal failed: ${state.message}` : state.message,
      then: isFailed ? 'it is tried again' : 'the cluster’s name is free when it is through',
      unblock: isFailed
        ? `read what the installer said: aviary cluster log ${object.metadata.name} -n ${object.metadata.namespace}`
        : undefined,
      until: isFailed ? now + 60_000 : (state.again ?? now + 60_000),
    })
  }
  return next
}

/**
 * The marks of all attempts, the last first. An attempt removes what the one before has left; but it may have been cut off before it
 * did.
 */
function marksOf(pass: ClusterPass): readonly string[] {
  const { object, attempts, isPoolMember } = pass
  const recorded = attempts.toSorted((a, b) => b.spec.attempt - a.spec.attempt).flatMap(({ spec }) => [spec.infraID, spec.prevInfraID])
  // Annotations of a claimed cluster are not believed: the claim's subjects can write them. Earlier versions kept marks there.
  const annotated =
    isPoolMember && claimNameOf(object) !== undefined
      ? []
      : [object.metadata.annotations?.[previousMarkAnnotation], ...forgottenMarks([object])]
  const marks = [identityOf(pass)?.infraID, ...recorded, ...forgottenMarks(attempts), ...annotated]
  return [...new Set(marks)].filter(mark => mark !== undefined)
}

/** The record of a removal; undefined if none can be made because the namespace is on its way out, too. */
async function requestFor(
  cluster: ClusterDeployment,
  infraID: string,
  identity: { readonly infraID: string; readonly clusterID: string },
  store: Store,
): Promise<ClusterDeprovision | undefined> {
  const { namespace = '' } = cluster.metadata
  const { clusterName, baseDomain } = cluster.spec
  // Called like the cluster, as other systems expect it; those of earlier attempts like what they remove.
  const isCurrent = infraID === identity.infraID
  const name = isCurrent ? cluster.metadata.name : infraID
  const there = await find(store, ClusterDeprovision, namespace, name)
  if (there !== undefined) return there
  const clusterID = isCurrent ? { clusterID: identity.clusterID } : {}
  try {
    return await store.create(ClusterDeprovision, {
      metadata: { name, namespace, ownerReferences: [ownerReference(cluster)] },
      spec: { infraID, ...clusterID, clusterName, baseDomain },
    })
  } catch (error) {
    if (StoreError.is(error, 'Forbidden', 'AlreadyExists')) return undefined
    throw error
  }
}

/** Writes down how a removal ended, and what the installer said. */
async function keep(
  request: ClusterDeprovision,
  { state, log = request.status?.log }: Exclude<DestroyState, { state: 'removing' }>,
  store: Store,
): Promise<void> {
  const completed = state === 'removed'
  if (!completed && log === request.status?.log) return
  const status = { ...request.status, completed, ...(log === undefined ? {} : { log: log.slice(-longestLog) }) }
  await store.update(ClusterDeprovision, { ...request, status }, { subresource: 'status' })
}

/**
 * Strikes the cluster out of its pool's ledger, before its last trace goes. Afterwards an entry without a cluster can only mean that
 * somebody crashed between the two, and the cluster is made again.
 */
export async function leaveLedger({ object, isPoolMember, store, now }: ClusterPass): Promise<Step<ClusterDeployment>> {
  const { clusterPoolRef } = object.spec
  // A cluster that only says to be of a pool must not strike out another's entry.
  if (clusterPoolRef === undefined || !isPoolMember) return next
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
