import { afterEach, describe, expect, test } from 'vitest'
import { isoTime } from '../ports/index.ts'
import { ClusterClaim, ClusterDeployment, ClusterDeprovision, ClusterProvision, Namespace, Secret } from '../kinds/index.ts'
import type { ClusterPool } from '../kinds/index.ts'
import { findCondition } from '../control/index.ts'
import { StoreError } from '../store/index.ts'
import { brokenFrom } from './pool/broken.ts'
import { PoolWorld, type WorldOptions } from './testing/pool-world.ts'

let world: PoolWorld | undefined
afterEach(async () => {
  await world?.stop()
  world = undefined
})

async function one(options: WorldOptions = {}, spec: Parameters<PoolWorld['createPool']>[0] = {}): Promise<PoolWorld> {
  world = await PoolWorld.make(options)
  world.start()
  await world.createPool({ size: 1, runningCount: 1, inventory: world.inventory('a'), ...spec })
  await world.seconds(1)
  return world
}

describe('an installation', () => {
  test('says how far it is, until when, and leaves the way in behind', async () => {
    const here = await one()
    await here.seconds(20)
    const installing = (await here.cluster('a'))!
    expect(findCondition(installing, 'Provisioned')).toMatchObject({
      status: 'False',
      reason: 'Provisioning',
      message: expect.stringContaining('attempt 1: '),
      until: expect.any(String),
    })
    await here.seconds(60)
    const { metadata, spec, status } = (await here.cluster('a'))!
    expect(spec).toMatchObject({ installed: true, clusterMetadata: { infraID: expect.stringMatching(/^a-/) } })
    expect(status).toMatchObject({
      apiURL: 'https://api.a.example.com:6443',
      powerState: 'Running',
      installedTimestamp: expect.any(String),
    })
    const secret = await here.store.get(Secret, {
      namespace: metadata.namespace!,
      name: spec.clusterMetadata!.adminKubeconfigSecretRef.name,
    })
    expect(Buffer.from(secret.data!['kubeconfig']!, 'base64').toString()).toContain('https://api.a.example.com:6443')
    const [attempt] = await here.all(ClusterProvision)
    expect(attempt?.spec).toMatchObject({ stage: 'complete', attempt: 0, installLog: expect.stringContaining('Install complete') })
  })

  test('writes the mark down before the installer is called', async () => {
    world = await PoolWorld.make()
    const here = world
    const seen: (string | undefined)[] = []
    const install = here.installer.install.bind(here.installer)
    here.installer.install = async request => {
      seen.push((await here.cluster('a'))?.spec.clusterMetadata?.infraID)
      expect(seen.at(-1)).toBe(request.infraID)
      return install(request)
    }
    here.start()
    await here.createPool({ size: 1, inventory: here.inventory('a') })
    await here.seconds(80)
    expect(seen.length).toBeGreaterThan(1)
  })

  test('waits for what it needs, says so, and no more when it is there', async () => {
    world = await PoolWorld.make({ installSeconds: 0 })
    const here = world
    let isHidden = true
    const get = here.store.get.bind(here.store)
    here.store.get = async (kind, key) => {
      if (isHidden && key.name.endsWith('-install-config')) throw new StoreError('NotFound', 'hidden')
      return get(kind, key)
    }
    here.start()
    await here.createPool({ size: 1, runningCount: 1, inventory: here.inventory('a') })
    await here.seconds(200)
    const requirements = async () => findCondition((await here.cluster('a'))!, 'RequirementsMet')
    expect(await requirements()).toMatchObject({ status: 'False', reason: 'InstallConfigRefNotSet' })
    isHidden = false
    await here.seconds(40)
    expect((await here.cluster('a'))?.spec.installed).toBe(true)
    expect(await requirements()).toMatchObject({ status: 'True', reason: 'AllRequirementsMet' })
  })

  test('that fails is tried again after a pause, and the remains of the first attempt go', async () => {
    const here = await one({ failEvery: 2 })
    await here.createPool({ size: 1, runningCount: 1 }, 'other')
    await here.seconds(62)
    const failed = (await here.clusters()).find(cluster => findCondition(cluster, 'ProvisionFailed')?.status === 'True')!
    expect(failed.status).toMatchObject({ installRestarts: 1 })
    expect(findCondition(failed, 'Provisioned')).toMatchObject({
      reason: 'Provisioning',
      until: expect.any(String),
      then: 'the next attempt begins',
    })
    await here.seconds(200)
    expect((await here.clusters()).every(({ spec }) => spec.installed)).toBe(true)
    expect(here.installer.clusters).toHaveLength(2)
    expect((await here.all(ClusterProvision)).map(({ spec }) => spec.stage).toSorted()).toEqual(['complete', 'complete', 'failed'])
  })

  test('that fails for ever keeps the records of its first and its last failure, and of the attempt under way', async () => {
    const here = await one({ failEvery: 1 })
    await here.seconds(24 * 3_600)
    const { status } = (await here.cluster('a'))!
    expect(status?.installRestarts).toBeGreaterThan(5)
    const kept = (await here.all(ClusterProvision)).filter(({ spec }) => spec.stage === 'failed').map(({ spec }) => spec.attempt)
    expect(kept.toSorted((a, b) => a - b)).toEqual([0, (status?.installRestarts ?? 0) - 1])
  })

  test('is given up at the limit of attempts, and the pool replaces the cluster', async () => {
    const here = await one({ failEvery: 1 }, { installAttemptsLimit: 1, inventory: undefined })
    const [first] = await here.clusters()
    await here.seconds(60)
    const stopped = await here.store.get(ClusterDeployment, { namespace: first!.metadata.namespace!, name: first!.metadata.name })
    expect(findCondition(stopped, 'ProvisionStopped')).toMatchObject({ status: 'True', reason: 'InstallAttemptsLimitReached' })
    await here.seconds(40)
    expect((await here.clusters()).map(({ metadata }) => metadata.name)).not.toContain(first!.metadata.name)
    expect(await here.clusters()).toHaveLength(1)
  })
})

