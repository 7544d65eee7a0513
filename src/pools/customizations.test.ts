import { afterEach, describe, expect, test } from 'vitest'
import { isoTime } from '../ports/index.ts'
import { ClusterDeployment, ClusterDeploymentCustomization, ClusterPool, Secret } from '../kinds/index.ts'
import type { Condition, Kind } from '../kinds/index.ts'
import { findCondition } from '../control/index.ts'
import type { Store } from '../store/index.ts'
import { versionAnnotation } from './names.ts'
import { poolVersion } from './pool/pool-version.ts'
import { clusterByHand, type Traits } from './testing/cluster-by-hand.ts'
import { passThrough } from './testing/pass-through.ts'
import { home, poolDraft, PoolWorld, type WorldOptions } from './testing/pool-world.ts'

// The rows about inventories of the specification's table (hive-clusterpool §4.1), with the list form that Hive has, and what follows.

let world: PoolWorld
afterEach(() => world.stop())

type Patch = NonNullable<ClusterDeploymentCustomization['spec']['installConfigPatches']>[number]

/** Every status that a customization was given: `name: reason cluster`. */
let history: string[]

function watched(store: Store): Store {
  return {
    ...passThrough(store),
    update: async (kind, object, options) => {
      const written = await store.update(kind, object, options)
      if ((kind as Kind) === (ClusterDeploymentCustomization as Kind) && options?.subresource === 'status') {
        const { metadata, status } = written as unknown as ClusterDeploymentCustomization
        const reason = status?.conditions?.find(({ type }) => type === 'ApplySucceeded')?.reason ?? 'Unused'
        history.push(`${metadata.name}: ${reason} ${status?.clusterDeploymentRef?.name ?? 'free'}`)
      }
      return written
    },
  }
}

async function make(options: WorldOptions = {}): Promise<void> {
  history = []
  world = await PoolWorld.make({ install: false, wrap: watched, ...options })
}

/** A pool whose inventory is written in the list form. */
function listPool(names: readonly string[], spec: object = {}, name = 'pool') {
  const draft = poolDraft({ size: 1, ...spec }, name)
  return world.store.create(ClusterPool, { ...draft, spec: { ...draft.spec, inventory: names.map(each => ({ name: each })) as never } })
}

interface Past {
  readonly reason?: 'Succeeded' | 'BrokenByCloud' | undefined
  readonly hoursAgo?: number
  readonly reservedFor?: string
  readonly clusterPoolRef?: string
  readonly patches?: readonly Patch[]
  readonly finalizers?: readonly string[]
}

async function customization(name: string, { reason, hoursAgo = 0, reservedFor, clusterPoolRef, patches, finalizers }: Past = {}) {
  const lastTransitionTime = isoTime(world.clock.now() - hoursAgo * 3_600_000)
  const made = await world.store.create(ClusterDeploymentCustomization, {
    metadata: { name, namespace: home, ...(finalizers === undefined ? {} : { finalizers }) },
    spec: patches === undefined ? {} : { installConfigPatches: patches },
  })
  const conditions: Condition[] = [
    ...(reason === undefined
      ? []
      : [
          {
            type: 'ApplySucceeded',
            status: reason === 'Succeeded' ? ('True' as const) : ('False' as const),
            reason,
            message: '',
            lastTransitionTime,
          },
        ]),
    { type: 'Available', status: reservedFor === undefined ? 'True' : 'False', reason: 'X', message: '', lastTransitionTime },
  ]
  const refs = {
    ...(reservedFor === undefined
      ? {}
      : { clusterDeploymentRef: { name: reservedFor }, clusterPoolRef: { name: clusterPoolRef ?? 'pool' } }),
    ...(reservedFor === undefined && clusterPoolRef !== undefined ? { clusterPoolRef: { name: clusterPoolRef } } : {}),
  }
  if (reason === undefined && reservedFor === undefined && clusterPoolRef === undefined) return
  await world.store.update(ClusterDeploymentCustomization, { ...made, status: { ...refs, conditions } }, { subresource: 'status' })
}

/** The cluster c1 of the pool, made by somebody before. */
async function c1(traits: Traits): Promise<string | undefined> {
  return (await clusterByHand(world, 'c1', { customization: 'test-cdc-1', ...traits })).metadata.uid
}

/** Nobody uninstalls anything in these rows, so that the place of a cluster that was removed is filled at once. */
const uids = async () => (await world.clusters()).map(({ metadata }) => metadata.uid)

