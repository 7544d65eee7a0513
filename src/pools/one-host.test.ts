import { parse } from 'yaml'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { ClusterDeployment, ClusterDeploymentCustomization, ClusterPool, Namespace, Secret } from '../kinds/index.ts'
import { findCondition } from '../control/index.ts'
import { deprovisionFinalizer } from './names.ts'
import { passThrough } from './testing/pass-through.ts'
import { namespaceLabels } from './cluster-namespace.ts'
import { home, PoolWorld } from './testing/pool-world.ts'

// A cluster answers at api.NAME.BASEDOMAIN: the name that was chosen is the one that it is installed under, and nobody else has it.

let world: PoolWorld
beforeEach(async () => {
  world = await PoolWorld.make()
})
afterEach(() => world.stop())

type Patches = NonNullable<ClusterDeploymentCustomization['spec']['installConfigPatches']>
const naming = (value: string): Patches => [{ op: 'replace', path: '/metadata/name', value }]

const customization = (name: string, installConfigPatches: Patches) =>
  world.store.create(ClusterDeploymentCustomization, { metadata: { name, namespace: home }, spec: { installConfigPatches } })
const listed = (name: string) => ({ name, customizationRef: { name }, generateName: true })
const hosts = () => world.installer.clusters.map(({ host }) => host).toSorted()
const told = async (type: string, pool = 'pool') => findCondition(await world.pool(pool), type)
const troubleOf = async () => JSON.parse((await told('InventoryValid'))?.message || '{}') as Record<string, readonly string[]>
const configOf = async (clusterName: string): Promise<unknown> => {
  const { name } = (await world.cluster(clusterName))!.metadata
  const { data } = await world.store.get(Secret, { namespace: name, name: `${name}-install-config` })
  return parse(Buffer.from(data!['install-config.yaml']!, 'base64').toString())
}

describe('two entries of a pool that want one name', () => {
  test.each([
    ['two customizations give it', [listed('one'), listed('two')], 'two'],
    ['one is called so, the customization of another gives it', [{ name: 'kestrel' }, listed('one')], 'one'],
  ])('get one cluster, and the other entry is told of: %s', async (_, clusterDeployments, other) => {
    for (const name of ['one', 'two']) await customization(name, naming('kestrel'))
    world.start()
    await world.createPool({ size: 2, inventory: { clusterDeployments } })
    for (let second = 0; second < 100; second++) {
      await world.seconds(1)
      expect((await world.clusters()).length).toBeLessThan(2)
    }
    expect(hosts()).toEqual(['kestrel.example.com'])
    expect(await troubleOf()).toMatchObject({ Duplicate: [other] })
    expect(await told('InventoryValid')).toMatchObject({ unblock: expect.stringContaining(`give ${other} a name`) })
    expect((await world.pool()).status?.inventory).toMatchObject({ total: 2, free: 0, reserved: 1 })
  })

  test('get one cluster though both were decided on, before the names were the same', async () => {
    for (const name of ['one', 'two']) await customization(name, naming('kestrel'))
    await world.createPool({ size: 2, inventory: { clusterDeployments: [listed('one'), listed('two')] } })
    const usage = { clusterNameUsage: { one: 'pool-aaaaa', two: 'pool-bbbbb' } }
    await world.edit(ClusterPool, await world.pool(), pool => ({ ...pool, status: { ...pool.status, ...usage } }), 'status')
    world.start()
    for (let second = 0; second < 200; second++) {
      await world.seconds(1)
      expect(world.installer.clusters.length).toBeLessThan(2)
      expect((await world.names()).filter(name => name === 'kestrel').length).toBeLessThan(2)
    }
    expect(await world.names()).toEqual(['kestrel'])
    expect(await world.usage()).toEqual({ one: 'pool-aaaaa', two: null })
  })

  test('do so one after another: when the first is disabled and gone, the second has its turn', async () => {
    for (const name of ['one', 'two']) await customization(name, naming('kestrel'))
    world.start()
    await world.createPool({ size: 1, inventory: { clusterDeployments: [listed('one'), listed('two')] } })
    await world.seconds(100)
    const [first] = await world.clusters()
    await world.changePool({ inventory: { clusterDeployments: [{ ...listed('one'), disabled: true }, listed('two')] } })
    await world.delete(ClusterDeployment, first)
    await world.seconds(200)
    expect(await world.usage()).toMatchObject({ one: null, two: expect.stringMatching(/^pool-/) })
    expect(hosts()).toEqual(['kestrel.example.com'])
    expect(await troubleOf()).toEqual({})
  })
})

