import { describe, expect, test } from 'vitest'
import { ClusterDeployment } from './cluster-deployment.ts'
import { ClusterImageSet } from './cluster-image-set.ts'
import { ClusterPool } from './cluster-pool.ts'
import { ClusterProvision } from './cluster-provision.ts'
import { decode } from './decode/decode.ts'
import type { Kind } from './kind.ts'
import type { Resource } from './resource.ts'
import { updateProblems } from './update-problems.ts'

// The rows of the specification's tables of webhooks (hive-clusterpool §4.6 to §4.9), as far as pools need them.

const refs = { credentialsSecretRef: { name: 'creds' }, certificatesSecretRef: { name: 'certs' } }
const zonal = { vsphere: { ...refs, infrastructure: { vcenters: [{ server: 'vc' }] } } }
const legacy = { vsphere: { ...refs, vCenter: 'vc', datacenter: 'dc', defaultDatastore: 'ds', folder: 'f', cluster: 'c', network: 'n' } }
const aws = { aws: { credentialsSecretRef: { name: 'fake-creds-secret' }, region: 'test-region' } }

function read<R extends Resource>(kind: Kind<R>, spec: object) {
  return decode(kind, {
    apiVersion: kind.apiVersion,
    kind: kind.name,
    metadata: { name: 'one', ...(kind.scope === 'Cluster' ? {} : { namespace: 'n' }) },
    spec,
  })
}
const allowed = <R extends Resource>(kind: Kind<R>, spec: object) => read(kind, spec).problems.length === 0
function mayChange<R extends Resource>(kind: Kind<R>, old: object, next: object): boolean {
  return allowed(kind, next) && updateProblems(kind, read(kind, old).object, read(kind, next).object).length === 0
}

describe('a pool', () => {
  const pool = (platform: object) => ({ platform, baseDomain: 'example.com', imageSetRef: { name: 'i' }, size: 1 })
  test.each<[string, object, boolean]>([
    ['Test valid create', aws, true],
    ['Azure create valid', { azure: { credentialsSecretRef: { name: 'c' }, region: 'r' } }, true],
    ['OpenStack unsupported platform', { openstack: { credentialsSecretRef: { name: 'c' } } }, false],
    ['Azure create missing region', { azure: { credentialsSecretRef: { name: 'c' } } }, false],
    ['Azure create missing credentials', { azure: { region: 'r' } }, false],
    ['create with two cloud platforms', { ...aws, gcp: { credentialsSecretRef: { name: 'c' }, region: 'r' } }, false],
    ['create with no cloud platforms', {}, false],
    ['vSphere valid', zonal, true],
    ['vSphere without a vCenter', { vsphere: refs }, false],
    [
      'VSphere credentials forbidden: deprecated shape',
      { vsphere: { ...refs, infrastructure: { vcenters: [{ server: 'vc' }], password: 'p' } } },
      false,
    ],
    [
      'VSphere credentials forbidden: zonal shape',
      { vsphere: { ...refs, infrastructure: { vcenters: [{ server: 'vc', password: 'p' }] } } },
      false,
    ],
  ])('%s', (_, platform, isAllowed) => expect(allowed(ClusterPool, pool(platform))).toBe(isAllowed))

  test('keeps fields of the platform that only an installer understands', () => {
    const { object } = read(ClusterPool, pool(legacy))
    expect(object.spec.platform).toEqual(legacy)
  })
})

