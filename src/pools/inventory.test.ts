import { parse } from 'yaml'
import { afterEach, describe, expect, test } from 'vitest'
import { ClusterClaim, ClusterDeployment, ClusterImageSet, ClusterPool, decode, Namespace, Secret } from '../kinds/index.ts'
import { findCondition } from '../control/index.ts'
import { home, poolDraft, PoolWorld, type WorldOptions } from './testing/pool-world.ts'

let world: PoolWorld
afterEach(() => world.stop())

async function begin(options: WorldOptions = {}): Promise<PoolWorld> {
  world = await PoolWorld.make(options)
  world.start()
  await world.settle()
  return world
}

const usage = async () => (await world.pool()).status?.clusterNameUsage ?? {}

describe('names', () => {
  test('clusters take distinct names of the inventory, and objects are named after them', async () => {
    await begin()
    await world.createPool({ size: 2, inventory: world.inventory('foo', 'bar', 'baz') })
    await world.settle()
    const clusters = await world.clusters()
    expect(clusters).toHaveLength(2)
    expect(new Set(clusters.map(({ spec }) => spec.clusterName)).size).toBe(2)
    for (const { metadata, spec } of clusters) {
      expect(['foo', 'bar', 'baz']).toContain(spec.clusterName)
      expect(metadata.name).toBe(metadata.namespace)
      expect(metadata.name).toMatch(new RegExp(`^${spec.clusterName}-[a-z0-9]{5}$`))
    }
    const map = await usage()
    expect(Object.keys(map).toSorted()).toEqual(['bar', 'baz', 'foo'])
    expect(
      Object.values(map)
        .filter(value => value !== null)
        .toSorted(),
    ).toEqual(clusters.map(({ metadata }) => metadata.name).toSorted())
    expect((await world.pool()).status?.inventory).toEqual({ total: 3, free: 1, reserved: 2, broken: 0 })
  })

  test('without an inventory names are generated as ever, and no usage is kept', async () => {
    await begin()
    await world.createPool({ size: 1 })
    await world.settle()
    const [cluster] = await world.clusters()
    expect(cluster?.metadata.name).toMatch(/^pool-[a-z0-9]{5}$/)
    expect(cluster?.spec.clusterName).toBe(cluster?.metadata.name)
    expect((await world.pool()).status?.clusterNameUsage).toBeUndefined()
  })

  test('the install-config carries the name and the pool’s base domain', async () => {
    await begin()
    await world.createPool({ size: 1, inventory: world.inventory('foo') })
    await world.settle()
    const cluster = await world.cluster('foo')
    const secret = await world.store.get(Secret, {
      namespace: cluster!.metadata.namespace!,
      name: `${cluster!.metadata.name}-install-config`,
    })
    const config = parse(Buffer.from(secret.data!['install-config.yaml']!, 'base64').toString()) as object
    expect(config).toMatchObject({ metadata: { name: 'foo' }, baseDomain: 'example.com' })
  })

  test('a template keeps everything but the name and the base domain, and an entry adds its addresses and patches', async () => {
    await begin()
    const template = 'baseDomain: other\ncompute: [{replicas: 7}]\nplatform: {vsphere: {folder: /dc/vm/x}}\n'
    await world.store.create(Secret, { metadata: { name: 'template', namespace: home }, stringData: { 'install-config.yaml': template } })
    const entry = {
      name: 'foo',
      vSphere: { apiVIPs: ['10.0.0.10'] },
      installConfigPatches: [{ op: 'replace' as const, path: '/compute/0/replicas', valueJSON: '9' }],
    }
    await world.createPool({ size: 1, installConfigSecretTemplateRef: { name: 'template' }, inventory: { clusterDeployments: [entry] } })
    await world.settle()
    const { metadata } = (await world.cluster('foo'))!
    const secret = await world.store.get(Secret, { namespace: metadata.namespace!, name: `${metadata.name}-install-config` })
    expect(parse(Buffer.from(secret.data!['install-config.yaml']!, 'base64').toString())).toEqual({
      baseDomain: 'example.com',
      compute: [{ replicas: 9 }],
      platform: { vsphere: { folder: '/dc/vm/x', apiVIPs: ['10.0.0.10'] } },
      metadata: { name: 'foo' },
    })
  })

  test('an inventory is not only for vSphere', async () => {
    await begin()
    await world.createPool({
      size: 1,
      platform: { aws: { region: 'r', credentialsSecretRef: { name: 'creds' } } },
      inventory: world.inventory('foo'),
    })
    await world.settle()
    expect(await world.names()).toEqual(['foo'])
  })
})

