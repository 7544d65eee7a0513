import { afterEach, describe, expect, test } from 'vitest'
import { AccessGrant, ClusterClaim, ClusterDeployment, ClusterPool, Namespace, referenceFields, Role, Secret } from '../kinds/index.ts'
import { claimOwner, forgottenMarksAnnotation, poolNameLabel, poolNamespaceLabel, previousMarkAnnotation } from './names.ts'
import { referredSecret } from './secrets.ts'
import { home, PoolWorld, poolDraft } from './testing/pool-world.ts'

// What users can write must not make a controller read a Secret, or act in a namespace, on their behalf.

let world: PoolWorld
afterEach(() => world.stop())

const subjects = [{ kind: 'User' as const, name: 'mallory' }]

/** A world in which mallory has claimed a cluster; gives its namespace. */
async function claimed(): Promise<string> {
  world = await PoolWorld.started()
  await world.createPool({ size: 1, runningCount: 1 })
  await world.seconds(200)
  await world.claim('mine', { subjects })
  await world.seconds(5)
  return (await world.getClaim('mine')).spec.namespace!
}

/** Whether mallory may do something in a namespace, by the rules of Kubernetes: `*` covers subresources. */
async function mayDo(verb: string, group: string, resource: string, namespace: string, name: string): Promise<boolean> {
  const grants = (await world.all(AccessGrant)).filter(({ spec }) => spec.namespaces.includes(namespace))
  const covers = (list: readonly string[], value: string) => list.includes('*') || list.includes(value)
  return grants
    .flatMap(({ spec }) => spec.rules ?? [])
    .some(
      rule =>
        covers(rule.verbs, verb) &&
        covers(rule.apiGroups, group) &&
        covers(rule.resources, resource) &&
        (rule.resourceNames === undefined || rule.resourceNames.includes(name)),
    )
}

describe('the subjects of a claim', () => {
  test('cannot read another Secret by having the cluster refer to it', async () => {
    const namespace = await claimed()
    const creds = `${namespace}-aws-creds`
    expect((await world.store.get(Secret, { namespace, name: creds })).data).toBeDefined()
    for (const field of ['metadataJSONSecretRef', 'adminKubeconfigSecretRef', 'adminPasswordSecretRef'] as const) {
      const cluster = await world.store.get(ClusterDeployment, { namespace, name: namespace })
      const clusterMetadata = { ...cluster.spec.clusterMetadata!, [field]: { name: creds } }
      await world.store.update(ClusterDeployment, { ...cluster, spec: { ...cluster.spec, clusterMetadata } }).catch(() => undefined)
      await world.seconds(5)
      expect(await mayDo('get', '', 'secrets', namespace, creds)).toBe(false)
      const { rules = [] } = await world.store.get(Role, { namespace, name: claimOwner })
      expect(rules.flatMap(({ resourceNames = [] }) => resourceNames)).toEqual([
        `${namespace}-admin-kubeconfig`,
        `${namespace}-admin-password`,
      ])
    }
    expect(await mayDo('get', '', 'secrets', namespace, `${namespace}-admin-kubeconfig`)).toBe(true)
  })

  test.each([
    'clusterdeployments/status',
    'clusterpools/status',
    'clusterpools',
    'clusterclaims',
    'clusterprovisions',
    'clusterdeprovisions',
  ])('cannot write %s in the namespace of the cluster', async what => {
    const namespace = await claimed()
    for (const verb of ['create', 'update', 'patch']) expect(await mayDo(verb, 'hive.openshift.io', what, namespace, namespace)).toBe(false)
    expect(await mayDo('create', 'hive.openshift.io', 'clusterdeployments', namespace, 'second')).toBe(false)
    expect(await mayDo('patch', 'hive.openshift.io', 'clusterdeployments', namespace, namespace)).toBe(true)
  })

  test('cannot have the removal of their cluster remove something else', async () => {
    const namespace = await claimed()
    const cluster = await world.store.get(ClusterDeployment, { namespace, name: namespace })
    const { infraID } = cluster.spec.clusterMetadata!
    const destroyed: string[] = []
    const destroy = world.installer.destroy.bind(world.installer)
    world.installer.destroy = async request => {
      destroyed.push(request.infraID)
      return destroy(request)
    }
    const annotations = {
      ...cluster.metadata.annotations,
      [previousMarkAnnotation]: 'victim-11111',
      [forgottenMarksAnnotation]: 'victim-22222',
    }
    await world.edit(ClusterDeployment, cluster, object => ({ ...object, metadata: { ...object.metadata, annotations } }))
    await world.delete(ClusterClaim, await world.getClaim('mine'))
    await world.seconds(200)
    expect([...new Set(destroyed)]).toEqual([infraID])
  })
})