describe('a cluster', () => {
  const base = { clusterName: 'a', baseDomain: 'example.com', platform: zonal, provisioning: { installConfigSecretRef: { name: 's' } } }
  const metadata = { clusterID: 'c', infraID: 'i', adminKubeconfigSecretRef: { name: 'k' } }
  const ref = { namespace: 'pool-ns', poolName: 'mypool' }

  test.each<[string, object, boolean]>([
    ['vSphere create valid', base, true],
    ['vSphere create valid with legacy (pre-zonal) shape', { ...base, platform: legacy }, true],
    [
      'vsphere creds forbidden: zonal field',
      { ...base, platform: { vsphere: { ...refs, infrastructure: { vcenters: [{ server: 'v', password: 'p' }] } } } },
      false,
    ],
    ['Test setting installed flag without cluster metadata', { ...base, installed: true }, false],
    ['Provisioning is missing', { ...base, provisioning: undefined }, false],
    ['ClusterInstallRef is set with Provisioning', { ...base, clusterInstallRef: { kind: 'X' } }, false],
    ['Cluster name is too long', { ...base, clusterName: 'x'.repeat(64) }, false],
  ])('%s', (_, spec, isAllowed) => {
    const plain = Object.fromEntries(Object.entries(spec).filter(([, value]) => value !== undefined))
    expect(allowed(ClusterDeployment, plain)).toBe(isAllowed)
  })

  const pooled = { ...base, clusterPoolRef: ref }
  const claimed = { ...base, clusterPoolRef: { ...ref, claimName: 'test-claim' } }
  test.each<[string, object, object, boolean]>([
    ['Test Update Operation is allowed with different mutable data', base, { ...base, preserveOnDelete: true }, true],
    ['Test Update Operation is NOT allowed with different immutable data', base, { ...base, clusterName: 'b' }, false],
    [
      'Test clearing installed flag',
      { ...base, installed: true, clusterMetadata: metadata },
      { ...base, clusterMetadata: metadata },
      false,
    ],
    ['Test update with removed ClusterPoolReference', pooled, base, false],
    ['Test update with added ClusterPoolReference', base, pooled, false],
    ['Test update with modified ClusterPoolReference PoolName', pooled, { ...base, clusterPoolRef: { ...ref, poolName: 'other' } }, false],
    ['Test update with claimed ClusterPoolReference', pooled, claimed, true],
    ['Test update with unclaimed ClusterPoolReference', claimed, pooled, false],
    ['Test update with changed claim', claimed, { ...base, clusterPoolRef: { ...ref, claimName: 'other-claim' } }, false],
    ['vsphere platform can remain legacy (pre-zonal) shape', { ...base, platform: legacy }, { ...base, platform: legacy }, true],
    [
      'vsphere platform can be zonal-ified',
      { ...base, platform: legacy },
      { ...base, platform: { vsphere: { ...legacy.vsphere, ...zonal.vsphere } } },
      true,
    ],
    ['vsphere platform cannot be de-zonal-ified', base, { ...base, platform: legacy }, false],
    [
      'vsphere platform immutable if not being zonal-ified (deprecated shape)',
      { ...base, platform: legacy },
      { ...base, platform: { vsphere: { ...legacy.vsphere, credentialsSecretRef: { name: 'x' } } } },
      false,
    ],
    [
      'vsphere platform immutable if not being zonal-ified (zonal shape)',
      base,
      { ...base, platform: { vsphere: { ...refs, infrastructure: { vcenters: [{ server: 'vc' }], clusterOSImage: 'x' } } } },
      false,
    ],
  ])('%s', (_, old, next, isAllowed) => expect(mayChange(ClusterDeployment, old, next)).toBe(isAllowed))
})

test('an attempt goes from stage to stage, and never back', () => {
  const stages = ['initializing', 'provisioning', 'complete', 'failed']
  const at = (stage: string) => ({ clusterDeploymentRef: { name: 'c' }, attempt: 0, stage })
  const ways = stages.flatMap(from =>
    stages.filter(to => from !== to && mayChange(ClusterProvision, at(from), at(to))).map(to => `${from} → ${to}`),
  )
  expect(ways).toEqual(['initializing → provisioning', 'initializing → failed', 'provisioning → complete', 'provisioning → failed'])
})

test.each<[string, boolean]>([
  ['image:tag', true],
  ['image@sha256:abc', true],
  ['image@SHA256:abc', false],
  ['image@sh256:abc##', false],
  ['', false],
])('the release image %j', (releaseImage, isAllowed) => expect(allowed(ClusterImageSet, { releaseImage })).toBe(isAllowed))
