import { afterEach, describe, expect, test } from 'vitest'
import { isoTime } from '../../ports/index.ts'
import { ClusterClaim, ClusterDeployment, Role, RoleBinding } from '../../kinds/index.ts'
import { findCondition } from '../../control/index.ts'
import { claimFinalizer, claimOwner, rbacGroup, removalAnnotation } from '../names.ts'
import { clusterByHand } from '../testing/cluster-by-hand.ts'
import { home, PoolWorld } from '../testing/pool-world.ts'

// The rows of the specification's table of claims (hive-clusterpool §4.4): the controller of claims alone, without a pool's.

let world: PoolWorld
afterEach(() => world.stop())

const namespace = 'test-cluster'
const subjects = [
  { kind: 'Group' as const, name: 'test-group' },
  { kind: 'User' as const, name: 'test-user' },
]

interface Row {
  readonly name: string
  readonly isAssigned?: boolean
  readonly subjects?: readonly []
  /** The cluster, if there is one: who has claimed it, and how it is. */
  readonly cluster?: { readonly claim?: string; readonly isRunning?: boolean; readonly isDeleting?: boolean; readonly hibernates?: boolean }
  readonly access?: 'right' | 'wrong'
  readonly isDeleted?: boolean
  readonly lifetime?: string
  readonly poolLifetime?: { readonly default?: string; readonly maximum?: string }
  /** Hours since the claim got its cluster. */
  readonly claimedHours?: number
  // ---
  readonly claim?: 'there' | 'gone' | 'on its way out'
  readonly pending?: string
  readonly running?: string
  readonly hasAccess?: boolean
  readonly isMarked?: boolean
  readonly isUnassigned?: boolean
}

async function lay(row: Row): Promise<void> {
  world = await PoolWorld.make({ only: 'claims', grants: false })
  const { isAssigned = true, cluster, lifetime, claimedHours } = row
  if (row.poolLifetime !== undefined) await world.createPool({ claimLifetime: row.poolLifetime })
  const made = await world.store.create(ClusterClaim, {
    metadata: { name: 'test-claim', namespace: home, finalizers: [claimFinalizer] },
    spec: {
      clusterPoolName: 'pool',
      subjects: row.subjects ?? subjects,
      ...(isAssigned ? { namespace } : {}),
      ...(lifetime === undefined ? {} : { lifetime }),
    },
  })
  if (claimedHours !== undefined) {
    const lastTransitionTime = isoTime(world.clock.now() - claimedHours * 3_600_000)
    const conditions = [{ type: 'Pending', status: 'False' as const, reason: 'ClusterClaimed', message: '', lastTransitionTime }]
    await world.store.update(ClusterClaim, { ...made, status: { conditions } }, { subresource: 'status' })
  }
  if (cluster !== undefined) {
    const state = cluster.isRunning === true ? 'running' : 'installed'
    const object = await clusterByHand(world, namespace, {
      state,
      version: 'x',
      held: true,
      ...(cluster.claim === undefined ? {} : { claim: cluster.claim }),
    })
    if (cluster.hibernates !== true)
      await world.store.update(ClusterDeployment, { ...object, spec: { ...object.spec, powerState: 'Running' } })
    if (cluster.isDeleting === true) await world.delete(ClusterDeployment, object)
  }
  if (row.access !== undefined) {
    const metadata = { name: claimOwner, namespace }
    await world.store.create(Role, { metadata, rules: [] })
    await world.store.create(RoleBinding, {
      metadata,
      subjects: row.access === 'right' ? subjects : [],
      roleRef: { apiGroup: rbacGroup, kind: 'Role', name: row.access === 'right' ? claimOwner : 'other' },
    })
  }
  if (row.isDeleted === true) await world.delete(ClusterClaim, await world.getClaim('test-claim'))
  world.start()
  await world.settle()
}

/** What became of it, in the words of a row. */
async function outcome(row: Row) {
  const claim = await world.getClaim('test-claim').catch(() => undefined)
  const [cluster] = await world.clusters()
  const [[role], [binding]] = [await world.all(Role), await world.all(RoleBinding)]
  return {
    claim: claim === undefined ? 'gone' : claim.metadata.deletionTimestamp === undefined ? 'there' : 'on its way out',
    pending: row.pending === undefined || claim === undefined ? undefined : findCondition(claim, 'Pending')?.reason,
    running: row.running === undefined || claim === undefined ? undefined : findCondition(claim, 'ClusterRunning')?.reason,
    isUnassigned: row.isUnassigned === true && claim?.spec.namespace === undefined,
    rules: role?.rules?.map(({ apiGroups = [] }) => apiGroups.join()),
    bound: binding?.subjects?.map(({ name }) => `${binding.roleRef.name} ${name}`),
    isMarked: cluster?.metadata.annotations?.[removalAnnotation] === 'true',
    hibernates: row.cluster?.hibernates === true && cluster?.spec.powerState === 'Hibernating',
  }
}

function expected(row: Row): Awaited<ReturnType<typeof outcome>> {
  const { claim = 'there', pending, running, hasAccess = false, isMarked = false, isUnassigned = false } = row
  return {
    claim,
    pending,
    running,
    isUnassigned,
    rules: hasAccess ? (row.isDeleted === true ? [] : ['hive.openshift.io', 'hive.openshift.io', '']) : undefined,
    bound: hasAccess ? subjects.map(({ name }) => `${claimOwner} ${name}`) : undefined,
    isMarked,
    hibernates: row.cluster?.hibernates === true,
  }
}