describe('power', () => {
  test('a cluster that should hibernate is stopped, and started again when it should run', async () => {
    const here = await one({}, { runningCount: 0 })
    await here.seconds(90)
    expect((await here.cluster('a'))?.status?.powerState).toBe('Hibernating')
    await here.changePool({ runningCount: 1 })
    await here.settle()
    const starting = (await here.cluster('a'))!
    expect(starting.status?.powerState).toBe('StartingMachines')
    expect(findCondition(starting, 'Hibernating')).toMatchObject({ status: 'False', reason: 'ResumingOrRunning' })
    await here.seconds(25)
    expect(findCondition((await here.cluster('a'))!, 'Ready')).toMatchObject({ status: 'True', reason: 'Running' })
  })

  test('where clusters cannot hibernate they always run, and no running count is no error', async () => {
    const here = await one({ powerSeconds: undefined }, { runningCount: undefined })
    await here.seconds(90)
    expect((await here.pool()).status).toMatchObject({ ready: 1, standby: 0 })
    expect(findCondition((await here.cluster('a'))!, 'Hibernating')).toMatchObject({ status: 'False', reason: 'Unsupported' })
  })

  test('a claimed cluster hibernates after its time, an unclaimed one does not', async () => {
    const here = await one({}, { hibernateAfter: '10m', size: 1, inventory: undefined })
    await here.seconds(90)
    await here.claim('mine')
    await here.seconds(300)
    const claimed = async () => (await here.clusters()).find(({ spec }) => spec.clusterPoolRef?.claimName === 'mine')
    expect((await claimed())?.status?.powerState).toBe('Running')
    await here.seconds(400)
    expect((await claimed())?.status?.powerState).toBe('Hibernating')
    expect((await here.clusters()).find(({ spec }) => spec.clusterPoolRef?.claimName === undefined)?.status?.powerState).toBe('Running')
  })

  test('a cluster that does not resume in time counts as broken without anybody asking', async () => {
    const here = await one({ powerSeconds: 60 }, { runningCount: 0, hibernationConfig: { resumeTimeout: '30s' } })
    await here.seconds(130)
    const [cluster] = await here.clusters()
    expect(cluster?.status?.powerState).toBe('Hibernating')
    await here.changePool({ runningCount: 1 })
    await here.seconds(25)
    expect((await here.clusters()).map(({ metadata }) => metadata.uid)).toEqual([cluster!.metadata.uid])
    await here.seconds(40)
    expect((await here.clusters()).map(({ metadata }) => metadata.uid)).not.toContain(cluster!.metadata.uid)
  })

  test('a cluster that is started again while it stops has the whole time to start', async () => {
    const here = await one({ powerSeconds: 240 }, { hibernationConfig: { resumeTimeout: '5m' } })
    await here.seconds(3_600)
    const [before] = await here.clusters()
    await here.changePool({ runningCount: 0 })
    await here.seconds(200)
    expect((await here.cluster('a'))?.status?.powerState).toBe('WaitingForMachinesToStop')
    await here.changePool({ runningCount: 1 })
    // It has been on its way down for 200 seconds: neither those nor the hour before count.
    await here.seconds(235)
    expect((await here.cluster('a'))?.status?.powerState).toBe('StartingMachines')
    await here.seconds(10)
    expect((await here.cluster('a'))?.status).toMatchObject({ powerState: 'Running' })
    expect((await here.cluster('a'))?.status).not.toHaveProperty('powerChangeTimestamp')
    expect((await here.clusters()).map(({ metadata }) => metadata.uid)).toEqual([before!.metadata.uid])
  })
})