describe('validation', () => {
  const at = 'spec.inventory.clusterDeployments'
  const cases = [
    { why: 'a name is missing', entries: [{ name: 'a' }, {}], path: `${at}[1].name` },
    { why: 'a name is empty', entries: [{ name: '' }], path: `${at}[0].name` },
    { why: 'a name stands twice', entries: [{ name: 'a' }, { name: 'b' }, { name: 'a' }], path: `${at}[2]` },
    { why: 'a name is no host name', entries: [{ name: 'A_b' }], path: `${at}[0].name` },
  ]
  test.each(cases)('a pool is refused on create and on update when $why, by the index', async ({ entries, path }) => {
    await begin({ install: false })
    const draft = { ...poolDraft(), spec: { ...poolDraft().spec, inventory: { clusterDeployments: entries as { name: string }[] } } }
    expect(
      decode(ClusterPool, { apiVersion: ClusterPool.apiVersion, kind: 'ClusterPool', ...draft }).problems.map(problem => problem.path),
    ).toContain(path)
    await expect(world.store.create(ClusterPool, draft)).rejects.toThrow(path)
    await world.createPool()
    await expect(world.changePool({ inventory: { clusterDeployments: entries as { name: string }[] } })).rejects.toThrow(path)
    expect((await world.pool()).spec.inventory).toBeUndefined()
  })

  test('an empty inventory is valid, and means no clusters', async () => {
    await begin()
    await world.createPool({ size: 2, inventory: { clusterDeployments: [] } })
    await world.settle()
    expect(await world.names()).toEqual([])
  })
})

describe('size and maximum', () => {
  test('a pool never has more clusters than names, and says so', async () => {
    await begin()
    await world.createPool({ size: 5, inventory: world.inventory('a', 'b', 'c') })
    await world.settle()
    expect(await world.names()).toEqual(['a', 'b', 'c'])
    expect(findCondition(await world.pool(), 'CapacityAvailable')).toMatchObject({ status: 'False', reason: 'InventoryExhausted' })
  })

  test('a smaller size or maximum works as ever', async () => {
    await begin()
    await world.createPool({ size: 3, maxSize: 2, inventory: world.inventory('a', 'b', 'c') })
    await world.settle()
    expect(await world.names()).toHaveLength(2)
    expect(findCondition(await world.pool(), 'CapacityAvailable')).toMatchObject({ status: 'False', reason: 'MaxCapacity' })
  })

  test('claims do not make more clusters than there are names', async () => {
    await begin()
    await world.createPool({ size: 1, maxSize: 10, inventory: world.inventory('a', 'b') })
    for (const name of ['w', 'x', 'y', 'z']) await world.claim(name)
    await world.seconds(300)
    expect(await world.names()).toEqual(['a', 'b'])
  })
})

