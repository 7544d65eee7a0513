import { afterEach, describe, expect, test } from 'vitest'
import { ClusterImageSet, ClusterPool, Secret } from '../kinds/index.ts'
import { findCondition } from '../control/index.ts'
import { platformLabel, poolNameLabel, poolNamespaceLabel, regionLabel, versionAnnotation, versionFormAnnotation } from './names.ts'
import { poolVersion } from './pool/pool-version.ts'
import { clusterByHand } from './testing/cluster-by-hand.ts'
import { home, poolDraft, PoolWorld } from './testing/pool-world.ts'

// Rows of the specification's table (hive-clusterpool §4.1) that a plan alone does not show.

let world: PoolWorld
afterEach(() => world.stop())

async function make(): Promise<void> {
  world = await PoolWorld.make({ install: false })
}
const version = () => poolVersion(poolDraft().spec)
const told = async (type: string) => findCondition(await world.pool(), type)
const objects = async () => (await world.clusters()).map(({ metadata }) => metadata.name).toSorted()
async function run(): Promise<void> {
  world.start()
  await world.settle()
}

describe('a new pool', () => {
  test('initialize conditions: every condition is there from the first moment', async () => {
    await make()
    await world.createPool()
    await run()
    const types = (await world.pool()).status?.conditions?.map(({ type }) => type)
    const expected = ['MissingDependencies', 'CapacityAvailable', 'AllClustersCurrent', 'InventoryValid', 'DeletionPossible']
    expect(types).toEqual(expect.arrayContaining(expected))
    for (const type of ['MissingDependencies', 'InventoryValid', 'DeletionPossible'])
      expect(await told(type)).toMatchObject({ status: 'Unknown', reason: 'Initialized', message: 'Condition Initialized' })
  })

  test('finalizer added to clusterpool', async () => {
    await make()
    await world.createPool()
    await run()
    expect((await world.pool()).metadata.finalizers).toEqual(['hive.openshift.io/clusters'])
  })

  test('copyover fields, and create all clusters with the labels of the pool', async () => {
    await make()
    const installerEnv = [{ name: 'ENV1', value: 'VAL1' }]
    await world.createPool({ size: 2, installAttemptsLimit: 5, installerEnv, labels: { foo: 'bar' }, annotations: { a: 'b' } })
    await run()
    const clusters = await world.clusters()
    expect(clusters).toHaveLength(2)
    for (const { metadata, spec } of clusters) {
      expect(metadata.labels).toMatchObject({ foo: 'bar', [poolNamespaceLabel]: home, [poolNameLabel]: 'pool' })
      expect(metadata.annotations).toMatchObject({ a: 'b' })
      expect(spec).toMatchObject({ installAttemptsLimit: 5, provisioning: { installerEnv } })
    }
  })

  test.each<[object, string, string]>([
    [{ aws: { region: 'us-east-1', credentialsSecretRef: { name: 'creds' } } }, 'aws', 'us-east-1'],
    [{ aws: { region: 'no label!', credentialsSecretRef: { name: 'creds' } } }, 'aws', 'unknown'],
    [{ none: {} }, 'none', 'unknown'],
  ])('says on its clusters where they are made: %j', async (platform, name, region) => {
    await make()
    await world.createPool({ size: 1, platform })
    await run()
    const [cluster] = await world.clusters()
    expect(cluster?.metadata.labels).toMatchObject({ [platformLabel]: name, [regionLabel]: region })
  })
})

