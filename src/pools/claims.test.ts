import { afterEach, describe, expect, test } from 'vitest'
import { AccessGrant, ClusterClaim, ClusterDeployment, ClusterPool, Namespace, Role, RoleBinding } from '../kinds/index.ts'
import { findCondition } from '../control/index.ts'
import { lifetimeOf } from './claim/lifetime.ts'
import { claimOwner, removalAnnotation } from './names.ts'
import { PoolWorld, type WorldOptions } from './testing/pool-world.ts'

let world: PoolWorld
afterEach(() => world.stop())

async function ready(options: WorldOptions = {}, spec: Parameters<PoolWorld['createPool']>[0] = {}): Promise<void> {
  world = await PoolWorld.make(options)
  world.start()
  await world.createPool({ size: 1, runningCount: 1, inventory: world.inventory('a', 'b'), ...spec })
  await world.seconds(200)
}

const pending = async (name: string) => findCondition(await world.getClaim(name), 'Pending')
const running = async (name: string) => findCondition(await world.getClaim(name), 'ClusterRunning')
const subjects = [
  { kind: 'User' as const, name: 'ada' },
  { kind: 'Group' as const, name: 'testers' },
]

describe('a claim', () => {
  test('gets a running cluster, and both sides say so', async () => {
    await ready()
    await world.claim('mine')
    await world.settle()
    const claim = await world.getClaim('mine')
    const cluster = (await world.clusters()).find(({ metadata }) => metadata.namespace === claim.spec.namespace)
    expect(cluster?.spec.clusterPoolRef).toMatchObject({ claimName: 'mine', claimedTimestamp: expect.any(String) })
    expect(await pending('mine')).toMatchObject({ status: 'False', reason: 'ClusterClaimed', message: 'Cluster claimed' })
    expect(await running('mine')).toMatchObject({ status: 'True', reason: 'Running', message: 'Cluster is running' })
    expect(await world.metrics.text()).toMatch(/hive_clusterclaim_assignment_delay_seconds_count\{[^}]*\} 1/)
  })

  test('and its pool, once both are deleted, have left no series in the metrics', async () => {
    await ready()
    await world.claim('mine')
    await world.settle()
    expect(await world.metrics.text()).toContain('clusterpool_name="pool"')
    await world.delete(ClusterClaim, await world.getClaim('mine'))
    await world.delete(ClusterPool, await world.pool())
    await world.seconds(300)
    expect(await world.clusters()).toEqual([])
    expect(await world.metrics.text()).not.toContain('clusterpool_name="pool"')
  })

  test('without a ready cluster waits in the queue, says where, and the oldest is served first', async () => {
    await ready({}, { size: 0, inventory: { clusterDeployments: [{ name: 'a' }] } })
    await world.claim('first')
    await world.seconds(2)
    await world.claim('second')
    await world.settle()
    expect(await pending('first')).toMatchObject({
      status: 'True',
      reason: 'NoClusters',
      message: expect.stringContaining('position 1 of 2'),
      unblock: expect.stringContaining('on its way'),
    })
    expect(await pending('second')).toMatchObject({
      message: expect.stringContaining('position 2 of 2'),
      unblock: expect.stringContaining('add names'),
    })
    await world.seconds(100)
    expect((await world.getClaim('first')).spec.namespace).toMatch(/^a-/)
    expect(await pending('second')).toMatchObject({ status: 'True', message: expect.stringContaining('position 1 of 1') })
  })

  test('has a hibernating cluster started for it', async () => {
    await ready({}, { runningCount: 0 })
    expect((await world.pool()).status).toMatchObject({ standby: 1, ready: 0 })
    await world.claim('mine')
    await world.settle()
    expect(await pending('mine')).toMatchObject({ reason: 'NoClusters' })
    await world.seconds(25)
    expect(await pending('mine')).toMatchObject({ reason: 'ClusterClaimed' })
  })

  test('on a pool that is not there waits for it', async () => {
    await ready()
    await world.claim('lost', { clusterPoolName: 'nowhere' })
    await world.settle()
    expect(await pending('lost')).toMatchObject({ status: 'True', reason: 'PoolNotFound' })
  })

  test('that names another’s cluster is told, and gets its own', async () => {
    await ready({}, { size: 2, runningCount: 2 })
    await world.claim('mine')
    await world.settle()
    const { namespace } = (await world.getClaim('mine')).spec
    await world.claim('forged', { namespace: namespace! })
    await world.seconds(5)
    const own = (await world.getClaim('forged')).spec.namespace
    expect(own).toBeDefined()
    expect(own).not.toBe(namespace)
    expect((await world.getClaim('mine')).spec.namespace).toBe(namespace)
  })

  test('whose assignment was cut off by a crash is completed', async () => {
    await ready()
    await world.stop()
    const [cluster] = await world.clusters()
    await world.claim('mine', { namespace: cluster!.metadata.namespace! })
    world.start()
    await world.settle()
    expect((await world.clusters())[0]?.spec.clusterPoolRef?.claimName).toBe('mine')
    expect(await pending('mine')).toMatchObject({ status: 'False' })
  })

  test('that was told of a cluster before everybody was stopped, and finds it gone, gets another', async () => {
    await ready()
    await world.stop()
    const [gone] = await world.clusters()
    await world.claim('mine', { namespace: gone!.metadata.namespace! })
    // Another program, which does nothing about claims, removes it meanwhile.
    await world.edit(ClusterPool, await world.pool(), pool => ({ ...pool, status: {} }), 'status')
    await world.changePool({ inventory: world.inventory('c') })
    await world.edit(ClusterDeployment, gone!, ({ metadata: { finalizers: _held, ...metadata }, ...rest }) => ({ ...rest, metadata }))
    await world.delete(ClusterDeployment, gone)
    world.start()
    await world.seconds(300)
    expect((await world.getClaim('mine')).spec.namespace).toMatch(/^c-/)
    expect(await pending('mine')).toMatchObject({ status: 'False', reason: 'ClusterClaimed' })
    expect(await running('mine')).toMatchObject({ status: 'True' })
  })

  test('is told where it stands though a cluster runs that is to be removed', async () => {
    await ready({}, { size: 1, maxSize: 1, maxConcurrent: 0 })
    await world.changePool({ maxConcurrent: 1 })
    await world.seconds(200)
    await world.changePool({ maxConcurrent: 0 })
    const [marked] = await world.clusters()
    await world.edit(ClusterDeployment, marked!, object => ({
      ...object,
      metadata: { ...object.metadata, annotations: { ...object.metadata.annotations, [removalAnnotation]: 'true' } },
    }))
    await world.claim('mine')
    // At once: nobody is about to serve it.
    await world.settle()
    expect(await pending('mine')).toMatchObject({ status: 'True', reason: 'NoClusters' })
  })

  test('notices that its cluster is removed, and that it is gone', async () => {
    await ready()
    await world.claim('mine')
    await world.settle()
    const { namespace } = (await world.getClaim('mine')).spec
    await world.store.delete(ClusterDeployment, { namespace: namespace!, name: namespace! })
    await world.settle()
    expect(await running('mine')).toMatchObject({ status: 'False', reason: 'ClusterDeleting' })
    await world.seconds(100)
    expect(await running('mine')).toMatchObject({ status: 'False', reason: 'ClusterDeleted' })
  })
})