describe('whether a cluster is broken', () => {
  const now = 1_800_000_000_000
  interface Given {
    readonly stopped?: 'True' | 'False'
    readonly timeout?: string
    readonly installed?: boolean
    readonly wanted?: 'Running' | 'Hibernating'
    readonly actual?: string
    readonly reason?: string
    readonly since?: number
  }
  const full = { stopped: 'False', timeout: '30s', installed: true, wanted: 'Running', actual: 'WaitingForClusterOperators' } as const
  const rows: readonly [string, Given, boolean][] = [
    ['No ProvisionStopped condition (cluster still initializing)', {}, false],
    ['ProvisionStopped', { stopped: 'True' }, true],
    ['No hibernation config', { ...full, timeout: 'none' }, false],
    ['Empty hibernation config', { ...full, timeout: '' }, false],
    ['CD not installed', { ...full, installed: false }, false],
    ['Desired powerState not Running', { ...full, wanted: 'Hibernating', reason: 'ResumingOrRunning', since: 3600 }, false],
    ['Actual powerState Hibernating', { ...full, actual: 'Hibernating', reason: 'ResumingOrRunning', since: 3600 }, false],
    ['Actual powerState Running', { ...full, actual: 'Running', reason: 'ResumingOrRunning', since: 3600 }, false],
    ['No Hibernating condition', full, false],
    ['Hibernating condition nonsensical', { ...full, reason: 'FailedToStop', since: 3600 }, false],
    ['Timeout not expired', { ...full, reason: 'ResumingOrRunning', since: 0 }, false],
    ['Timeout expired', { ...full, reason: 'ResumingOrRunning', since: 3600 }, true],
  ]
  test.each(rows)('%s', (_, { stopped, timeout, installed = false, wanted, actual, reason, since = 0 }, broken) => {
    const condition = (type: string, status: string, why: string) => ({
      type,
      status,
      reason: why,
      message: '',
      lastTransitionTime: isoTime(now - since * 1000),
    })
    const conditions = [
      ...(stopped === undefined ? [] : [condition('ProvisionStopped', stopped, 'X')]),
      ...(reason === undefined ? [] : [condition('Hibernating', 'False', reason)]),
    ]
    const cluster = { spec: { installed, powerState: wanted }, status: { powerState: actual, conditions } } as unknown as ClusterDeployment
    const hibernationConfig = timeout === '' || timeout === undefined ? {} : { resumeTimeout: timeout }
    const pool = { spec: timeout === 'none' ? {} : { hibernationConfig } } as ClusterPool
    expect(now >= brokenFrom(cluster, pool)).toBe(broken)
  })
})