const mine = { claim: 'test-claim' }
const served = { pending: 'ClusterClaimed', running: 'Resuming', hasAccess: true }
const old = { claimedHours: 1, cluster: mine, claim: 'on its way out' as const, isMarked: true }

describe('a claim', () => {
  test.each<Row>([
    // There the conditions stay Unknown; here they say what is waited for.
    { name: 'initialize conditions; unassigned CD is a no-op', cluster: {}, pending: 'ClusterAssigned' },
    { name: 'existing assignment', cluster: mine, ...served },
    { name: 'existing assignment running', cluster: { ...mine, isRunning: true }, ...served, running: 'Running' },
    { name: 'deleting cluster', cluster: { ...mine, isDeleting: true }, running: 'ClusterDeleting' },
    { name: 'deleted cluster', claimedHours: 1, running: 'ClusterDeleted' },
    { name: 'deleted claim with no assignment', isAssigned: false, isDeleted: true, claim: 'gone' },
    {
      name: 'deleted claim with claimed assignment',
      cluster: mine,
      access: 'right',
      isDeleted: true,
      claim: 'on its way out',
      isMarked: true,
    },
    { name: 'deleted claim with missing clusterdeployment, role, and rolebinding', isDeleted: true, claim: 'gone' },
    {
      name: 'deleted claim with deleted clusterdeployment',
      cluster: { ...mine, isDeleting: true },
      access: 'right',
      isDeleted: true,
      claim: 'on its way out',
    },
    {
      name: 'deleted claim with clusterdeployment assigned to other claim',
      cluster: { claim: 'other-claim' },
      isDeleted: true,
      claim: 'gone',
    },
    { name: 'no RBAC when no subjects', subjects: [], cluster: mine, ...served, hasAccess: false },
    { name: 'update existing role', cluster: mine, access: 'right', ...served },
    { name: 'update existing rolebinding', cluster: mine, access: 'wrong', ...served },
    { name: 'existing assignment does not change power state', cluster: { ...mine, hibernates: true }, ...served },
    { name: 'claim with elapsed lifetime is deleted', lifetime: '1h', ...old },
    { name: 'claim with elapsed pool lifetime is deleted as set by pool default', poolLifetime: { default: '1h' }, ...old },
    { name: 'claim with elapsed pool lifetime is deleted as set by pool maximum', poolLifetime: { maximum: '1h' }, ...old },
    {
      name: 'claim with elapsed smaller lifetime is deleted, where pool maximum is smaller',
      lifetime: '2h',
      poolLifetime: { maximum: '1h' },
      ...old,
    },
    {
      name: 'claim with elapsed smaller lifetime is deleted, where pool maximum is smaller than default',
      poolLifetime: { default: '2h', maximum: '1h' },
      ...old,
    },
    {
      name: 'claim with elapsed smaller lifetime is deleted, where claim is smaller',
      lifetime: '1h',
      poolLifetime: { maximum: '2h' },
      ...old,
    },
  ])('$name', async row => {
    await lay(row)
    expect(await outcome(row)).toEqual(expected(row))
  })

  test('assignment conflict: the claim gives the other’s cluster up', async () => {
    await lay({ name: '', cluster: { claim: 'other-claim' } })
    await world.seconds(2)
    expect(await outcome({ name: '', isUnassigned: true })).toEqual(expected({ name: '', isUnassigned: true }))
  })

  test('deleted cluster that the claim never had: it gives that up, and waits for another', async () => {
    await lay({ name: '' })
    await world.seconds(2)
    const row = { name: '', isUnassigned: true, pending: 'PoolNotFound' }
    expect(await outcome(row)).toEqual(expected(row))
  })

  test('deleted claim with unclaimed assignment: it goes, and the cluster is left alone', async () => {
    await lay({ name: '', cluster: {}, access: 'right', isDeleted: true })
    expect(await outcome({ name: '', claim: 'gone', hasAccess: true, isDeleted: true })).toEqual(
      expected({ name: '', claim: 'gone', hasAccess: true, isDeleted: true }),
    )
  })

  test('existing assignment clears pending condition', async () => {
    await lay({ name: '', cluster: {} })
    const cluster = await world.store.get(ClusterDeployment, { namespace, name: namespace })
    const clusterPoolRef = { ...cluster.spec.clusterPoolRef!, claimName: 'test-claim' }
    await world.store.update(ClusterDeployment, { ...cluster, spec: { ...cluster.spec, clusterPoolRef } })
    await world.settle()
    expect(await outcome({ name: '', ...served })).toEqual(expected({ name: '', ...served }))
  })

  test('claim with non-elapsed lifetime is not deleted, and goes when it has elapsed', async () => {
    await lay({ name: '', lifetime: '3h', claimedHours: 1, cluster: mine })
    expect(await outcome({ name: '', ...served })).toEqual(expected({ name: '', ...served }))
    await world.seconds(2 * 3_600 - 10)
    expect(await outcome({ name: '', ...served })).toEqual(expected({ name: '', ...served }))
    await world.seconds(20)
    expect(await outcome({ name: '', claim: 'on its way out', isMarked: true })).toEqual(
      expected({ name: '', claim: 'on its way out', isMarked: true }),
    )
  })
})
