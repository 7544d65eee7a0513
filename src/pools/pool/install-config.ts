import { parse, stringify } from 'yaml'
import type { ClusterDeploymentCustomization, ClusterPool } from '../../kinds/index.ts'
import { PatchNotApplicable } from '../errors.ts'
import type { Entry } from './inventory.ts'
import { patchDocument } from './patch-document.ts'

type Patches = NonNullable<ClusterDeploymentCustomization['spec']['installConfigPatches']>

/** What a cluster's install-config is made of. */
export interface InstallConfigParts {
  readonly pool: ClusterPool
  readonly clusterName: string
  /** The text of the pool's template, if it has one. */
  readonly template: string | undefined
  readonly entry: Entry | undefined
  /** Patches of the whole pool and of the entry, in the order in which they are applied. */
  readonly patches: readonly Patches[]
}

/**
 * The install-config of one cluster as YAML: the template or a plain one, with the cluster's name and the pool's base domain, the
 * addresses of the inventory's entry, and the patches. Throws `PatchNotApplicable`.
 */
export function installConfig({ pool, clusterName, template, entry, patches }: InstallConfigParts): string {
  const start = template === undefined ? plain(pool) : ((parse(template) ?? {}) as Document)
  const document: Document = structuredClone({
    ...start,
    metadata: { ...(start['metadata'] as object | undefined), name: clusterName },
    baseDomain: pool.spec.baseDomain,
  })
  if (entry?.vSphere !== undefined) setAddresses(document, entry.vSphere)
  for (const patch of [...patches, entry?.installConfigPatches ?? []].flat()) {
    patchDocument(document, { ...patch, value: valueOf(patch.value, patch.valueJSON, patch.path) })
  }
  return stringify(document)
}

type Document = Record<string, unknown>

function plain({ spec: { platform } }: ClusterPool): Document {
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
function vSpherePart({ infrastructure, ...older }: NonNullable<ClusterPool['spec']['platform']['vsphere']>): Document {
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
function platformPart(platform: ClusterPool['spec']['platform']): Document {
  const [[name, settings] = ['none', {}]] = Object.entries(platform)
  const { credentialsSecretRef: _credentials, certificatesSecretRef: _certificates, ...rest } = settings as Document
  return { [name]: rest }
}

function setAddresses(document: Document, { apiVIPs, ingressVIPs }: NonNullable<Entry['vSphere']>): void {
  const platform = (document['platform'] ??= {}) as Document
  const vsphere = (platform['vsphere'] ??= {}) as Document
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