describe('changes of the inventory', () => {
  test('adding one makes unclaimed clusters stale, and they are replaced one at a time', async () => {
    await begin()
    await world.createPool({ size: 3 })
    await world.seconds(200)
    await world.changePool({ inventory: world.inventory('a', 'b', 'c') })
    await world.settle()
    const deleting = (await world.clusters()).filter(({ metadata }) => metadata.deletionTimestamp !== undefined)
    expect(deleting).toHaveLength(1)
    expect(findCondition(await world.pool(), 'AllClustersCurrent')).toMatchObject({
      status: 'False',
      reason: 'SomeClusterDeploymentsStale',
    })
    await world.seconds(1_000)
    expect(await world.names()).toEqual(['a', 'b', 'c'])
    expect(findCondition(await world.pool(), 'AllClustersCurrent')).toMatchObject({ status: 'True' })
  })

  test('deleting it replaces them by clusters with generated names, and the usage goes with them', async () => {
    await begin()
    await world.createPool({ size: 2, inventory: world.inventory('a', 'b') })
    await world.seconds(200)
    await world.changePool({ inventory: undefined })
    await world.seconds(1_000)
    for (const name of await world.names()) expect(name).toMatch(/^pool-/)
    expect((await world.pool()).status?.clusterNameUsage).toBeUndefined()
  })

  test('a new entry becomes a new cluster if size allows, and touches no other', async () => {
    await begin()
    await world.createPool({ size: 3, inventory: world.inventory('a', 'b') })
    await world.seconds(200)
    const before = await world.clusters()
    await world.changePool({ inventory: world.inventory('a', 'b', 'c') })
    await world.settle()
    const after = await world.clusters()
    expect(after.map(({ spec }) => spec.clusterName).toSorted()).toEqual(['a', 'b', 'c'])
    for (const old of before)
      expect(after.find(({ metadata }) => metadata.uid === old.metadata.uid)?.metadata.resourceVersion).toBe(old.metadata.resourceVersion)
  })

  test('a new entry has no effect on a pool that is at its size', async () => {
    await begin()
    await world.createPool({ size: 1, inventory: world.inventory('a') })
    await world.settle()
    await world.changePool({ inventory: world.inventory('a', 'b') })
    await world.seconds(200)
    expect(await world.names()).toEqual(['a'])
    expect(await usage()).toMatchObject({ b: null })
  })

  test('removing an unused entry drops its key and nothing else', async () => {
    await begin()
    await world.createPool({ size: 1, inventory: world.inventory('a', 'b') })
    await world.seconds(200)
    const [before] = await world.clusters()
    const unused = before!.spec.clusterName === 'a' ? 'b' : 'a'
    await world.changePool({ inventory: world.inventory(before!.spec.clusterName) })
    await world.seconds(200)
    expect(Object.keys(await usage())).not.toContain(unused)
    expect((await world.clusters())[0]?.metadata.resourceVersion).toBe(before!.metadata.resourceVersion)
  })

  test('removing the entry of an unclaimed cluster removes exactly that one, and a free name takes its place', async () => {
    await begin()
    await world.createPool({ size: 2, inventory: world.inventory('a', 'b', 'c') })
    await world.seconds(200)
    const [leaver = '', stayer = ''] = await world.names()
    const spare = ['a', 'b', 'c'].find(name => name !== leaver && name !== stayer)!
    await world.changePool({ inventory: world.inventory(stayer, spare) })
    await world.settle()
    const deleting = (await world.clusters()).filter(({ metadata }) => metadata.deletionTimestamp !== undefined)
    expect(deleting.map(({ spec }) => spec.clusterName)).toEqual([leaver])
    await world.seconds(300)
    expect(await world.names()).toEqual([stayer, spare].toSorted())
    expect(Object.keys(await usage()).toSorted()).toEqual([stayer, spare].toSorted())
  })

  test('without a free name the removed one is not replaced', async () => {
    await begin()
    await world.createPool({ size: 2, inventory: world.inventory('a', 'b') })
    await world.seconds(200)
    await world.changePool({ inventory: world.inventory('a') })
    await world.seconds(300)
    expect(await world.names()).toEqual(['a'])
  })

  test('removing the entry of a claimed cluster changes nothing, and adding it again makes no second one', async () => {
    await begin()
    await world.createPool({ size: 1, runningCount: 1, inventory: world.inventory('a') })
    await world.seconds(200)
    await world.claim('mine')
    await world.seconds(10)
    const before = await world.cluster('a')
    await world.changePool({ inventory: world.inventory() })
    await world.seconds(200)
    expect(await usage()).toEqual({ a: before!.metadata.namespace })
    await world.changePool({ inventory: world.inventory('a') })
    await world.seconds(200)
    expect(await usage()).toEqual({ a: before!.metadata.namespace })
    expect((await world.clusters()).map(({ metadata }) => metadata.uid)).toEqual([before!.metadata.uid])
  })

  test('removals of entries keep to the limit of work at one time', async () => {
    await begin()
    await world.createPool({ size: 2, maxConcurrent: 1, inventory: world.inventory('a', 'b') })
    await world.seconds(300)
    await world.changePool({ inventory: world.inventory() })
    await world.settle()
    const isDeleting = (cluster: ClusterDeployment) => cluster.metadata.deletionTimestamp !== undefined
    expect((await world.clusters()).filter(isDeleting)).toHaveLength(1)
    await world.seconds(300)
    expect(await world.names()).toEqual([])
  })
})