describe('a removal', () => {
  test('leaves nothing behind, neither in the world nor here', async () => {
    const here = await one()
    await here.seconds(90)
    await here.changePool({ size: 0 })
    await here.seconds(5)
    expect((await here.all(ClusterDeprovision)).map(({ spec }) => spec.clusterName)).toEqual(['a'])
    await here.seconds(400)
    expect(here.installer.clusters).toEqual([])
    expect((await here.all(Namespace)).map(({ metadata }) => metadata.name).toSorted()).toEqual(['default', 'team'])
  })

  test('removes what every attempt has left, though none removed what was left before it, and says what it cannot', async () => {
    const here = await one({ failEvery: 1 })
    const install = here.installer.install.bind(here.installer)
    here.installer.install = request => install({ ...request, prevInfraID: undefined })
    // So many that not all of them are on record.
    await here.seconds(6 * 3_600)
    const marks = here.installer.clusters.map(({ infraID }) => infraID)
    expect(marks.length).toBeGreaterThan(5)
    const destroy = here.installer.destroy.bind(here.installer)
    here.installer.destroy = async request =>
      request.infraID === marks[0] ? ({ state: 'failed', message: 'no way', log: 'as it is' } as never) : destroy(request)
    await here.changePool({ size: 0 })
    await here.seconds(60)
    expect(findCondition((await here.cluster('a'))!, 'Provisioned')).toMatchObject({
      reason: 'DeprovisionFailed',
      message: 'the removal failed: no way',
    })
    const records = await here.all(ClusterDeprovision)
    expect(records.find(({ spec }) => spec.infraID === marks[0])?.status).toMatchObject({ completed: false, log: 'as it is' })
    expect(await here.usage()).toMatchObject({ a: expect.any(String) })
    here.installer.destroy = destroy
    await here.seconds(200)
    expect(here.installer.clusters).toEqual([])
    expect(await here.usage()).toEqual({ a: null })
  })

  const protect = async (here: PoolWorld, value: string) =>
    here.edit(ClusterDeployment, (await here.cluster('a'))!, object => ({
      ...object,
      metadata: { ...object.metadata, annotations: { ...object.metadata.annotations, 'hive.openshift.io/protected-delete': value } },
    }))

  test('of a protected cluster is not even tried by its pool, its claim says why, and it comes when the protection is gone', async () => {
    const here = await one()
    await here.seconds(90)
    await here.claim('mine')
    await here.seconds(5)
    await protect(here, 'true')
    await here.delete(ClusterClaim, await here.getClaim('mine'))
    await here.changePool({ size: 0 })
    await here.seconds(200)
    expect((await here.cluster('a'))?.metadata.deletionTimestamp).toBeUndefined()
    expect(findCondition(await here.getClaim('mine'), 'ClusterRunning')).toMatchObject({
      reason: 'ClusterDeleting',
      message: expect.stringContaining('protected-delete protects it'),
      unblock: expect.stringContaining('kubectl annotate clusterdeployment a-'),
    })
    expect(here.log.lines.filter(({ level }) => level === 'error' || level === 'warn')).toEqual([])
    await protect(here, 'false')
    await here.seconds(200)
    expect(await here.clusters()).toEqual([])
    await expect(here.getClaim('mine')).rejects.toThrow('not found')
  })

  test.each([
    [['a'], 'True', 'Filled'],
    [[], 'True', 'Filled'],
    [['b'], 'False', 'NoCapacity'],
  ] as const)(
    'of a protected cluster whose name left an inventory, of which %s is left, is told of by its pool',
    async (left, status, reason) => {
      const here = await one({}, { size: 1, inventory: { clusterDeployments: [{ name: 'a' }] } })
      await here.seconds(90)
      await protect(here, 'true')
      await here.changePool({ inventory: here.inventory(...left) })
      await here.seconds(200)
      expect(await here.names()).toEqual(['a'])
      const told = findCondition(await here.pool(), 'Filled')
      const isLeaving = !left.includes('a' as never)
      expect(told).toMatchObject({ status, reason })
      expect(told?.message).toContain(isLeaving ? `0 of ${left.length} clusters` : '1 of 1 clusters')
      expect(told?.message.includes('left the inventory, but the annotation hive.openshift.io/protected-delete protects it')).toBe(
        isLeaving,
      )
      expect(told?.unblock?.includes('kubectl annotate clusterdeployment a-')).toBe(isLeaving ? true : undefined)
      await protect(here, 'false')
      await here.seconds(200)
      expect(await here.names()).toEqual([...left])
    },
  )

  test('of one that was protected when its deletion had begun waits until it is not', async () => {
    const here = await one({ deprovisionSeconds: 100 })
    await here.seconds(90)
    await here.changePool({ size: 0 })
    await here.seconds(5)
    await protect(here, 'true')
    await here.seconds(200)
    expect(findCondition((await here.cluster('a'))!, 'Provisioned')).toMatchObject({ reason: 'DeprovisionBlocked' })
    await protect(here, 'false')
    await here.seconds(200)
    expect(await here.clusters()).toEqual([])
  })

  test('of a namespace that never got its cluster comes after five minutes', async () => {
    const here = await one({}, { size: 0 })
    await here.store.create(Namespace, { metadata: { name: 'left-over', labels: { 'hive.openshift.io/cluster-pool-name': 'pool' } } })
    await here.seconds(290)
    expect((await here.all(Namespace)).map(({ metadata }) => metadata.name)).toContain('left-over')
    await here.seconds(20)
    expect((await here.all(Namespace)).map(({ metadata }) => metadata.name)).not.toContain('left-over')
  })
})