describe('access', () => {
  test('is given to the subjects of a claim, put right when changed, and taken away with the claim', async () => {
    await ready()
    await world.claim('mine', { subjects })
    await world.settle()
    const namespace = (await world.getClaim('mine')).spec.namespace!
    const role = await world.store.get(Role, { namespace, name: claimOwner })
    expect(role.rules).toEqual([
      {
        apiGroups: ['hive.openshift.io'],
        resources: ['clusterdeployments'],
        verbs: ['get', 'list', 'watch', 'update', 'patch', 'delete'],
      },
      {
        apiGroups: ['hive.openshift.io'],
        resources: ['clusterprovisions', 'clusterdeprovisions', 'clusterdeploymentcustomizations'],
        verbs: ['get', 'list', 'watch'],
      },
      {
        apiGroups: [''],
        resources: ['secrets'],
        resourceNames: [`${namespace}-admin-kubeconfig`, `${namespace}-admin-password`],
        verbs: ['get'],
      },
    ])
    const binding = await world.store.get(RoleBinding, { namespace, name: claimOwner })
    expect(binding.subjects?.map(({ kind, name }) => ({ kind, name }))).toEqual(subjects)
    // On the embedded engine exactly the same, no more: the platform's credentials lie in that namespace, too.
    expect((await world.all(AccessGrant)).map(({ spec }) => spec)).toEqual([{ subjects, rules: role.rules, namespaces: [namespace] }])

    await world.edit(Role, role, object => ({ ...object, rules: [] }))
    await world.delete(RoleBinding, binding)
    await world.edit(AccessGrant, (await world.all(AccessGrant))[0]!, object => ({
      ...object,
      spec: { subjects: object.spec.subjects, role: 'admin' as const, namespaces: ['*'] },
    }))
    await world.settle()
    expect((await world.all(AccessGrant))[0]?.spec).toEqual({ subjects, rules: role.rules, namespaces: [namespace] })
    expect((await world.store.get(Role, { namespace, name: claimOwner })).rules).toHaveLength(3)
    expect((await world.store.get(RoleBinding, { namespace, name: claimOwner })).subjects).toHaveLength(2)

    await world.delete(ClusterClaim, await world.getClaim('mine'))
    await world.settle()
    expect([...(await world.all(Role)), ...(await world.all(RoleBinding)), ...(await world.all(AccessGrant))]).toEqual([])
  })

  test('is not given when nobody is named', async () => {
    await ready()
    await world.claim('mine')
    await world.seconds(10)
    expect(await world.all(Role)).toEqual([])
  })

  test('follows the subjects of the claim until nobody is left', async () => {
    await ready()
    await world.claim('mine', { subjects })
    await world.settle()
    const claim = await world.getClaim('mine')
    const robot = { kind: 'ServiceAccount' as const, name: 'robot', namespace: 'ci' }
    await world.edit(ClusterClaim, claim, object => ({ ...object, spec: { ...object.spec, subjects: [robot] } }))
    await world.settle()
    expect((await world.all(RoleBinding)).flatMap(binding => binding.subjects)).toEqual([robot])
    // The embedded engine knows no service accounts; above all the people must not keep what they had.
    expect(await world.all(AccessGrant)).toEqual([])
    await world.edit(ClusterClaim, claim, ({ spec: { subjects: _, ...spec }, ...object }) => ({ ...object, spec }))
    await world.settle()
    expect([...(await world.all(Role)), ...(await world.all(RoleBinding)), ...(await world.all(AccessGrant))]).toEqual([])
  })

  test.each([
    ['of the same name in another namespace', 'mine', 'elsewhere'],
    ['of another pool', 'other', 'team'],
  ])('is not given to a claim %s that names the cluster, and its end does no harm', async (_, name, namespace) => {
    await ready({}, { size: 2, runningCount: 2 })
    if (namespace !== 'team') await world.store.create(Namespace, { metadata: { name: namespace } })
    await world.claim('mine')
    await world.settle()
    const cluster = (await world.getClaim('mine')).spec.namespace!
    const free = (await world.clusters()).find(({ spec }) => spec.clusterPoolRef?.claimName === undefined)!.metadata.name
    for (const [forged, wanted] of [
      [name === 'mine' ? name : 'forged', cluster],
      ['further', free],
    ] as const) {
      await world.claim(forged, { clusterPoolName: namespace === 'team' ? 'nowhere' : 'pool', namespace: wanted, subjects }, namespace)
      await world.seconds(5)
      expect(findCondition(await world.getClaim(forged, namespace), 'Pending')).toMatchObject({ reason: 'PoolNotFound' })
      await world.delete(ClusterClaim, await world.getClaim(forged, namespace))
    }
    await world.seconds(5)
    expect([...(await world.all(Role)), ...(await world.all(AccessGrant))]).toEqual([])
    expect(await running('mine')).toMatchObject({ reason: 'Running' })
    const kept = await world.clusters()
    expect(kept.map(({ metadata }) => metadata.annotations?.[removalAnnotation])).toEqual([undefined, undefined])
  })

  test('needs no grants where Kubernetes itself goes by roles', async () => {
    await ready({ grants: false })
    await world.claim('mine', { subjects })
    await world.settle()
    expect(await world.all(RoleBinding)).toHaveLength(1)
    expect(await world.all(AccessGrant)).toEqual([])
  })
})