const cdc = (name = 'test-cdc-1') => world.store.get(ClusterDeploymentCustomization, { namespace: home, name })
const reasonOf = async (name?: string) => findCondition(await cdc(name), 'ApplySucceeded')?.reason
const userOf = async (name?: string) => (await cdc(name)).status?.clusterDeploymentRef?.name
const valid = async () => findCondition(await world.pool(), 'InventoryValid')
const troubleOf = async () => JSON.parse((await valid())?.message ?? '{}') as Record<string, readonly string[]>
const copies = async (namespace: string) => (await world.store.list(ClusterDeploymentCustomization, { namespace })).items.length
const versionWithInventory = () => poolVersion({ ...poolDraft().spec, inventory: {} })
async function run(): Promise<void> {
  world.start()
  await world.settle()
}

describe('rows of the specification', () => {
  test('cp with inventory and cdc exists is valid', async () => {
    await make()
    await customization('test-cdc-1')
    await listPool(['test-cdc-1'])
    await run()
    const [cluster, ...others] = await world.clusters()
    expect(others).toEqual([])
    expect(await valid()).toMatchObject({ status: 'True', reason: 'Valid' })
    expect(await userOf()).toBe(cluster!.metadata.name)
    expect(cluster!.metadata.name).toMatch(/^pool-/)
    expect(cluster!.spec.clusterPoolRef?.clusterDeploymentCustomization).toEqual({ name: 'test-cdc-1' })
    expect(await reasonOf()).toBe('InstallationPending')
    expect(findCondition(await cdc(), 'Available')).toMatchObject({ status: 'False', reason: 'Reserved', message: 'reserved' })
    expect((await cdc()).metadata.finalizers).toEqual(['hive.openshift.io/pool'])
    expect(cluster!.metadata.annotations?.[versionAnnotation]).toBe(versionWithInventory())
    expect(await copies(cluster!.metadata.name)).toBe(1)
  })

  test('cp with inventory and customizationRef, and cp with customizationRef', async () => {
    await make()
    for (const name of ['test-cdc-1', 'non-inventory-cdc']) await customization(name)
    await listPool(['test-cdc-1'], { customizationRef: { name: 'non-inventory-cdc' } })
    await world.createPool({ size: 1, customizationRef: { name: 'non-inventory-cdc' } }, 'plain')
    await run()
    const [both, one] = ['pool', 'plain'].map(async name =>
      (await world.clusters()).find(({ spec }) => spec.clusterPoolRef?.poolName === name),
    )
    expect(await copies((await both)!.metadata.name)).toBe(2)
    expect(await copies((await one)!.metadata.name)).toBe(1)
    expect(await userOf()).toBe((await both)!.metadata.name)
    expect(await userOf('non-inventory-cdc')).toBeUndefined()
    expect(findCondition(await world.pool('plain'), 'InventoryValid')).toMatchObject({ status: 'Unknown' })
    expect(new Set((await world.clusters()).map(({ metadata }) => metadata.annotations?.[versionAnnotation])).size).toBe(2)
  })

  test('cp with inventory and available cdc with finalizer deleted without hold', async () => {
    await make()
    await customization('test-cdc-1', { finalizers: ['hive.openshift.io/pool'] })
    await world.store.delete(ClusterDeploymentCustomization, { namespace: home, name: 'test-cdc-1' })
    await listPool(['test-cdc-1'])
    await run()
    expect(await world.clusters()).toEqual([])
    await expect(cdc()).rejects.toThrow('not found')
    expect(await troubleOf()).toMatchObject({ Missing: ['test-cdc-1'] })
  })

  test('cp with inventory and cdc doesn’t exist is not valid - missing, until it is there', async () => {
    await make()
    await listPool(['test-cdc-1'])
    await run()
    expect(await world.clusters()).toEqual([])
    expect(await valid()).toMatchObject({ status: 'False', reason: 'Invalid' })
    expect(await troubleOf()).toEqual({ BrokenByCloud: [], BrokenBySyntax: [], Missing: ['test-cdc-1'] })
    expect(findCondition(await world.pool(), 'AllClustersCurrent')).toMatchObject({ status: 'True' })
    await customization('test-cdc-1')
    await world.settle()
    expect(await world.clusters()).toHaveLength(1)
    expect(await valid()).toMatchObject({ status: 'True' })
  })

  test('cp with inventory - fix cdc reservation', async () => {
    await make()
    await customization('test-cdc-1')
    await listPool(['test-cdc-1'], { size: 2 })
    await c1({ state: 'running', version: versionWithInventory() })
    await run()
    expect((await world.clusters()).map(({ metadata }) => metadata.name)).toEqual(['c1'])
    expect((await world.pool()).status).toMatchObject({ size: 1, ready: 1, clusterNameUsage: { 'test-cdc-1': 'c1' } })
    expect(await valid()).toMatchObject({ status: 'True' })
    expect(await userOf()).toBe('c1')
  })

  test('cp with inventory - break on dirty cdc - cp ref: here a stray reference of a free one does not matter', async () => {
    await make()
    await customization('test-cdc-1', { clusterPoolRef: 'c1' })
    await listPool(['test-cdc-1'])
    await run()
    expect(await world.clusters()).toHaveLength(1)
    expect((await cdc()).status?.clusterPoolRef).toEqual({ name: 'pool' })
  })

  test('cp with inventory and cdc patch broken is not valid - BrokenBySyntax, until it is corrected', async () => {
    await make()
    await customization('test-cdc-1', { patches: [{ op: 'replace', path: '/broken/path', value: 'x' }] })
    await listPool(['test-cdc-1'])
    await run()
    expect(await world.clusters()).toEqual([])
    expect(await troubleOf()).toMatchObject({ BrokenBySyntax: ['test-cdc-1'], BrokenByCloud: [] })
    expect(await reasonOf()).toBe('BrokenBySyntax')
    expect(findCondition(await cdc(), 'ApplySucceeded')?.message).toContain('/broken/path')
    await world.edit(ClusterDeploymentCustomization, await cdc(), object => ({ ...object, spec: {} }))
    await world.settle()
    expect(await world.clusters()).toHaveLength(1)
    expect(await valid()).toMatchObject({ status: 'True' })
  })

  test('cp with inventory and cd provisioning failed is not valid - BrokenByCloud', async () => {
    await make()
    await customization('test-cdc-1')
    await listPool(['test-cdc-1'])
    const uid = await c1({ state: 'broken', version: 'other' })
    await run()
    expect(history).toContain('test-cdc-1: BrokenByCloud c1')
    expect(await uids()).not.toContain(uid)
  })

  test.each([
    ['installed, claimed, but not assigned', 'installed', undefined],
    ['running, claimed, is assigned', 'running', 'c1'],
  ] as const)('cp with inventory and good cdc is valid, cd %s', async (_, state, namespace) => {
    await make()
    await customization('test-cdc-1', { reservedFor: 'c1' })
    await listPool(['test-cdc-1'])
    await world.claim('test')
    await c1({ state, version: poolVersion(poolDraft().spec) })
    await run()
    expect((await world.getClaim('test')).spec.namespace).toBe(namespace)
    const cluster = await world.store.get(ClusterDeployment, { namespace: 'c1', name: 'c1' })
    expect(cluster.spec.powerState).toBe('Running')
    expect(await valid()).toMatchObject({ status: 'True' })
    expect(await userOf()).toBe('c1')
    // Until it is given away it is out of date.
    const current = findCondition(await world.pool(), 'AllClustersCurrent')?.status
    expect(current).toBe(namespace === undefined ? 'False' : 'True')
  })

  test('openstack cp with inventory and good cdc is valid, cd installed, claimed, is assigned', async () => {
    await make()
    await customization('test-cdc-1', { reservedFor: 'c1' })
    await listPool(['test-cdc-1'], { runningCount: 1, platform: { openstack: { cloud: 'c', credentialsSecretRef: { name: 'creds' } } } })
    await world.claim('test')
    await c1({ state: 'running', version: versionWithInventory() })
    await run()
    expect((await world.getClaim('test')).spec.namespace).toBe('c1')
    expect(findCondition(await world.getClaim('test'), 'Pending')).toMatchObject({ reason: 'ClusterClaimed' })
    expect(await valid()).toMatchObject({ status: 'True' })
  })

  test('cp with inventory and good cdc is valid, cd created: a stale one goes, and its customization says that it went well', async () => {
    await make()
    await customization('test-cdc-1')
    await listPool(['test-cdc-1'])
    const uid = await c1({ state: 'running', version: 'stale' })
    await run()
    expect(history).toContain('test-cdc-1: Succeeded c1')
    expect(await uids()).not.toContain(uid)
    expect(await valid()).toMatchObject({ status: 'True' })
  })

  test.each<[string, number, Readonly<Record<string, Past>>, readonly string[], string]>([
    ['same status', 1, { 'successful-old': { reason: 'Succeeded', hoursAgo: 1 }, 'unused-new': {} }, ['successful-old'], 'True'],
    [
      'mix and multiple deployments',
      2,
      { 'successful-old': { reason: 'Succeeded', hoursAgo: 1 }, 'unused-new': {}, 'broken-old': { reason: 'BrokenByCloud', hoursAgo: 1 } },
      ['successful-old', 'unused-new'],
      'False',
    ],
    [
      'successful vs broken',
      1,
      { 'successful-new': { reason: 'Succeeded' }, 'broken-old': { reason: 'BrokenByCloud', hoursAgo: 1 } },
      ['successful-new'],
      'False',
    ],
  ])('cp with inventory - correct prioritization - %s', async (_, size, pasts, reserved, status) => {
    await make()
    for (const [name, past] of Object.entries(pasts)) await customization(name, past)
    await listPool(Object.keys(pasts).toReversed(), { size })
    await run()
    const used = await Promise.all(Object.keys(pasts).map(async name => ((await userOf(name)) === undefined ? [] : [name])))
    expect(used.flat()).toEqual(reserved)
    expect(await valid()).toMatchObject({ status })
    for (const { metadata } of await world.clusters()) expect(await copies(metadata.name)).toBe(1)
  })

  test('cp with inventory - release cdc when cd is missing', async () => {
    await make()
    await customization('test-cdc-1', { reason: 'Succeeded', hoursAgo: 1, reservedFor: 'c1' })
    await listPool(['test-cdc-1'])
    await run()
    const [cluster] = await world.clusters()
    expect(await userOf()).toBe(cluster?.metadata.name)
    expect(await copies(cluster!.metadata.name)).toBe(1)
  })

  test('cp with inventory - fix cdc when cd reference exists', async () => {
    await make()
    await customization('test-cdc-1')
    await listPool(['test-cdc-1'])
    await c1({ state: 'installing' })
    await run()
    expect(await userOf()).toBe('c1')
    expect(findCondition(await world.pool(), 'AllClustersCurrent')).toMatchObject({ status: 'Unknown' })
    expect(await world.clusters()).toHaveLength(1)
  })
})