describe('an annotation', () => {
  const annotate = async (here: PoolWorld, annotations: Readonly<Record<string, string>>) =>
    here.edit(ClusterDeployment, (await here.cluster('a'))!, object => ({
      ...object,
      metadata: { ...object.metadata, annotations: { ...object.metadata.annotations, ...annotations } },
    }))
  const pause = 'hive.openshift.io/reconcile-pause'

  test('that pauses a cluster keeps it from being installed, changed and removed, until it is gone', async () => {
    const here = await one({}, { annotations: { [pause]: 'true' } })
    await here.seconds(200)
    expect(here.installer.clusters).toEqual([])
    expect(findCondition((await here.cluster('a'))!, 'Provisioned')).toMatchObject({
      reason: 'Paused',
      unblock: expect.stringContaining(pause),
    })
    await annotate(here, { [pause]: 'false' })
    await here.seconds(100)
    await annotate(here, { [pause]: 'true' })
    await here.changePool({ runningCount: 0 })
    await here.seconds(100)
    expect((await here.cluster('a'))?.status?.powerState).toBe('Running')
    expect(findCondition((await here.cluster('a'))!, 'Provisioned')).toMatchObject({ status: 'True' })
    await here.changePool({ size: 0 })
    await here.seconds(200)
    expect(here.installer.clusters).toHaveLength(1)
    await annotate(here, { [pause]: 'false' })
    await here.seconds(100)
    expect(await here.clusters()).toEqual([])
  })

  test.each<[string, Readonly<Record<string, string>>, boolean]>([
    ['1h', {}, false],
    ['1h', { 'hive.openshift.io/protected-delete': 'true' }, true],
    ['soon', {}, true],
  ])('that has a cluster deleted after %s, beside %j', async (deleteAfter, others, isThere) => {
    const here = await one({}, { annotations: { 'hive.openshift.io/delete-after': deleteAfter, ...others } })
    await here.seconds(3_590)
    const [first] = await here.clusters()
    expect(first?.metadata.deletionTimestamp).toBeUndefined()
    await here.seconds(60)
    expect((await here.clusters()).map(({ metadata }) => metadata.uid).includes(first!.metadata.uid)).toBe(isThere)
    expect(here.log.lines.filter(({ level }) => level === 'error' || level === 'warn')).toEqual([])
  })
})