describe('the end of a claim', () => {
  test('marks its cluster for removal, and comes when that is gone', async () => {
    await ready()
    await world.claim('mine')
    await world.settle()
    const { namespace } = (await world.getClaim('mine')).spec
    await world.delete(ClusterClaim, await world.getClaim('mine'))
    await world.settle()
    const cluster = await world.store.get(ClusterDeployment, { namespace: namespace!, name: namespace! })
    expect(cluster.metadata.annotations?.[removalAnnotation]).toBe('true')
    expect((await world.getClaim('mine')).metadata.deletionTimestamp).toBeDefined()
    await world.seconds(100)
    await expect(world.getClaim('mine')).rejects.toThrow('not found')
  })

  test('of one that never had a cluster comes at once', async () => {
    await ready({}, { size: 0, maxSize: 0 })
    await world.claim('mine')
    await world.settle()
    await world.delete(ClusterClaim, await world.getClaim('mine'))
    await world.settle()
    await expect(world.getClaim('mine')).rejects.toThrow('not found')
  })

  test('comes by itself when its lifetime is over, counted from when it got its cluster', async () => {
    await ready({}, { claimLifetime: { maximum: '1h' } })
    await world.claim('mine', { lifetime: '2h' })
    await world.seconds(10)
    expect((await world.getClaim('mine')).status?.lifetime).toBe('1h')
    await world.seconds(3_580)
    expect((await world.getClaim('mine')).metadata.deletionTimestamp).toBeUndefined()
    await world.seconds(120)
    await expect(world.getClaim('mine')).rejects.toThrow('not found')
  })
})