describe('the list form', () => {
  test('is kept as entries of the inventory, and a patch of the name becomes the cluster’s name', async () => {
    await make({ install: true })
    await customization('with-name', { patches: [{ op: 'replace', path: '/metadata/name', value: 'heron' }] })
    await customization('without')
    await listPool(['with-name', 'without'], { size: 2 })
    await run()
    expect((await world.pool()).spec.inventory).toEqual({
      clusterDeployments: ['with-name', 'without'].map(name => ({ name, customizationRef: { name }, generateName: true })),
    })
    const heron = await world.cluster('heron')
    expect(heron?.metadata.name).toMatch(/^pool-/)
    const other = (await world.clusters()).find(({ metadata }) => metadata.name !== heron?.metadata.name)
    expect(other?.spec.clusterName).toBe(other?.metadata.name)
    expect((await world.pool()).status?.clusterNameUsage).toEqual({ 'with-name': heron?.metadata.name, without: other?.metadata.name })
    const { data = {} } = await world.store.get(Secret, { namespace: heron!.metadata.name, name: `${heron!.metadata.name}-install-config` })
    expect(Buffer.from(data['install-config.yaml'] ?? '', 'base64').toString()).toContain('name: heron')
    await world.seconds(200)
    expect(await reasonOf('with-name')).toBe('Succeeded')
  })

  test.each([
    ['another kind', [{ kind: 'Pod', name: 'a' }]],
    ['a missing name', [{}]],
    ['a field that nobody knows', [{ name: 'a', colour: 'red' }]],
    ['the same twice', [{ name: 'a' }, { name: 'a' }]],
  ])('is refused with %s', async (_, inventory) => {
    await make()
    const draft = poolDraft()
    await expect(world.store.create(ClusterPool, { ...draft, spec: { ...draft.spec, inventory: inventory as never } })).rejects.toThrow(
      'spec.inventory',
    )
  })
})

