import { stringify } from 'yaml'
import { isPlainObject } from '../../kinds/index.ts'
import type { ClusterDeploymentCustomization, ClusterPool } from '../../kinds/index.ts'
import { PatchNotApplicable } from '../errors.ts'
import type { Mapping } from './install-config-template.ts'
import type { Entry } from './inventory.ts'
import { patchDocument } from './patch-document.ts'

/** Stands for a name that is still to be generated, which no patch can know. */
export const toBeGenerated = '(to be generated)'

type Patch = NonNullable<ClusterDeploymentCustomization['spec']['installConfigPatches']>[number]

/** What a cluster's install-config is made of. */
export interface InstallConfigParts {
  readonly pool: ClusterPool
  readonly clusterName: string
  /** The pool's template, if it has one. */
  readonly template: Mapping | undefined
  readonly entry: Entry | undefined
  /** That of the whole pool and that of the entry, in the order in which their patches are applied. */
  readonly customizations: readonly (ClusterDeploymentCustomization | undefined)[]
}

/**
 * The install-config of one cluster as YAML: the template or a plain one, with the cluster's name and the pool's base domain, the
 * addresses of the inventory's entry, and the patches. Throws `PatchNotApplicable`.
 */
export function installConfig({ pool, clusterName, template, entry, customizations }: InstallConfigParts): string {
  const { baseDomain } = pool.spec
  const document: Mapping = structuredClone(template ?? plain(pool))
  mappingIn(document, 'metadata')['name'] = clusterName
  document['baseDomain'] = baseDomain
  if (entry?.vSphere !== undefined) setAddresses(document, entry.vSphere)
  let astray: Patch | undefined
  const patches = [...customizations.map(each => each?.spec.installConfigPatches), entry?.installConfigPatches]
  for (const patch of patches.flatMap(each => each ?? [])) {
    patchDocument(document, { ...patch, value: valueOf(patch.value, patch.valueJSON, patch.path) })
    const { metadata } = document
    const isRight = isPlainObject(metadata) && metadata['name'] === clusterName && document['baseDomain'] === baseDomain
    astray = isRight ? undefined : (astray ?? patch)
  }
  // The ledger, the DNS and other pools go by the name that was chosen: a cluster of another name would be known to none of them.
  if (astray !== undefined)
    throw PatchNotApplicable({ ...astray, why: 'it gives the cluster another name or base domain than the pool has for it' })
  return stringify(document)
}

/** The mapping under a key; one is put there if there is none. */
function mappingIn(parent: Mapping, key: string): Mapping {
  const there = parent[key]
  if (isPlainObject(there)) return there
  return (parent[key] = {})
}

function plain({ spec: { platform } }: ClusterPool): Mapping {
  return {
    apiVersion: 'v1',
    controlPlane: { name: 'master', replicas: 3 },
    compute: [{ name: 'worker', replicas: 3 }],
    networking: {
      networkType: 'OVNKubernetes',
      machineNetwork: [{ cidr: '10.0.0.0/16' }],
      clusterNetwork: [{ cidr: '10.128.0.0/14', hostPrefix: 23 }],
      serviceNetwork: ['172.30.0.0/16'],
    },
    platform: platform.vsphere === undefined ? platformPart(platform) : { vsphere: vSpherePart(platform.vsphere) },
  }
}

/** What the installer of OpenShift takes: zones and vCenters. The older form, with one of each, is brought into that one. */
function vSpherePart({ infrastructure, ...older }: NonNullable<ClusterPool['spec']['platform']['vsphere']>): Mapping {
  if (infrastructure !== undefined) return { ...infrastructure }
  const { vCenter: server, datacenter, defaultDatastore, folder, cluster, network } = older as Readonly<Record<string, string | undefined>>
  const below = (kind: string, name: string | undefined) => (name === undefined ? undefined : `/${datacenter}/${kind}/${name}`)
  const topology = {
    datacenter,
    computeCluster: below('host', cluster),
    networks: network === undefined ? undefined : [network],
    datastore: below('datastore', defaultDatastore),
    folder: below('vm', folder),
  }
  return {
    vcenters: [{ server, port: 443, datacenters: [datacenter] }],
    failureDomains: [{ name: 'generated-failure-domain', region: 'generated-region', zone: 'generated-zone', server, topology }],
  }
}

/** The platform without the names of our Secrets, which an installer does not know. */
function platformPart(platform: ClusterPool['spec']['platform']): Mapping {
  const [[name, settings] = ['none', {}]] = Object.entries(platform)
  const { credentialsSecretRef: _credentials, certificatesSecretRef: _certificates, ...rest } = settings as Mapping
  return { [name]: rest }
}

function setAddresses(document: Mapping, { apiVIPs, ingressVIPs }: NonNullable<Entry['vSphere']>): void {
  const vsphere = mappingIn(mappingIn(document, 'platform'), 'vsphere')
  if (apiVIPs !== undefined) vsphere['apiVIPs'] = [...apiVIPs]
  if (ingressVIPs !== undefined) vsphere['ingressVIPs'] = [...ingressVIPs]
}

function valueOf(value: string | undefined, valueJSON: string | undefined, path: string): unknown {
  if (valueJSON === undefined || valueJSON === '') return value
  try {
    return JSON.parse(valueJSON) as unknown
  } catch {
    throw PatchNotApplicable({ op: 'valueJSON', path, why: 'valueJSON is not JSON' })
  }
}