test.each([
  ['the one that is called so', 'older'],
  ['the one whose customization gives it', 'younger'],
])('of two pools that reserved a name at once, by an entry and by a customization, one installs it: %s came first', async (_, plain) => {
  await customization('one', naming('kestrel'))
  for (const name of ['older', 'younger']) {
    const entry = name === plain ? { name: 'kestrel' } : listed('one')
    await world.createPool({ size: 1, inventory: { clusterDeployments: [entry] } }, name)
    const usage = { clusterNameUsage: { [entry.name]: `kestrel-${name}` } }
    await world.edit(ClusterPool, await world.pool(name), pool => ({ ...pool, status: { ...pool.status, ...usage } }), 'status')
    await world.seconds(5)
  }
  world.start()
  for (let second = 0; second < 300; second++) {
    await world.seconds(1)
    expect(world.installer.clusters.length).toBeLessThan(2)
  }
  expect((await world.clusters()).map(({ spec }) => [spec.clusterName, spec.clusterPoolRef?.poolName])).toEqual([['kestrel', 'older']])
  expect(await told('InventoryValid', 'younger')).toMatchObject({ message: expect.stringContaining('"Conflict"') })
})

test('a name that a customization gives up is used by the pool that lists it, without anybody asking', async () => {
  await customization('one', naming('kestrel'))
  world.start()
  await world.createPool({ size: 0, inventory: { clusterDeployments: [listed('one')] } }, 'older')
  await world.seconds(5)
  await world.createPool({ size: 1, inventory: world.inventory('kestrel') })
  await world.seconds(100)
  expect(await world.names()).toEqual([])
  const one = await world.store.get(ClusterDeploymentCustomization, { namespace: home, name: 'one' })
  await world.edit(ClusterDeploymentCustomization, one, object => ({ ...object, spec: { installConfigPatches: naming('merlin') } }))
  await world.settle()
  expect(await world.names()).toEqual(['kestrel'])
})

test('a customization that is changed while its cluster is made does not give that one another’s name', async () => {
  let isRenamed = false
  world = await PoolWorld.make({
    wrap: store => ({
      ...passThrough(store),
      get: async (kind, key) => {
        const found = await store.get(kind, key)
        if (kind.name !== 'ClusterDeploymentCustomization' || isRenamed) return found
        // Whoever makes the cluster asks for it once more, and memory does not show the change yet.
        isRenamed = true
        return store.update(kind, { ...found, spec: { installConfigPatches: naming('heron') } })
      },
    }),
  })
  await customization('one', naming('kestrel'))
  world.start()
  await world.createPool({ size: 2, inventory: { clusterDeployments: [{ name: 'heron' }, listed('one')] } })
  for (let second = 0; second < 200; second++) {
    await world.seconds(1)
    expect((await world.names()).filter(name => name === 'heron').length).toBeLessThan(2)
  }
  expect(isRenamed).toBe(true)
  expect(await world.names()).toEqual(['heron'])
  expect(await troubleOf()).toMatchObject({ Duplicate: ['one'] })
})

test('a customization that is changed after its cluster was half made gives the name that the cluster is installed under', async () => {
  let isCutOff = true
  world = await PoolWorld.make({
    wrap: store => ({
      ...passThrough(store),
      create: async (kind, draft, options) => {
        if (isCutOff && kind.name === 'ClusterDeployment') throw new Error('cut off')
        return store.create(kind, draft, options)
      },
    }),
  })
  await customization('one', naming('kestrel'))
  world.start()
  await world.createPool({ size: 1, inventory: { clusterDeployments: [listed('one')] } })
  await world.seconds(5)
  const one = await world.store.get(ClusterDeploymentCustomization, { namespace: home, name: 'one' })
  await world.edit(ClusterDeploymentCustomization, one, object => ({ ...object, spec: { installConfigPatches: naming('merlin') } }))
  isCutOff = false
  await world.seconds(200)
  expect(await world.names()).toEqual(['merlin'])
  expect(await configOf('merlin')).toMatchObject({ metadata: { name: 'merlin' } })
})