describe('reservations', () => {
  const reserveByHand = async (name: string, namespace: string) =>
    world.edit(
      ClusterPool,
      await world.pool(),
      pool => ({ ...pool, status: { ...pool.status, clusterNameUsage: { [name]: namespace } } }),
      'status',
    )

  async function crashed(spec: Parameters<PoolWorld['createPool']>[0] = {}) {
    world = await PoolWorld.make()
    await world.createPool({ size: 1, inventory: world.inventory('foo'), ...spec })
    await reserveByHand('foo', 'foo-abcde')
  }

  test('a reservation without a cluster is completed in its namespace', async () => {
    await crashed()
    world.start()
    await world.settle()
    const cluster = await world.cluster('foo')
    expect(cluster?.metadata).toMatchObject({ name: 'foo-abcde', namespace: 'foo-abcde' })
    expect(await usage()).toEqual({ foo: 'foo-abcde' })
    expect(await world.metrics.text()).toMatch(/aviary_pool_reservations_recovered_total\{[^}]*\} 1/)
  })

  test('a reservation whose namespace is on its way out is given up, and another namespace is used', async () => {
    await crashed()
    await world.store.create(Namespace, { metadata: { name: 'foo-abcde', finalizers: ['test/hold'] } })
    await world.store.delete(Namespace, { name: 'foo-abcde' })
    world.start()
    await world.settle()
    const cluster = await world.cluster('foo')
    expect(cluster?.metadata.name).toMatch(/^foo-/)
    expect(cluster?.metadata.name).not.toBe('foo-abcde')
    expect(await usage()).toEqual({ foo: cluster?.metadata.name })
  })

  test('a reservation that is no longer wanted ends without a cluster', async () => {
    await crashed({ size: 0 })
    world.start()
    await world.seconds(200)
    expect(await world.names()).toEqual([])
    expect(await usage()).toEqual({ foo: null })
    expect(world.installer.clusters).toEqual([])
  })

  test('a reservation is kept while something that clusters need is missing', async () => {
    await crashed({ imageSetRef: { name: 'later' } })
    world.start()
    await world.seconds(100)
    expect(await world.names()).toEqual([])
    expect(await usage()).toEqual({ foo: 'foo-abcde' })
    expect(findCondition(await world.pool(), 'MissingDependencies')).toMatchObject({
      status: 'True',
      message: expect.stringContaining('"later" not found'),
    })
    await world.store.create(ClusterImageSet, { metadata: { name: 'later' }, spec: { releaseImage: 'x:1' } })
    await world.seconds(10)
    expect((await world.cluster('foo'))?.metadata.name).toBe('foo-abcde')
  })

  test('a name is free again when its cluster is really gone, and not before', async () => {
    await begin({ deprovisionSeconds: 100 })
    await world.createPool({ size: 1, inventory: world.inventory('foo') })
    await world.seconds(200)
    const old = await world.cluster('foo')
    await world.delete(ClusterDeployment, old)
    await world.seconds(50)
    expect((await world.clusters()).map(({ metadata }) => metadata.uid)).toEqual([old!.metadata.uid])
    await world.seconds(100)
    const [fresh] = await world.clusters()
    expect(fresh?.metadata.uid).not.toBe(old!.metadata.uid)
    expect(fresh?.metadata.name).not.toBe(old!.metadata.name)
    expect(await usage()).toEqual({ foo: fresh?.metadata.name })
  })

  test('a status that was lost is rebuilt from the clusters before anything is made', async () => {
    await begin()
    await world.createPool({ size: 1, runningCount: 1, inventory: world.inventory('foo', 'bar') })
    await world.seconds(200)
    await world.claim('mine')
    await world.seconds(200)
    const before = await world.clusters()
    await world.stop()
    await world.edit(ClusterPool, await world.pool(), ({ status: _lost, ...pool }) => ({ ...pool, status: {} }), 'status')
    world.start()
    await world.seconds(200)
    expect((await world.clusters()).map(({ metadata }) => metadata.uid)).toEqual(before.map(({ metadata }) => metadata.uid))
    expect(await usage()).toEqual(Object.fromEntries(before.map(({ spec, metadata }) => [spec.clusterName, metadata.namespace])))
  })

  test('a broken cluster gives its name back, and another name is preferred for its successor', async () => {
    await begin({ failEvery: 1 })
    await world.createPool({ size: 1, installAttemptsLimit: 1, inventory: world.inventory('a', 'b') })
    await world.seconds(5)
    const [first = ''] = await world.names()
    await world.seconds(90)
    expect((await world.pool()).status?.nameResults?.[first]).toMatchObject({ result: 'Failed' })
    const successor = (await world.clusters()).find(({ metadata }) => metadata.deletionTimestamp === undefined)
    expect(successor?.spec.clusterName).toBe(first === 'a' ? 'b' : 'a')
    expect(findCondition(await world.pool(), 'InventoryValid')?.message).toContain(`"BrokenByCloud":["${first}"]`)
  })

  test('a name that failed is left alone for the time of its quarantine', async () => {
    await begin({ failEvery: 1 })
    await world.createPool({ size: 1, installAttemptsLimit: 1, quarantine: '1h', inventory: world.inventory('a') })
    await world.seconds(600)
    expect(await world.names()).toEqual([])
    expect(findCondition(await world.pool(), 'Filled')).toMatchObject({ status: 'False', reason: 'NoFreeName', until: expect.any(String) })
    await world.seconds(3_090)
    expect(await world.names()).toEqual(['a'])
  })

  test('a name that two pools list is used by one of them only, and the other says so', async () => {
    await begin()
    await world.createPool({ size: 1, inventory: world.inventory('a') }, 'first')
    await world.seconds(2)
    await world.createPool({ size: 1, inventory: world.inventory('a') }, 'second')
    await world.seconds(200)
    expect(await world.names()).toEqual(['a'])
    expect(findCondition(await world.pool('second'), 'InventoryValid')).toMatchObject({
      status: 'False',
      message: expect.stringContaining('"Conflict":["a"]'),
    })
  })

  test('a pool that is deleted goes when its clusters have gone, and claimed ones hold it', async () => {
    await begin()
    await world.createPool({ size: 1, runningCount: 1, inventory: world.inventory('a', 'b') })
    await world.seconds(200)
    await world.claim('mine')
    await world.seconds(100)
    await world.delete(ClusterPool, await world.pool())
    await world.seconds(300)
    const held = await world.pool()
    expect(findCondition(held, 'DeletionPossible')).toMatchObject({ status: 'False', reason: 'ClusterDeploymentsPendingCleanup' })
    expect(await world.names()).toHaveLength(1)
    await world.delete(ClusterClaim, await world.getClaim('mine'))
    await world.seconds(300)
    await expect(world.pool()).rejects.toThrow('not found')
    expect(world.installer.clusters).toEqual([])
  })
})