describe('a customization', () => {
  test('is used again when its cluster is really gone, and not held any longer when it has left the inventory', async () => {
    await make({ install: true })
    await customization('one')
    await customization('two')
    await listPool(['one', 'two'])
    await run()
    await world.seconds(200)
    const first = (await world.pool()).status?.clusterNameUsage?.['one']
    expect(first).toBeDefined()
    await world.changePool({ inventory: { clusterDeployments: [{ name: 'two', customizationRef: { name: 'two' }, generateName: true }] } })
    await world.settle()
    expect(findCondition(await cdc('one'), 'Available')).toMatchObject({ status: 'False' })
    await world.seconds(200)
    expect(findCondition(await cdc('one'), 'Available')).toMatchObject({ status: 'True', reason: 'Available' })
    expect((await cdc('one')).status?.clusterDeploymentRef).toBeUndefined()
    expect((await cdc('one')).metadata.finalizers ?? []).toEqual([])
    expect(await userOf('two')).toBe((await world.clusters())[0]?.metadata.name)
  })

  test('that two pools list is used by one at a time, and nobody fights for it', async () => {
    await make({ install: true })
    await customization('shared')
    await listPool(['shared'], {}, 'pool')
    await listPool(['shared'], {}, 'rival')
    await run()
    await world.seconds(200)
    expect(await world.clusters()).toHaveLength(1)
    const writes = history.length
    await world.seconds(600)
    expect(history.length).toBe(writes)
    expect(writes).toBeLessThan(6)
    const holder = (await cdc('shared')).status?.clusterPoolRef?.name ?? ''
    const loser = holder === 'pool' ? 'rival' : 'pool'
    expect(JSON.parse(findCondition(await world.pool(loser), 'InventoryValid')?.message ?? '{}')).toMatchObject({ Conflict: ['shared'] })
    // The holder goes, with its cluster: the other pool gets it.
    await world.delete(ClusterPool, await world.pool(holder))
    await world.seconds(300)
    expect((await cdc('shared')).status?.clusterPoolRef?.name).toBe(loser)
    expect((await world.clusters()).map(({ spec }) => spec.clusterPoolRef?.poolName)).toEqual([loser])
  })

  test('that names a pool and a cluster which are both gone is free', async () => {
    await make()
    await customization('test-cdc-1', { reservedFor: 'nobody', clusterPoolRef: 'nowhere' })
    await listPool(['test-cdc-1'])
    await run()
    expect(await world.clusters()).toHaveLength(1)
    expect((await cdc()).status?.clusterPoolRef).toEqual({ name: 'pool' })
  })

  test('hands patches of manifests to the installer, the pool’s before the entry’s, and is waited for if it is not there', async () => {
    await make({ install: true })
    const patch = (glob: string) => [{ manifestSelector: { glob }, patches: [{ op: 'remove' as const, path: '/spec' }] }]
    for (const name of ['all', 'own'])
      await world.store.create(ClusterDeploymentCustomization, {
        metadata: { name, namespace: home },
        spec: { installerManifestPatches: patch(`${name}.yaml`) },
      })
    const asked: unknown[] = []
    const install = world.installer.install.bind(world.installer)
    world.installer.install = async request => {
      asked.push((request as unknown as { manifestPatches: unknown }).manifestPatches)
      return install(request)
    }
    await listPool(['own'], { customizationRef: { name: 'all' } })
    await run()
    expect(asked[0]).toEqual(['all', 'own'].map(name => ({ glob: `${name}.yaml`, patches: [{ op: 'remove', path: '/spec' }] })))

    await world.changePool({ size: 0 })
    await world.seconds(200)
    await clusterByHand(world, 'c1', { version: 'x', pool: 'elsewhere', customization: 'lost' })
    await world.store.create(Secret, {
      metadata: { namespace: 'c1', name: 'c1-install-config' },
      stringData: { 'install-config.yaml': '{}' },
    })
    await world.seconds(5)
    const told = async () => findCondition(await world.store.get(ClusterDeployment, { namespace: 'c1', name: 'c1' }), 'RequirementsMet')
    expect(await told()).toMatchObject({
      status: 'False',
      reason: 'CustomizationRefNotAvailable',
      message: expect.stringContaining('lost'),
    })
    await world.store.create(ClusterDeploymentCustomization, { metadata: { name: 'lost', namespace: 'c1' }, spec: {} })
    await world.seconds(60)
    expect(await told()).toMatchObject({ status: 'True', reason: 'AllRequirementsMet' })
  })

  test('also serves an entry with a name of its own, and two replicas make one cluster of it', async () => {
    await make({ install: true })
    await customization('patches', { patches: [{ op: 'add', path: '/fips', valueJSON: 'true' }] })
    await world.createPool({ size: 1, inventory: { clusterDeployments: [{ name: 'heron', customizationRef: { name: 'patches' } }] } })
    world.start()
    await run()
    await world.seconds(200)
    expect(await world.names()).toEqual(['heron'])
    expect(await userOf('patches')).toBe((await world.cluster('heron'))?.metadata.name)
  })
})