describe('the status of a pool', () => {
  test.each(['reserved', 'clusterNameUsage'] as const)('cannot lead a pool into another namespace by %s', async field => {
    world = await PoolWorld.started()
    await world.store.create(Namespace, { metadata: { name: 'victim' } })
    await world.store.create(Secret, { metadata: { namespace: 'victim', name: 'precious' }, stringData: { a: 'b' } })
    await world.createPool({ size: 1, ...(field === 'reserved' ? {} : { inventory: world.inventory('foo') }) })
    const forged = field === 'reserved' ? { reserved: ['victim'] } : { clusterNameUsage: { foo: 'victim' } }
    await world.edit(ClusterPool, await world.pool(), pool => ({ ...pool, status: forged }), 'status')
    await world.claim('mine', { subjects, namespace: 'victim' })
    await world.seconds(300)
    expect((await world.store.list(Secret, { namespace: 'victim' })).items.map(({ object }) => object.metadata.name)).toEqual(['precious'])
    expect((await world.store.list(ClusterDeployment, { namespace: 'victim' })).items).toEqual([])
    expect((await world.all(AccessGrant)).filter(({ spec }) => spec.namespaces.includes('victim'))).toEqual([])
    expect((await world.all(Role)).filter(({ metadata }) => metadata.namespace === 'victim')).toEqual([])
    // The pool has struck the entry out and made its cluster elsewhere.
    expect(JSON.stringify((await world.pool()).status)).not.toContain('victim')
    expect((await world.clusters()).length).toBeGreaterThan(0)
  })
})

test('a ClusterDeployment that only says to be of a pool is none of its clusters, and cannot strike one of them out', async () => {
  world = await PoolWorld.started()
  await world.createPool({ size: 1, runningCount: 1, inventory: world.inventory('foo') })
  await world.seconds(200)
  const [cluster] = await world.clusters()
  const before = await world.usage()
  await world.store.create(Namespace, { metadata: { name: 'attacker' } })
  const name = cluster!.metadata.name
  const spec = { ...cluster!.spec, installed: true }
  const forged = await world.store.create(ClusterDeployment, { metadata: { namespace: 'attacker', name }, spec })
  await world.store.create(ClusterDeployment, { metadata: { namespace: 'attacker', name: 'attacker' }, spec })
  await world.seconds(60)
  expect((await world.pool()).status).toMatchObject({ size: 1, ready: 1 })
  await world.claim('mine', { subjects, namespace: 'attacker' })
  await world.seconds(10)
  expect((await world.getClaim('mine')).spec.namespace).toBe(name)
  await world.delete(ClusterDeployment, forged)
  await world.seconds(60)
  expect(await world.usage()).toEqual(before)
})

test('a claim that is deleted revokes nothing in a namespace that its pool has not made', async () => {
  world = await PoolWorld.started()
  await world.createPool({ size: 0 })
  await world.store.create(Namespace, { metadata: { name: 'victim' } })
  await world.store.create(Role, { metadata: { namespace: 'victim', name: claimOwner }, rules: [] })
  const claim = await world.claim('mine', { namespace: 'victim' })
  await world.delete(ClusterClaim, claim)
  await world.seconds(10)
  expect(await world.store.get(Role, { namespace: 'victim', name: claimOwner })).toBeDefined()
})

describe('the table of references', () => {
  const secrets = referenceFields.filter(({ to, kind }) => to === 'Secret' && kind === 'ClusterDeployment')

  test.each(secrets.map(row => [row.path, row] as const))(
    'of a pool’s cluster %s never leads to a Secret that its writer chose',
    async (path, row) => {
      world = await PoolWorld.make()
      await world.store.create(Namespace, { metadata: { name: 'c1', labels: { [poolNamespaceLabel]: home, [poolNameLabel]: 'pool' } } })
      await world.store.create(Secret, { metadata: { namespace: 'c1', name: 'precious' }, stringData: { key: 'value' } })
      const { platform, baseDomain } = poolDraft().spec
      const object = await world.store.create(ClusterDeployment, {
        metadata: { namespace: 'c1', name: 'c1' },
        spec: { clusterName: 'c1', baseDomain, platform, provisioning: { installConfigSecretRef: { name: 'precious' } } },
      })
      const read = referredSecret({ object, isPoolMember: true }, path.replace('*', 'aws'), 'precious', world.store)
      if (row.use === 'copied') expect(await read).toBeUndefined()
      else await expect(read).rejects.toThrow('no controller reads')
    },
  )
})