describe('a cluster whose version was computed', () => {
  test('in an earlier way is stamped anew, not replaced, and claimed ones are left as they are', async () => {
    await make()
    await world.createPool({ size: 2 })
    const earlier = { version: 'computed otherwise', form: '0' }
    const uids = [
      await clusterByHand(world, 'c1', { state: 'installed', ...earlier }),
      await clusterByHand(world, 'c2', { state: 'running', ...earlier }),
      await clusterByHand(world, 'c3', { state: 'running', claim: 'mine', ...earlier }),
    ].map(({ metadata }) => metadata.uid)
    await run()
    const stamps = (await world.clusters()).map(({ metadata: { uid, annotations = {} } }) => [
      uid,
      annotations[versionAnnotation],
      annotations[versionFormAnnotation],
    ])
    expect(stamps).toEqual([
      [uids[0], version(), '1'],
      [uids[1], version(), '1'],
      [uids[2], 'computed otherwise', '0'],
    ])
    expect(await told('AllClustersCurrent')).toMatchObject({ status: 'True' })
  })

  test('in a later way is another program’s business', async () => {
    await make()
    await world.createPool({ size: 1 })
    await clusterByHand(world, 'c1', { state: 'installed', version: 'computed otherwise', form: '2' })
    await run()
    const [cluster] = await world.clusters()
    expect(cluster?.metadata).toMatchObject({ name: 'c1', annotations: { [versionAnnotation]: 'computed otherwise' } })
  })
})

describe('what does not belong to a pool is not counted', () => {
  test.each<[string, { readonly pool: string | undefined; readonly claim?: string }]>([
    ['clusters not part of pool are not counted against pool size', { pool: undefined }],
    ['clusters in different pool are not counted against pool size', { pool: 'other-pool', claim: 'test-claim' }],
  ])('%s', async (_, traits) => {
    await make()
    await world.createPool({ size: 3 })
    await clusterByHand(world, 'c1', { state: 'installed', version: version() })
    await clusterByHand(world, 'c2', { state: 'running', version: version() })
    await clusterByHand(world, 'c3', { version: version() })
    await clusterByHand(world, 'c4', { state: 'installed', ...traits })
    await run()
    expect(await objects()).toEqual(['c1', 'c2', 'c3', 'c4'])
    expect((await world.pool()).status).toMatchObject({ size: 3, ready: 1 })
  })

  test.each([
    ['do not assign to claims for other pools', { clusterPoolName: 'other-pool' }, home],
    ['do not assign to claims in other namespaces', {}, 'default'],
  ])('%s', async (_, spec, namespace) => {
    await make()
    await world.createPool({ size: 1, runningCount: 1 })
    await clusterByHand(world, 'c1', { state: 'running', version: version() })
    await world.claim('test', spec, namespace)
    await run()
    expect((await world.getClaim('test', namespace)).spec.namespace).toBeUndefined()
    expect(await objects()).toEqual(['c1'])
    expect((await world.clusters())[0]?.spec.clusterPoolRef?.claimName).toBeUndefined()
  })
})

describe('what clusters need', () => {
  const image = 'cluster image set: ClusterImageSet.hive.openshift.io "nowhere" not found'
  const credentials = 'credentials secret: Secret "nowhere" not found'
  const customization = 'pool-wide customizationRef nowhere not found'
  const platform = { aws: { region: 'here', credentialsSecretRef: { name: 'nowhere' } } }
  const ref = { name: 'nowhere' }
  test.each<[string, object, string]>([
    ['missing ClusterImageSet', { imageSetRef: ref }, image],
    ['missing creds secret', { platform }, credentials],
    ['missing pool-wide CDC', { customizationRef: ref }, customization],
    [
      'multiple missing dependents',
      { imageSetRef: ref, platform, customizationRef: ref },
      `[${[image, credentials, customization].join(', ')}]`,
    ],
    ['missing pull secret', { pullSecretRef: ref }, 'pull secret: Secret "nowhere" not found'],
    ['a pull secret without its key', { pullSecretRef: { name: 'creds' } }, 'pull secret: Secret "creds" has no key .dockerconfigjson'],
  ])('%s', async (_, spec, message) => {
    await make()
    await world.createPool({ size: 1, ...spec })
    await run()
    expect(await world.clusters()).toEqual([])
    expect(await told('MissingDependencies')).toMatchObject({ status: 'True', reason: 'Missing', message })
    expect(await told('Filled')).toMatchObject({ status: 'False', reason: 'MissingDependencies' })
  })

  test('what was missing and is there now is used at once, or when it is next looked for', async () => {
    await make()
    await world.createPool({ size: 1, imageSetRef: ref })
    await run()
    await world.store.create(ClusterImageSet, { metadata: { name: 'nowhere' }, spec: { releaseImage: 'x:1' } })
    await world.settle()
    expect(await world.clusters()).toHaveLength(1)
    expect(await told('MissingDependencies')).toMatchObject({ status: 'False', reason: 'Verified', message: 'Dependencies verified' })
  })

  test('with pull secret: it is copied to the cluster', async () => {
    await make()
    await world.store.create(Secret, { metadata: { name: 'pull', namespace: home }, stringData: { '.dockerconfigjson': '{}' } })
    await world.createPool({ size: 1, pullSecretRef: { name: 'pull' } })
    await run()
    const [cluster] = await world.clusters()
    const { namespace = '' } = cluster!.metadata
    expect(cluster!.spec.pullSecretRef).toEqual({ name: `${namespace}-pull-secret` })
    const copy = await world.store.get(Secret, { namespace, name: `${namespace}-pull-secret` })
    expect(copy.data).toHaveProperty('.dockerconfigjson')
  })
})

