import { parse } from 'yaml'
import { afterEach, describe, expect, test } from 'vitest'
import { ClusterDeployment, ClusterImageSet, ClusterPool, decode, Secret } from '../kinds/index.ts'
import { findCondition } from '../control/index.ts'
import { home, poolDraft, PoolWorld, type WorldOptions } from './testing/pool-world.ts'

let world: PoolWorld
afterEach(() => world.stop())

async function begin(options: WorldOptions = {}): Promise<void> {
  world = await PoolWorld.started(options)
}

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
    const map = await world.usage()
    expect(Object.keys(map).toSorted()).toEqual(['bar', 'baz', 'foo'])
    expect(
      Object.values(map)
        .filter(value => value !== null)
        .toSorted(),
    ).toEqual(clusters.map(({ metadata }) => metadata.name).toSorted())
    expect((await world.pool()).status?.inventory).toEqual({ total: 3, free: 1, reserved: 2, broken: 0 })
  })

  test('of a pool with the longest name that there may be are cut, and still tell the pool', async () => {
    await begin()
    const longest = 'p'.repeat(63)
    await expect(world.createPool({}, `${longest}p`)).rejects.toThrow('no more than 63 characters')
    await world.createPool({ size: 2 }, longest)
    await world.seconds(200)
    for (const { metadata, spec } of await world.clusters()) {
      expect(metadata.name).toMatch(/^p{48}-[0-9a-f]{8}-[a-z0-9]{5}$/)
      expect(spec).toMatchObject({ clusterName: metadata.name, installed: true, clusterPoolRef: { poolName: longest } })
    }
    expect((await world.pool(longest)).status).toMatchObject({ size: 2, standby: 2 })
    await world.delete(ClusterPool, await world.pool(longest))
    await world.seconds(200)
    expect(await world.clusters()).toEqual([])
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

describe('a disabled name', () => {
  const entries = (...disabled: readonly string[]) => ({
    clusterDeployments: ['a', 'b'].map(name => ({ name, ...(disabled.includes(name) ? { disabled: true } : {}) })),
  })

  test('keeps the cluster that uses it, and so does every other; it is only not used anew', async () => {
    await begin()
    await world.createPool({ size: 2, inventory: entries() })
    await world.seconds(200)
    const before = await world.clusters()
    await world.changePool({ inventory: entries('b') })
    await world.seconds(200)
    expect((await world.clusters()).map(({ metadata }) => metadata.uid)).toEqual(before.map(({ metadata }) => metadata.uid))
    await world.delete(ClusterDeployment, await world.cluster('b'))
    await world.seconds(200)
    expect(await world.names()).toEqual(['a'])
    expect(findCondition(await world.pool(), 'Filled')).toMatchObject({ status: 'True' })
  })

  test('of a claimed cluster takes no place from the rest', async () => {
    await begin()
    await world.createPool({ size: 2, runningCount: 2, inventory: entries() })
    await world.seconds(200)
    await world.claim('mine')
    await world.seconds(10)
    const claimed = (await world.clusters()).find(({ spec }) => spec.clusterPoolRef?.claimName === 'mine')!
    await world.changePool({ inventory: entries(claimed.spec.clusterName) })
    await world.delete(ClusterDeployment, await world.cluster(claimed.spec.clusterName === 'a' ? 'b' : 'a'))
    await world.seconds(200)
    expect(await world.names()).toEqual(['a', 'b'])
  })
})

describe('a name that cannot be used', () => {
  const without = (name: string): WorldOptions => ({ checkNames: async (_, entry) => (entry.name === name ? ['api'] : []) })

  test('does not keep stale clusters from being replaced, one at a time', async () => {
    await begin(without('b'))
    await world.createPool({ size: 3, inventory: world.inventory('a', 'b', 'c') })
    await world.seconds(200)
    const before = (await world.clusters()).map(({ metadata }) => metadata.uid)
    await world.store.create(ClusterImageSet, { metadata: { name: 'next' }, spec: { releaseImage: 'x:2' } })
    await world.changePool({ imageSetRef: { name: 'next' } })
    for (let round = 0; round < 60; round++) {
      await world.seconds(10)
      const there = (await world.clusters()).filter(({ metadata, spec }) => metadata.deletionTimestamp === undefined && spec.installed)
      expect(there.length).toBeGreaterThan(0)
    }
    expect(await world.names()).toEqual(['a', 'c'])
    for (const { metadata } of await world.clusters()) expect(before).not.toContain(metadata.uid)
    expect(findCondition(await world.pool(), 'AllClustersCurrent')).toMatchObject({ status: 'True' })
  })

  test('costs one stale cluster at most if all are like that: what runs is not given for what cannot be made', async () => {
    let isDown = false
    await begin({ checkNames: async () => (isDown ? ['api'] : []) })
    await world.createPool({ size: 3, inventory: world.inventory('a', 'b', 'c') })
    await world.seconds(200)
    await world.store.create(ClusterImageSet, { metadata: { name: 'next' }, spec: { releaseImage: 'x:2' } })
    isDown = true
    await world.changePool({ imageSetRef: { name: 'next' } })
    await world.seconds(900)
    expect(await world.names()).toHaveLength(2)
    isDown = false
    await world.seconds(900)
    expect(await world.names()).toEqual(['a', 'b', 'c'])
    expect(findCondition(await world.pool(), 'AllClustersCurrent')).toMatchObject({ status: 'True' })
  })

  test('does not take a stale cluster from the claim that waits for it to start', async () => {
    await begin()
    await world.createPool({ size: 1, inventory: world.inventory('a') })
    await world.seconds(200)
    const [before] = await world.clusters()
    await world.store.create(ClusterImageSet, { metadata: { name: 'next' }, spec: { releaseImage: 'x:2' } })
    await world.claim('mine')
    await world.changePool({ imageSetRef: { name: 'next' } })
    await world.seconds(100)
    expect((await world.getClaim('mine')).spec.namespace).toBe(before?.metadata.namespace)
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

  test('adding one leaves claimed clusters as they are', async () => {
    await begin()
    await world.createPool({ size: 1, runningCount: 1 })
    await world.seconds(200)
    await world.claim('mine')
    await world.seconds(200)
    const { namespace = '' } = (await world.getClaim('mine')).spec
    await world.changePool({ inventory: world.inventory('a', 'b') })
    await world.seconds(1_000)
    const claimed = await world.store.get(ClusterDeployment, { namespace, name: namespace })
    expect(claimed.metadata.deletionTimestamp).toBeUndefined()
    expect((await world.names()).filter(name => name !== namespace)).toEqual(['a'])
  })

  test('deleting it replaces them, one at a time, by clusters with generated names, and the usage goes with them', async () => {
    await begin()
    await world.createPool({ size: 2, inventory: world.inventory('a', 'b') })
    await world.seconds(200)
    await world.changePool({ inventory: undefined })
    await world.settle()
    const isDeleting = ({ metadata }: ClusterDeployment) => metadata.deletionTimestamp !== undefined
    expect((await world.clusters()).filter(isDeleting)).toHaveLength(1)
    // One of the names is on its way out, the other is still in use.
    expect(Object.keys(await world.usage()).toSorted()).toEqual(['a', 'b'])
    await world.seconds(1_000)
    for (const name of await world.names()) expect(name).toMatch(/^pool-/)
    expect((await world.pool()).status?.clusterNameUsage).toBeUndefined()
  })

  test.each([
    [
      'deletes them by hand',
      async () => {
        for (const cluster of await world.clusters()) await world.delete(ClusterDeployment, cluster)
      },
    ],
    [
      'scales the pool to zero and back',
      async () => {
        await world.changePool({ size: 0 })
        await world.settle()
        await world.changePool({ size: 3 })
      },
    ],
  ])('who deleted it and does not want to wait %s', async (_, hurry) => {
    await begin()
    await world.createPool({ size: 3, inventory: world.inventory('a', 'b', 'c') })
    await world.seconds(200)
    await world.changePool({ inventory: undefined })
    await hurry()
    // All at once, not one after another: a removal takes 30 seconds.
    await world.seconds(35)
    const names = await world.names()
    expect(names).toHaveLength(3)
    for (const name of names) expect(name).toMatch(/^pool-/)
  })

  test.each([undefined, 10])('a new entry becomes a new cluster if size and a maximum of %s allow, and touches no other', async maxSize => {
    await begin()
    await world.createPool({ size: 3, maxSize, inventory: world.inventory('a', 'b') })
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
    expect(await world.usage()).toMatchObject({ b: null })
  })

  test('a new entry has no effect on a pool that is at its maximum', async () => {
    await begin()
    await world.createPool({ size: 2, maxSize: 1, inventory: world.inventory('a') })
    await world.settle()
    await world.changePool({ inventory: world.inventory('a', 'b') })
    await world.seconds(200)
    expect(await world.names()).toEqual(['a'])
  })

  test('removing an unused entry drops its key and nothing else', async () => {
    await begin()
    await world.createPool({ size: 1, inventory: world.inventory('a', 'b') })
    await world.seconds(200)
    const [before] = await world.clusters()
    const unused = before!.spec.clusterName === 'a' ? 'b' : 'a'
    await world.changePool({ inventory: world.inventory(before!.spec.clusterName) })
    await world.seconds(200)
    expect(Object.keys(await world.usage())).not.toContain(unused)
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
    expect(Object.keys(await world.usage()).toSorted()).toEqual([stayer, spare].toSorted())
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
    expect(await world.usage()).toEqual({ a: before!.metadata.namespace })
    expect(findCondition(await world.pool(), 'CapacityAvailable')).toMatchObject({
      reason: 'InventoryExhausted',
      message: 'The pool has 1 cluster, of which 1 has no name of its inventory, and the inventory has 0 names.',
    })
    await world.changePool({ inventory: world.inventory('a') })
    await world.seconds(200)
    expect(await world.usage()).toEqual({ a: before!.metadata.namespace })
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
