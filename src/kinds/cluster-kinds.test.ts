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
    ['valid GCP clusterdeployment', { gcp: { credentialsSecretRef: { name: 'c' }, region: 'r' } }, true],
    ['vSphere valid', zonal, true],
    ['vSphere in the older form', legacy, true],
    ['vSphere without credentials', { vsphere: { ...zonal.vsphere, credentialsSecretRef: undefined } }, false],
    ['vSphere without certificates', { vsphere: { ...zonal.vsphere, certificatesSecretRef: undefined } }, false],
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

  test.each<[string, object, object, boolean]>([
    ['Test Update Operation is allowed with same data', pool(aws), pool(aws), true],
    ['Test Update Operation is allowed', pool(aws), { ...pool(aws), baseDomain: 'other.example.com' }, true],
    ['an update is checked as a create is', pool(aws), pool({}), false],
  ])('%s', (_, old, next, isAllowed) => expect(mayChange(ClusterPool, old, next)).toBe(isAllowed))

  test.each([
    ['90s', true],
    ['1h30m', true],
    ['1.5h', true],
    // Hive takes whatever Go does, small as it is.
    ['1500000000ns', true],
    ['15us', true],
    ['15µs', true],
    ['-1h', false],
    ['1d', false],
  ])('a lifetime of %s: %s', (lifetime, isAllowed) => {
    expect(allowed(ClusterPool, { ...pool(aws), claimLifetime: { default: lifetime } })).toBe(isAllowed)
  })

  test.each([
    [63, true],
    [64, false],
  ])('a name of %d characters: %s', (length, isAllowed) => {
    const { apiVersion, name: kind } = ClusterPool
    const { problems } = decode(ClusterPool, { apiVersion, kind, metadata: { name: 'x'.repeat(length), namespace: 'n' }, spec: pool(aws) })
    expect(problems.length === 0).toBe(isAllowed)
  })

  test('keeps fields of the platform that only an installer understands', () => {
    const { object } = read(ClusterPool, pool(legacy))
    expect(object.spec.platform).toEqual(legacy)
  })
})