describe('deleted pool', () => {
  const remove = async () => {
    await run()
    await world.delete(ClusterPool, await world.pool())
    await world.settle()
  }
  const pending = async () => (await told('DeletionPossible'))?.message.replace(/^.*: /, '').split(', ')
  const deleting = async () =>
    (await world.clusters())
      .filter(({ metadata }) => metadata.deletionTimestamp !== undefined)
      .map(({ metadata }) => metadata.name)
      .toSorted()

  test('cluster deletions adhere to MaxConcurrent', async () => {
    await make()
    await world.createPool({ size: 4, maxConcurrent: 3 })
    for (const name of ['c0', 'c1']) await clusterByHand(world, name, { state: 'installed', version: version(), held: true })
    await clusterByHand(world, 'c2', { state: 'installed', version: version(), deleted: true })
    await clusterByHand(world, 'c3', { version: version(), held: true })
    await clusterByHand(world, 'c4', { state: 'installed', version: version(), held: true })
    await remove()
    // Of three at a time one was being removed and one is being installed: exactly one more.
    expect(await deleting()).toHaveLength(2)
    expect(await told('DeletionPossible')).toMatchObject({ status: 'False', reason: 'ClusterDeploymentsPendingCleanup' })
    expect(await pending()).toEqual(['c0', 'c1', 'c2', 'c3', 'c4'])
  })

  test('claimed clusters not deleted, and claimed clusters deleted if marked for deletion', async () => {
    await make()
    await world.createPool({ size: 1 })
    await clusterByHand(world, 'c1', { state: 'installed', version: version(), claim: 'test', held: true })
    await clusterByHand(world, 'c2', { state: 'installed', version: version(), held: true })
    await clusterByHand(world, 'c3', { state: 'installed', version: version(), claim: 'other', marked: true, held: true })
    await remove()
    expect(await deleting()).toEqual(['c2', 'c3'])
    expect(await pending()).toEqual(['c1', 'c2', 'c3'])
    expect((await told('DeletionPossible'))?.unblock).toContain('c1')
  })

  test('DeletionPossible condition True when no clusters pending deletion', async () => {
    await make()
    await world.createPool({ size: 0 })
    await run()
    await world.edit(ClusterPool, await world.pool(), pool => ({
      ...pool,
      metadata: { ...pool.metadata, finalizers: [...(pool.metadata.finalizers ?? []), 'test/hold'] },
    }))
    await world.delete(ClusterPool, await world.pool())
    await world.settle()
    expect((await world.pool()).metadata.finalizers).toEqual(['test/hold'])
    expect(await told('DeletionPossible')).toMatchObject({
      status: 'True',
      reason: 'DeletionPossible',
      message: 'No ClusterDeployments pending cleanup',
    })
  })
})