test.each([
  ['lowered', '1h', 3_700],
  ['raised', '4h', 14_500],
])('a lifetime that the pool has %s holds for claims that have their cluster, too', async (_, maximum, seconds) => {
  await ready({}, { claimLifetime: { maximum: '2h' } })
  await world.claim('mine')
  await world.seconds(10)
  await world.changePool({ claimLifetime: { maximum } })
  await world.seconds(seconds - 200)
  expect((await world.getClaim('mine')).status?.lifetime).toBe(maximum)
  expect((await world.getClaim('mine')).metadata.deletionTimestamp).toBeUndefined()
  await world.seconds(400)
  await expect(world.getClaim('mine')).rejects.toThrow('not found')
})

describe('the lifetime that holds', () => {
  const rows: readonly [string, string | undefined, string | undefined, string | undefined, string | undefined][] = [
    ['no lifetime set', undefined, undefined, undefined, undefined],
    ['claim lifetime set', undefined, undefined, '1h', '1h'],
    ['no claim lifetime set, but default for pool', '1h', undefined, undefined, '1h'],
    ['claim lifetime set, and default for pool', '1h', undefined, '3h', '3h'],
    ['maximum pool lifetime set', undefined, '1h', undefined, '1h'],
    ['claim lifetime set, and maximum pool lifetime set to higher', undefined, '2h', '1h', '1h'],
    ['claim lifetime set, and maximum pool lifetime set to lower', undefined, '1h', '2h', '1h'],
    ['default lifetime set, and maximum pool lifetime set to lower', '2h', '1h', undefined, '1h'],
    ['default lifetime set, and maximum pool lifetime set to higher', '1h', '2h', undefined, '1h'],
  ]
  test.each(rows)('%s', (_, usual, maximum, own, expected) => {
    const claimLifetime = { ...(usual === undefined ? {} : { default: usual }), ...(maximum === undefined ? {} : { maximum }) }
    const pool = { spec: { claimLifetime } } as Parameters<typeof lifetimeOf>[1]
    expect(lifetimeOf({ spec: { clusterPoolName: 'p', ...(own === undefined ? {} : { lifetime: own }) } }, pool)).toBe(expected)
  })
})