describe('a cluster', () => {
  const base = { clusterName: 'a', baseDomain: 'example.com', platform: zonal, provisioning: { installConfigSecretRef: { name: 's' } } }
  const metadata = { clusterID: 'c', infraID: 'i', adminKubeconfigSecretRef: { name: 'k' } }
  const ref = { namespace: 'pool-ns', poolName: 'mypool' }
  const azure = { azure: { credentialsSecretRef: { name: 'c' }, region: 'r' } }
  const gcp = { gcp: { credentialsSecretRef: { name: 'c' }, region: 'r' } }
  const openstack = { openstack: { credentialsSecretRef: { name: 'c' }, cloud: 'somecloud' } }
  const nutanix = { nutanix: { credentialsSecretRef: { name: 'c' }, prismCentral: { address: 'a', port: 9440 } } }
  const ingress = [{ name: 'default', domain: 'apps.a.example.com' }]
  const certificateBundles = [{ name: 'c', certificateSecretRef: { name: 's' } }]
  const installed = (more: object = {}) => ({ ...base, installed: true, clusterMetadata: { ...metadata, ...more } })
  const onPlatform = (name: string, fields: object) => installed({ platform: { [name]: fields } })
  const pooledWith = (name: string) => ({ ...base, clusterPoolRef: { ...ref, clusterDeploymentCustomization: { name } } })

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
    ['Test valid create', { ...base, platform: aws }, true],
    ['Test setting installed flag', { ...base, installed: true, clusterMetadata: metadata }, true],
    ['Test create with ClusterPoolReference', { ...base, clusterPoolRef: ref }, true],
    ['Test reject missing InstallConfigSecretRef', { ...base, provisioning: { imageSetRef: { name: 'i' } } }, false],
    ['InstallConfig is missing', { ...base, provisioning: {} }, false],
    ['ClusterInstallRef and Provisioning both not set', { ...base, provisioning: undefined, clusterInstallRef: undefined }, false],
    ['ClusterInstallRef is set when supported', { ...base, provisioning: undefined, clusterInstallRef: { kind: 'X' } }, true],
    [
      'Test new clusterdeployment with missing SSH private key name',
      { ...base, provisioning: { ...base.provisioning, sshPrivateKeySecretRef: { name: '' } } },
      false,
    ],
    [
      'manifestsConfigMapRef and manifestsSecretRef mutually exclusive (create)',
      { ...base, provisioning: { ...base.provisioning, manifestsConfigMapRef: { name: 'a' }, manifestsSecretRef: { name: 'b' } } },
      false,
    ],
    ['Azure create valid', { ...base, platform: azure }, true],
    ['Azure create missing region', { ...base, platform: { azure: { credentialsSecretRef: { name: 'c' } } } }, false],
    ['Azure create missing credentials', { ...base, platform: { azure: { region: 'r' } } }, false],
    ['Azure create missing baseDomainResourceGroupName with manageDNS false', { ...base, platform: azure, manageDNS: false }, true],
    ['Test managed DNS is valid on Azure', { ...base, platform: azure, manageDNS: true }, true],
    ['Test managed DNS is valid on GCP', { ...base, platform: gcp, manageDNS: true }, true],
    ['managed DNS is refused where nobody could make zones', { ...base, manageDNS: true }, false],
    ['create with two cloud platforms', { ...base, platform: { ...aws, ...azure } }, false],
    ['create with no cloud platforms', { ...base, platform: {} }, false],
    ['valid GCP clusterdeployment', { ...base, platform: gcp }, true],
    ['OpenStack create valid', { ...base, platform: openstack }, true],
    [
      'OpenStack create without secret reference for certificates',
      { ...base, platform: { openstack: { ...openstack.openstack, certificatesSecretRef: { name: '' } } } },
      false,
    ],
    [
      'OpenStack create with valid secret reference for certificates',
      { ...base, platform: { openstack: { ...openstack.openstack, certificatesSecretRef: { name: 'x' } } } },
      true,
    ],
    ['Nutanix create valid', { ...base, platform: nutanix }, true],
    ['Nutanix create missing CredentialsSecretRef', { ...base, platform: { nutanix: { prismCentral: { address: 'a', port: 1 } } } }, false],
    [
      'Nutanix create missing PrismCentral address',
      { ...base, platform: { nutanix: { credentialsSecretRef: { name: 'c' }, prismCentral: { port: 1 } } } },
      false,
    ],
    [
      'Nutanix create missing PrismCentral port',
      { ...base, platform: { nutanix: { credentialsSecretRef: { name: 'c' }, prismCentral: { address: 'a' } } } },
      false,
    ],
    [
      'IBMCloud create valid',
      { ...base, platform: { ibmcloud: {} }, provisioning: { ...base.provisioning, manifestsSecretRef: { name: 'm' } } },
      true,
    ],
    ['IBMCloud create missing manifests', { ...base, platform: { ibmcloud: {} } }, false],
    ['Test new clusterdeployment with ingress list with default defined', { ...base, ingress }, true],
    ['Test new clusterdeployment with ingress list without default defined', { ...base, ingress: [{ ...ingress[0], name: 'x' }] }, false],
    ['Test invalid wildcard ingress domain', { ...base, ingress: [{ name: 'default', domain: '*.apps.a.example.com' }] }, false],
    ['Test invalid domain on ingress domain', { ...base, ingress: [{ name: 'default', domain: 'apps.b.example.com' }] }, false],
    ['ingress with serving certificate', { ...base, ingress: [{ ...ingress[0], servingCertificate: 'c' }], certificateBundles }, true],
    [
      'ingress with missing serving certificate',
      { ...base, ingress: [{ ...ingress[0], servingCertificate: 'd' }], certificateBundles },
      false,
    ],
    ['valid serving certificate', { ...base, certificateBundles }, true],
    ['serving certificate without name', { ...base, certificateBundles: [{ certificateSecretRef: { name: 's' } }] }, false],
    ['serving certificate without secret reference', { ...base, certificateBundles: [{ name: 'c' }] }, false],
    [
      'vsphere creds forbidden: deprecated field',
      { ...base, platform: { vsphere: { ...refs, infrastructure: { vcenters: [{ server: 'v' }], password: 'p' } } } },
      false,
    ],
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
    ['Test Update Operation is allowed with same data', base, base, true],
    ['Test Update PreserveOnDelete', base, { ...base, preserveOnDelete: true }, true],
    [
      'Test update with modified ClusterPoolReference Namespace',
      pooled,
      { ...base, clusterPoolRef: { ...ref, namespace: 'other' } },
      false,
    ],
    ['Test update with modified ClusterPoolReference CustomizationRef', pooledWith('foo'), pooledWith('bar'), false],
    [
      'Test update with added ClusterPoolReference CustomizationRef',
      pooled,
      { ...base, clusterPoolRef: { namespace: 'o', poolName: 'p', clusterDeploymentCustomization: { name: 'x' } } },
      false,
    ],
    [
      'Test update with claimed ClusterPoolReference, from an empty name',
      { ...base, clusterPoolRef: { ...ref, claimName: '' } },
      claimed,
      true,
    ],
    ['Test mutating cluster metadata after installed', installed(), installed({ infraID: 'new' }), false],
    ['Test going from previously defined list of ingress to empty ingress list', { ...base, ingress }, { ...base, ingress: [] }, false],
    ['Test updating existing empty ingress to populated ingress', { ...base, ingress: [] }, { ...base, ingress }, true],
    [
      'Test updating existing ingress to one missing default',
      { ...base, ingress },
      { ...base, ingress: [{ ...ingress[0], name: 'x' }] },
      false,
    ],
    ['Test allow modifying controlPlaneConfig', base, { ...base, controlPlaneConfig: { apiURLOverride: 'x' } }, true],
    ['Test allow modifying certificateBundles', base, { ...base, certificateBundles }, true],
    ['Test allow modifying installAttemptsLimit', base, { ...base, installAttemptsLimit: 3 }, true],
    [
      'manifestsConfigMapRef and manifestsSecretRef mutually exclusive (update)',
      base,
      { ...base, provisioning: { ...base.provisioning, manifestsConfigMapRef: { name: 'a' }, manifestsSecretRef: { name: 'b' } } },
      false,
    ],
    ['Azure update region', { ...base, platform: azure }, { ...base, platform: { azure: { ...azure.azure, region: '' } } }, false],
    ['AWS set hosted zone role: installed', installed(), onPlatform('aws', { hostedZoneRole: 'r' }), true],
    ['AWS set hosted zone role: while setting installed', base, onPlatform('aws', { hostedZoneRole: 'r' }), true],
    ['AWS update hosted zone role', onPlatform('aws', { hostedZoneRole: 'r' }), onPlatform('aws', { hostedZoneRole: 's' }), true],
    ['AWS unset hosted zone role', onPlatform('aws', { hostedZoneRole: 'r' }), onPlatform('aws', {}), false],
    ['AWS remove entire platform section', onPlatform('aws', { hostedZoneRole: 'r' }), installed(), false],
    ['AWS add entire platform section to installed cluster', installed(), onPlatform('aws', {}), true],
    [
      'Azure update resource group name',
      onPlatform('azure', { resourceGroupName: 'a' }),
      onPlatform('azure', { resourceGroupName: 'b' }),
      true,
    ],
    ['Azure unset resource group name', onPlatform('azure', { resourceGroupName: 'a' }), onPlatform('azure', {}), false],
    ['GCP update network project ID', onPlatform('gcp', { networkProjectID: 'a' }), onPlatform('gcp', { networkProjectID: 'b' }), true],
    ['GCP unset network project ID', onPlatform('gcp', { networkProjectID: 'a' }), onPlatform('gcp', {}), false],
    ['Set MetadataJSONSecretRef: installed', installed(), installed({ metadataJSONSecretRef: { name: 'm' } }), true],
    [
      'Set MetadataJSONSecretRef: not installed',
      { ...base, clusterMetadata: metadata },
      { ...base, clusterMetadata: { ...metadata, metadataJSONSecretRef: { name: 'm' } } },
      true,
    ],
    ['Set MetadataJSONSecretRef: while setting installed', base, installed({ metadataJSONSecretRef: { name: 'm' } }), true],
    [
      'Update MetadataJSONSecretRef',
      installed({ metadataJSONSecretRef: { name: 'm' } }),
      installed({ metadataJSONSecretRef: { name: 'n' } }),
      true,
    ],
    ['Unset MetadataJSONSecretRef', installed({ metadataJSONSecretRef: { name: 'm' } }), installed(), false],
    [
      'Unset MetadataJSONSecretRef.Name',
      installed({ metadataJSONSecretRef: { name: 'm' } }),
      installed({ metadataJSONSecretRef: { name: '' } }),
      false,
    ],
    [
      'GCP edit DiscardLocalSsdOnHibernate allowed',
      { ...base, platform: { gcp: { ...gcp.gcp, discardLocalSsdOnHibernate: true } } },
      { ...base, platform: { gcp: { ...gcp.gcp, discardLocalSsdOnHibernate: false } } },
      true,
    ],
    [
      'GCP set DiscardLocalSsdOnHibernate allowed',
      { ...base, platform: gcp },
      { ...base, platform: { gcp: { ...gcp.gcp, discardLocalSsdOnHibernate: true } } },
      true,
    ],
    [
      'GCP unset DiscardLocalSsdOnHibernate allowed',
      { ...base, platform: { gcp: { ...gcp.gcp, discardLocalSsdOnHibernate: true } } },
      { ...base, platform: gcp },
      true,
    ],
    [
      'cd.spec.platform.agentBareMetal.agentSelector is a mutable field',
      { ...base, platform: { agentBareMetal: { agentSelector: { a: 'b' } } } },
      { ...base, platform: { agentBareMetal: { agentSelector: { a: 'c' } } } },
      true,
    ],
    [
      'cd.spec.platform.aws.privateLink.additionalAllowedPrincipals is a mutable field',
      { ...base, platform: { aws: { ...aws.aws, privateLink: { enabled: false, additionalAllowedPrincipals: ['a'] } } } },
      { ...base, platform: { aws: { ...aws.aws, privateLink: { enabled: false, additionalAllowedPrincipals: ['b'] } } } },
      true,
    ],
    [
      'vsphere platform can be zonal-ified but creds/certs refs still required',
      { ...base, platform: legacy },
      { ...base, platform: { vsphere: { ...legacy.vsphere, ...zonal.vsphere, credentialsSecretRef: { name: '' } } } },
      false,
    ],
  ])('%s', (_, old, next, isAllowed) => expect(mayChange(ClusterDeployment, old, next)).toBe(isAllowed))
})

test('Cluster deployment name is too long', () => {
  const spec = { clusterName: 'a', baseDomain: 'example.com', platform: zonal, provisioning: { installConfigSecretRef: { name: 's' } } }
  const named = (name: string) =>
    decode(ClusterDeployment, {
      apiVersion: ClusterDeployment.apiVersion,
      kind: 'ClusterDeployment',
      metadata: { name, namespace: 'n' },
      spec,
    })
  expect(named('x'.repeat(64)).problems.map(({ path }) => path)).toEqual(['metadata.name'])
  expect(named('x'.repeat(63)).problems).toEqual([])
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
