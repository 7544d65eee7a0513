import { parse } from 'yaml'
import { afterEach, describe, expect, test } from 'vitest'
import { Secret } from '../kinds/index.ts'
import type { ClusterPool } from '../kinds/index.ts'
import { findCondition } from '../control/index.ts'
import { home, PoolWorld } from './testing/pool-world.ts'

// What the inventory of names is for: clusters on vSphere, whose DNS nobody can change on the fly.

let world: PoolWorld
afterEach(() => world.stop())

type VSphere = NonNullable<ClusterPool['spec']['platform']['vsphere']>
const refs = { credentialsSecretRef: { name: 'vc-creds' }, certificatesSecretRef: { name: 'vc-certs' } }
const failureDomains = [{ name: 'fd', region: 'r', zone: 'z', server: 'vc.example.com', topology: { datacenter: 'dc' } }]
const zonal: VSphere = { ...refs, infrastructure: { vcenters: [{ server: 'vc.example.com' }], failureDomains } }
const older: VSphere = {
  ...refs,
  vCenter: 'my_vcenter',
  datacenter: 'my_datacenter',
  defaultDatastore: 'my_datastore',
  folder: 'my_folder',
  cluster: 'my_cluster',
  network: 'my_network',
}

async function begin(): Promise<void> {
  // vSphere's clusters cannot hibernate.
  world = await PoolWorld.make({ powerSeconds: undefined })
  await world.store.create(Secret, { metadata: { name: 'vc-creds', namespace: home }, stringData: { username: 'u', password: 'p' } })
  await world.store.create(Secret, { metadata: { name: 'vc-certs', namespace: home }, stringData: { '.cacert': 'PEM' } })
  world.start()
}

async function configOf(name: string): Promise<unknown> {
  const { metadata } = (await world.cluster(name))!
  const key = { namespace: metadata.namespace!, name: `${metadata.name}-install-config` }
  return parse(Buffer.from((await world.store.get(Secret, key)).data!['install-config.yaml']!, 'base64').toString()) as unknown
}

describe('a pool on vSphere', () => {
  test('has named clusters with copies of its Secrets, which run without a running count, and gives them to claims', async () => {
    await begin()
    const inventory = {
      clusterDeployments: [{ name: 'foo', vSphere: { apiVIPs: ['10.0.0.10'], ingressVIPs: ['10.0.0.11'] } }, { name: 'bar' }],
    }
    await world.createPool({ size: 2, platform: { vsphere: zonal }, inventory })
    await world.seconds(200)
    expect(await world.names()).toEqual(['bar', 'foo'])
    expect((await world.pool()).status).toMatchObject({ size: 2, ready: 2, standby: 0 })
    const { metadata, spec } = (await world.cluster('foo'))!
    expect(spec.platform.vsphere).toMatchObject({
      credentialsSecretRef: { name: `${metadata.name}-vsphere-creds` },
      certificatesSecretRef: { name: `${metadata.name}-vsphere-certs` },
    })
    const copy = await world.store.get(Secret, { namespace: metadata.namespace!, name: `${metadata.name}-vsphere-certs` })
    expect(Buffer.from(copy.data!['.cacert']!, 'base64').toString()).toBe('PEM')
    expect(await configOf('foo')).toMatchObject({
      metadata: { name: 'foo' },
      baseDomain: 'example.com',
      platform: {
        vsphere: { vcenters: [{ server: 'vc.example.com' }], failureDomains, apiVIPs: ['10.0.0.10'], ingressVIPs: ['10.0.0.11'] },
      },
    })
    await world.claim('mine')
    await world.settle()
    expect(findCondition(await world.getClaim('mine'), 'ClusterRunning')).toMatchObject({ status: 'True' })
  })

  test('in the older form is brought into the newer one for the installer, and stays as it was written', async () => {
    await begin()
    await world.createPool({ size: 1, platform: { vsphere: older }, inventory: world.inventory('foo') })
    await world.settle()
    expect(await configOf('foo')).toMatchObject({
      platform: {
        vsphere: {
          vcenters: [{ server: 'my_vcenter', port: 443, datacenters: ['my_datacenter'] }],
          failureDomains: [
            {
              name: 'generated-failure-domain',
              region: 'generated-region',
              zone: 'generated-zone',
              server: 'my_vcenter',
              topology: {
                datacenter: 'my_datacenter',
                computeCluster: '/my_datacenter/host/my_cluster',
                networks: ['my_network'],
                datastore: '/my_datacenter/datastore/my_datastore',
                folder: '/my_datacenter/vm/my_folder',
              },
            },
          ],
        },
      },
    })
    expect((await world.pool()).spec.platform.vsphere).toEqual(older)
  })

  test('says which of its Secrets is missing, or has not what it should have', async () => {
    await begin()
    const platform = { vsphere: { ...zonal, credentialsSecretRef: { name: 'nowhere' }, certificatesSecretRef: { name: 'creds' } } }
    await world.createPool({ size: 1, platform, inventory: world.inventory('foo') })
    await world.settle()
    expect(findCondition(await world.pool(), 'MissingDependencies')).toMatchObject({
      status: 'True',
      message: '[credentials secret: Secret "nowhere" not found, credentials secret: Secret "creds" has no key .cacert]',
    })
  })
})