describe('a patch that would rename a cluster is refused', () => {
  const astray = 'it gives the cluster another name or base domain than the pool has for it'
  const whole = (name: string): Patches => [{ op: 'replace', path: '/metadata', valueJSON: JSON.stringify({ name }) }]
  const elsewhere: Patches = [{ op: 'replace', path: '/baseDomain', value: 'other.example.com' }]

  test.each<[string, object]>([
    ['of an entry’s customization', { inventory: { clusterDeployments: [{ name: 'heron', customizationRef: { name: 'patches' } }] } }],
    ['of an entry itself', { inventory: { clusterDeployments: [{ name: 'heron', installConfigPatches: naming('ibis') }] } }],
    ['of the base domain', { inventory: { clusterDeployments: [{ name: 'heron', installConfigPatches: elsewhere }] } }],
    ['of all that there is to say about names', { inventory: { clusterDeployments: [listed('whole')] } }],
    ['to no host name', { inventory: { clusterDeployments: [listed('ugly')] } }],
    ['to that of its entry, which clusters with generated names do not have', { inventory: { clusterDeployments: [listed('ibis')] } }],
  ])('%s', async (_, spec) => {
    await customization('patches', naming('ibis'))
    for (const name of ['whole', 'ibis']) await customization(name, whole('ibis'))
    await customization('ugly', naming('I_bis'))
    world.start()
    await world.createPool({ size: 1, ...spec })
    await world.seconds(100)
    expect(await world.clusters()).toEqual([])
    expect((await troubleOf())['BrokenBySyntax']).toHaveLength(1)
    expect(await told('Filled')).toMatchObject({ status: 'False', reason: 'NoUsableName', unblock: expect.stringContaining('correct') })
  })

  test('of the customization of the whole pool, with an inventory and without, until it is corrected', async () => {
    await customization('patches', naming('ibis'))
    world.start()
    await world.createPool({ size: 2, customizationRef: { name: 'patches' }, inventory: world.inventory('heron', 'ibis') })
    await world.createPool({ size: 2, customizationRef: { name: 'patches' } }, 'nameless')
    await world.seconds(100)
    // The one that is called so anyway may be.
    expect(await world.names()).toEqual(['ibis'])
    expect(await troubleOf()).toMatchObject({ BrokenBySyntax: ['heron'] })
    expect(await told('MissingDependencies', 'nameless')).toMatchObject({ status: 'True', message: expect.stringContaining(astray) })
    const patches = await world.store.get(ClusterDeploymentCustomization, { namespace: home, name: 'patches' })
    await world.edit(ClusterDeploymentCustomization, patches, object => ({ ...object, spec: {} }))
    await world.seconds(100)
    expect(await world.clusters()).toHaveLength(4)
  })

  test('of a pool without an inventory, though it gives the name of the pool', async () => {
    await customization('patches', whole('pool'))
    world.start()
    await world.createPool({ size: 1, customizationRef: { name: 'patches' } })
    await world.seconds(100)
    expect(await world.clusters()).toEqual([])
    expect(await told('MissingDependencies')).toMatchObject({ status: 'True', message: expect.stringContaining(astray) })
  })

  test('but one that leads astray and back again is not', async () => {
    world.start()
    const installConfigPatches = [...naming('ibis'), ...naming('heron')]
    await world.createPool({ size: 1, inventory: { clusterDeployments: [{ name: 'heron', installConfigPatches }] } })
    await world.seconds(100)
    expect(await configOf('heron')).toMatchObject({ metadata: { name: 'heron' } })
  })

  test('though it did fit when the name was chosen: the place is given up, and told of', async () => {
    await customization('patches', naming('heron'))
    await world.createPool({ size: 1, inventory: { clusterDeployments: [{ name: 'heron', customizationRef: { name: 'patches' } }] } })
    const reserved = { clusterNameUsage: { heron: 'heron-aaaaa' } }
    await world.edit(ClusterPool, await world.pool(), pool => ({ ...pool, status: { ...pool.status, ...reserved } }), 'status')
    const patches = await world.store.get(ClusterDeploymentCustomization, { namespace: home, name: 'patches' })
    await world.edit(ClusterDeploymentCustomization, patches, object => ({ ...object, spec: { installConfigPatches: naming('ibis') } }))
    world.start()
    await world.seconds(100)
    expect(await world.clusters()).toEqual([])
    expect(await world.usage()).toEqual({ heron: null })
    expect(await troubleOf()).toMatchObject({ BrokenBySyntax: ['heron'] })
  })

  test('though another program has just made the cluster from what did fit: that one keeps its place', async () => {
    let isMade = false
    const usages: unknown[] = []
    world = await PoolWorld.make({
      wrap: store => ({
        ...passThrough(store),
        get: async (kind, key) => {
          const found = await store.get(kind, key)
          if (kind.name !== 'ClusterDeploymentCustomization' || isMade) return found
          isMade = true
          const { platform, baseDomain, imageSetRef } = (await world.pool()).spec
          const provisioning = { installConfigSecretRef: { name: 'heron-aaaaa-install-config' }, imageSetRef }
          const clusterPoolRef = { namespace: home, poolName: 'pool', clusterDeploymentCustomization: { name: 'patches' } }
          await store.create(Namespace, { metadata: { name: 'heron-aaaaa', labels: namespaceLabels(await world.pool()) } })
          await store.create(ClusterDeployment, {
            metadata: { namespace: 'heron-aaaaa', name: 'heron-aaaaa', finalizers: [deprovisionFinalizer] },
            spec: { clusterName: 'heron', baseDomain, platform, provisioning, clusterPoolRef },
          })
          return store.update(kind, { ...found, spec: { installConfigPatches: naming('ibis') } })
        },
        update: async (kind, object, options) => {
          if (kind.name === 'ClusterPool') usages.push((object as unknown as ClusterPool).status?.clusterNameUsage)
          return store.update(kind, object, options)
        },
      }),
    })
    await customization('patches', naming('heron'))
    await world.createPool({ size: 1, inventory: { clusterDeployments: [{ name: 'heron', customizationRef: { name: 'patches' } }] } })
    const reserved = { clusterNameUsage: { heron: 'heron-aaaaa' } }
    await world.edit(ClusterPool, await world.pool(), pool => ({ ...pool, status: { ...pool.status, ...reserved } }), 'status')
    world.start()
    await world.settle()
    expect(await world.names()).toEqual(['heron'])
    for (const usage of usages) expect(usage).toEqual({ heron: 'heron-aaaaa' })
  })
})
