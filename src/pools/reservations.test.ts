import { namespaceLabels } from './cluster-namespace.ts'
import { afterEach, describe, expect, test } from 'vitest'
import { ClusterClaim, ClusterDeployment, ClusterImageSet, ClusterPool, Namespace } from '../kinds/index.ts'
import type { Draft, Kind } from '../kinds/index.ts'
import { findCondition } from '../control/index.ts'
import { removalAnnotation } from './names.ts'
import { passThrough } from './testing/pass-through.ts'
import { PoolWorld, type WorldOptions } from './testing/pool-world.ts'

let world: PoolWorld
afterEach(() => world.stop())

async function begin(options: WorldOptions = {}): Promise<void> {
  world = await PoolWorld.started(options)
}

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

  /** Notes the clusters that are made, and those that the installer is asked for. */
  function witness(): { readonly made: readonly string[]; readonly installed: readonly string[] } {
    const [made, installed]: [string[], string[]] = [[], []]
    const create = world.store.create.bind(world.store)
    world.store.create = async (kind, draft, options) => {
      const { metadata, spec } = draft as unknown as Draft<ClusterDeployment>
      const mark = metadata.annotations?.[removalAnnotation] === undefined ? '' : ', to be removed'
      if ((kind as Kind) === (ClusterDeployment as Kind)) made.push(`${metadata.name} called ${spec.clusterName}${mark}`)
      return create(kind, draft, options)
    }
    const install = world.installer.install.bind(world.installer)
    world.installer.install = request => {
      installed.push(request.clusterName)
      return install(request)
    }
    return { made, installed }
  }

  test('a reservation without a cluster is completed in its namespace', async () => {
    await crashed()
    world.start()
    await world.settle()
    const cluster = await world.cluster('foo')
    expect(cluster?.metadata).toMatchObject({ name: 'foo-abcde', namespace: 'foo-abcde' })
    expect(await world.usage()).toEqual({ foo: 'foo-abcde' })
    expect(await world.metrics.text()).toMatch(/aviary_pool_reservations_recovered_total\{[^}]*\} 1/)
  })

  test('a reservation whose cluster was made, and memory does not show it yet, makes no second one', async () => {
    let isBlind = false
    world = await PoolWorld.make({
      wrap: store => ({
        ...passThrough(store),
        async *watch(kind, options) {
          for await (const batch of store.watch(kind, options)) if ((kind as Kind) !== (ClusterDeployment as Kind) || !isBlind) yield batch
        },
      }),
    })
    world.start()
    await world.settle()
    isBlind = true
    await world.createPool({ size: 1, inventory: world.inventory('foo') })
    await world.settle()
    const [made] = await world.clusters()
    expect(made?.spec.clusterName).toBe('foo')
    // Another look, still blind: the ledger says that there is one, memory says that there is none.
    await world.changePool({ labels: { look: 'again' } })
    await world.seconds(30)
    expect((await world.clusters()).map(({ metadata }) => metadata.uid)).toEqual([made?.metadata.uid])
    expect(await world.usage()).toEqual({ foo: made?.metadata.name })
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
    expect(await world.usage()).toEqual({ foo: cluster?.metadata.name })
  })

  test('a reservation that is no longer wanted ends without a cluster', async () => {
    await crashed({ size: 0 })
    const { made, installed } = witness()
    world.start()
    await world.seconds(5)
    // So that nobody else makes it meanwhile it is made: to be removed, from the first moment on, and without the name.
    expect(made).toEqual(['foo-abcde called foo-abcde, to be removed'])
    expect(installed).toEqual([])
    expect(await world.clusters()).toEqual([])
    expect(await world.usage()).toEqual({ foo: null })
    expect(findCondition(await world.pool(), 'Filled')).toMatchObject({ status: 'True', message: expect.stringContaining('0 of 0') })
  })

  test('a reservation whose entry has left the inventory ends without a cluster', async () => {
    await crashed({ inventory: { clusterDeployments: [{ name: 'bar' }] } })
    const { made, installed } = witness()
    world.start()
    await world.seconds(200)
    expect(made).toEqual(['foo-abcde called foo-abcde, to be removed', expect.stringMatching(/^bar-\w+ called bar$/)])
    expect(new Set(installed)).toEqual(new Set(['bar']))
    expect(Object.keys(await world.usage())).toEqual(['bar'])
  })

  test('a reservation is kept while something that clusters need is missing', async () => {
    await crashed({ imageSetRef: { name: 'later' } })
    world.start()
    await world.seconds(100)
    expect(await world.names()).toEqual([])
    expect(await world.usage()).toEqual({ foo: 'foo-abcde' })
    expect(findCondition(await world.pool(), 'MissingDependencies')).toMatchObject({
      status: 'True',
      message: expect.stringContaining('"later" not found'),
    })
    await world.store.create(ClusterImageSet, { metadata: { name: 'later' }, spec: { releaseImage: 'x:1' } })
    await world.seconds(10)
    expect((await world.cluster('foo'))?.metadata.name).toBe('foo-abcde')
    expect(findCondition(await world.pool(), 'Filled')).toMatchObject({
      reason: 'Installing',
      message: expect.stringContaining('1 is being'),
    })
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
    expect(await world.usage()).toEqual({ foo: fresh?.metadata.name })
  })

  test('a name is struck out before the last trace of its cluster goes', async () => {
    const seen: unknown[] = []
    await begin({
      wrap: store => ({
        ...passThrough(store),
        update: async (kind, object, options) => {
          const isLast = (kind as Kind) === (ClusterDeployment as Kind) && (object.metadata.finalizers ?? []).length === 0
          if (isLast) seen.push((await world.usage())['foo'])
          return store.update(kind, object, options)
        },
      }),
    })
    await world.createPool({ size: 1, inventory: world.inventory('foo') })
    await world.seconds(200)
    await world.delete(ClusterDeployment, await world.cluster('foo'))
    await world.seconds(100)
    expect(seen).toEqual([null])
  })

  test('two clusters with one name are told of, the one in the ledger stays there, and no third is made', async () => {
    await begin()
    await world.createPool({ size: 2, inventory: world.inventory('foo', 'bar') })
    await world.seconds(200)
    const before = await world.usage()
    // Nothing is removed meanwhile, though there is one too many now.
    await world.changePool({ maxConcurrent: 0 })
    // Somebody restored a backup beside what it was taken of.
    const original = (await world.cluster('foo'))!
    await world.store.create(Namespace, { metadata: { name: 'foo-copy', labels: namespaceLabels(await world.pool()) } })
    await world.store.create(ClusterDeployment, { metadata: { name: 'foo-copy', namespace: 'foo-copy' }, spec: original.spec })
    await world.seconds(200)
    expect(await world.names()).toEqual(['bar', 'foo', 'foo'])
    expect(await world.usage()).toEqual(before)
    expect(findCondition(await world.pool(), 'InventoryValid')?.message).toContain('"Duplicate":["foo"]')
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
    expect(await world.usage()).toEqual(Object.fromEntries(before.map(({ spec, metadata }) => [spec.clusterName, metadata.namespace])))
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

  test('a broken cluster is replaced though there is another name, which cannot be used', async () => {
    await begin({ checkNames: async (_, { name }) => (name === 'b' ? ['api.b.example.com'] : []) })
    await world.createPool({ size: 2, inventory: world.inventory('a', 'b') })
    await world.seconds(200)
    expect(await world.names()).toEqual(['a'])
    const broken = (await world.cluster('a'))!
    const stop = (conditions: NonNullable<ClusterDeployment['status']>['conditions'] = []) =>
      conditions.map(each => (each.type === 'ProvisionStopped' ? { ...each, status: 'True' as const } : each))
    await world.edit(
      ClusterDeployment,
      broken,
      object => ({ ...object, status: { ...object.status, conditions: stop(object.status?.conditions) } }),
      'status',
    )
    await world.seconds(200)
    const [successor, ...others] = await world.clusters()
    expect(others).toEqual([])
    expect(successor?.spec.clusterName).toBe('a')
    expect(successor?.metadata.uid).not.toBe(broken.metadata.uid)
    expect(findCondition(await world.pool(), 'InventoryValid')?.message).toContain('"Unresolved":{"b":["api.b.example.com"]}')
    expect(findCondition(await world.pool(), 'Filled')).toMatchObject({ status: 'False', reason: 'NoUsableName' })
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
      unblock: 'take a out of one of the pools that want it',
    })
    expect(findCondition(await world.pool('second'), 'Filled')).toMatchObject({ status: 'False', reason: 'NoFreeName' })
  })

  test('every host name can be used, also those that objects of JavaScript have', async () => {
    await begin()
    await world.createPool({ size: 2, inventory: world.inventory('constructor', 'valueof') })
    await world.seconds(200)
    expect((await world.names()).toSorted()).toEqual(['constructor', 'valueof'])
  })

  test('a name that two pools reserved in the same moment is installed for one of them only, in the end for the older', async () => {
    world = await PoolWorld.make()
    for (const [name, seconds] of [
      ['older', 5],
      ['younger', 0],
    ] as const) {
      await world.createPool({ size: 1, inventory: world.inventory('a') }, name)
      const usage = { clusterNameUsage: { a: `a-${name}` } }
      await world.edit(ClusterPool, await world.pool(name), pool => ({ ...pool, status: { ...pool.status, ...usage } }), 'status')
      await world.seconds(seconds)
    }
    world.start()
    for (let second = 0; second < 300; second++) {
      await world.seconds(1)
      expect(world.installer.clusters.length).toBeLessThan(2)
    }
    expect((await world.clusters()).map(({ spec }) => [spec.clusterName, spec.clusterPoolRef?.poolName])).toEqual([['a', 'older']])
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
