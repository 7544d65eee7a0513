import { isDeepStrictEqual } from 'node:util'
import { invalid } from './decode/problems.ts'
import type { FieldProblem } from './field-problem.ts'
import type { Rule } from './kind.ts'
import type { Resource } from './resource.ts'
import { isPlainObject } from './decode/copy-json.ts'

interface Reference {
  readonly name: string
}

/** As much of a ClusterDeployment as the rules speak of. */
interface Cluster extends Resource {
  readonly spec: {
    readonly clusterName: string
    readonly baseDomain: string
    readonly installed: boolean
    readonly platform: Platform
    readonly manageDNS?: boolean
    readonly provisioning?: {
      readonly installConfigSecretRef?: Reference
      readonly manifestsConfigMapRef?: Reference
      readonly manifestsSecretRef?: Reference
    }
    readonly clusterInstallRef?: object
    readonly clusterPoolRef?: { readonly claimName?: string }
    readonly clusterMetadata?: { readonly [field: string]: unknown }
    readonly ingress?: readonly { readonly [field: string]: unknown }[]
    readonly certificateBundles?: readonly { readonly [field: string]: unknown }[]
  }
}

interface Platform {
  readonly [name: string]: unknown
}

/** Where zones can be made on the fly; elsewhere names are the administrator's. */
const platformsWithDns = ['aws', 'azure', 'gcp']

/** By this label whoever restores a backup may make clusters that were claimed before. */
const restoreLabel = 'hive.openshift.io/disable-creation-webhook-for-dr'

/** Nobody makes a cluster that is claimed from the beginning: a claim would have a cluster that no pool has given to it. */
export function claimedFromTheBeginning({ metadata, spec }: Cluster): readonly FieldProblem[] {
  const claim = spec.clusterPoolRef?.claimName ?? ''
  if (claim === '' || metadata.labels?.[restoreLabel] === 'true') return []
  const fix = `leave it out; to restore a backup set the label ${restoreLabel}=true`
  return [invalid('spec.clusterPoolRef.claimName', claim, 'cannot be set when the cluster is made', fix)]
}

const protectedAnnotation = 'hive.openshift.io/protected-delete'

/** Whether somebody wants to be sure that a cluster stays, by the annotation that Hive has for it. */
export function protection({ metadata }: Cluster): { readonly message: string; readonly fix: string } | undefined {
  if (!['1', 't', 'T', 'true', 'True', 'TRUE'].includes(metadata.annotations?.[protectedAnnotation] ?? '')) return undefined
  return {
    message: `the annotation ${protectedAnnotation} protects it`,
    fix: `kubectl annotate clusterdeployment ${metadata.name} -n ${metadata.namespace} ${protectedAnnotation}-`,
  }
}

/** What the schema of a ClusterDeployment cannot say: as Hive's webhook has it, where this program knows the thing at all. */
export const clusterRules: readonly Rule<Cluster>[] = [
  {
    path: 'spec.clusterPoolRef',
    message: 'cannot be added or removed',
    fix: 'leave it as it is; a claim is the way to a cluster of a pool',
    holds: ({ spec }, old) => old === undefined || (spec.clusterPoolRef === undefined) === (old.spec.clusterPoolRef === undefined),
    cel: { at: 'spec', expression: 'has(self.clusterPoolRef) == has(oldSelf.clusterPoolRef)' },
  },
  {
    path: 'spec.installed',
    message: 'cannot be taken back',
    fix: 'leave it true; to install anew delete the object',
    holds: ({ spec }, old) => spec.installed || old?.spec.installed !== true,
    cel: { at: 'spec', expression: '!oldSelf.installed || self.installed' },
  },
  {
    path: 'spec.clusterMetadata',
    message: 'must be given when installed is true',
    fix: 'set clusterMetadata together with installed',
    holds: ({ spec }) => !spec.installed || spec.clusterMetadata !== undefined,
    cel: { at: 'spec', expression: '!self.installed || has(self.clusterMetadata)' },
  },
  {
    path: 'spec.manageDNS',
    message: 'DNS cannot be managed on this platform',
    fix: 'leave it out, and make the records that `aviary pool dns` prints',
    holds: ({ spec: { manageDNS, platform } }) => manageDNS !== true || platformsWithDns.some(name => platform[name] !== undefined),
    cel: {
      at: 'spec',
      expression: `!has(self.manageDNS) || !self.manageDNS || ${platformsWithDns.map(name => `has(self.platform.${name})`).join(' || ')}`,
    },
  },
  {
    path: 'spec.provisioning',
    message: 'provisioning or clusterInstallRef must be given, not both',
    fix: 'give provisioning with installConfigSecretRef',
    holds: ({ spec }) => spec.installed || (spec.provisioning === undefined) !== (spec.clusterInstallRef === undefined),
  },
  {
    path: 'spec.provisioning.installConfigSecretRef',
    message: 'must be given, unless the cluster is installed',
    fix: 'name the Secret with the install-config.yaml',
    holds: ({ spec }) => spec.installed || spec.provisioning === undefined || spec.provisioning.installConfigSecretRef !== undefined,
    cel: {
      at: 'spec',
      expression: 'self.installed || !has(self.provisioning) || has(self.provisioning.installConfigSecretRef)',
    },
  },
  {
    path: 'spec.provisioning.manifestsSecretRef',
    message: 'manifestsConfigMapRef and manifestsSecretRef cannot both be given',
    fix: 'give one of them',
    holds: ({ spec: { provisioning } }) =>
      provisioning?.manifestsConfigMapRef === undefined || provisioning.manifestsSecretRef === undefined,
    cel: {
      at: 'spec',
      expression: '!has(self.provisioning) || !has(self.provisioning.manifestsConfigMapRef) || !has(self.provisioning.manifestsSecretRef)',
    },
  },
  {
    path: 'spec.provisioning.manifestsSecretRef',
    message: 'IBM Cloud needs manifests with its credentials',
    fix: 'give manifestsConfigMapRef or manifestsSecretRef',
    holds: ({ spec: { platform, provisioning } }) =>
      platform['ibmcloud'] === undefined ||
      provisioning === undefined ||
      provisioning.manifestsConfigMapRef !== undefined ||
      provisioning.manifestsSecretRef !== undefined,
  },
  {
    path: 'spec.provisioning',
    message: 'cannot be changed',
    fix: 'put the old value back, or make a new cluster',
    holds: ({ spec }, old) => old?.spec.provisioning === undefined || isDeepStrictEqual(spec.provisioning, old.spec.provisioning),
  },
  {
    path: 'spec.clusterPoolRef.claimName',
    message: 'cannot be changed once it is set',
    fix: 'leave it to the pool; a cluster that was claimed is never given to another claim',
    holds: ({ spec }, old) => {
      const before = old?.spec.clusterPoolRef?.claimName ?? ''
      return before === '' || spec.clusterPoolRef?.claimName === before
    },
    cel: {
      at: 'spec.clusterPoolRef',
      expression: '!has(oldSelf.claimName) || oldSelf.claimName == "" || (has(self.claimName) && self.claimName == oldSelf.claimName)',
    },
  },
  {
    path: 'spec.clusterMetadata',
    message: 'cannot be changed once the cluster is installed',
    fix: 'put clusterID, infraID and the references to Secrets back',
    holds: ({ spec }, old) =>
      old?.spec.installed !== true || isDeepStrictEqual(identityOf(spec.clusterMetadata), identityOf(old.spec.clusterMetadata)),
  },
  {
    path: 'spec.clusterMetadata',
    message: 'nothing of it can be taken away once the cluster is installed',
    fix: 'put metadataJSONSecretRef and platform back',
    holds: ({ spec }, old) => old?.spec.installed !== true || stillSaid(old.spec.clusterMetadata, spec.clusterMetadata),
  },
  {
    path: 'spec.ingress',
    message: 'must have an entry called default, and once given cannot be emptied',
    fix: 'add the entry with name: default',
    holds: ({ spec: { ingress = [] } }, old) =>
      ingress.length === 0 ? (old?.spec.ingress ?? []).length === 0 : ingress.some(({ name }) => name === 'default'),
  },
  {
    path: 'spec.ingress',
    message: 'each domain must be below the cluster’s own, without a wildcard',
    fix: 'write apps.NAME.BASEDOMAIN',
    holds: ({ spec }) => (spec.ingress ?? []).every(({ domain }) => isUnderCluster(domain, spec)),
  },
  {
    path: 'spec.ingress',
    message: 'each servingCertificate must be the name of a certificate bundle',
    fix: 'add it to certificateBundles',
    holds: ({ spec: { ingress = [], certificateBundles = [] } }) =>
      ingress.every(
        ({ servingCertificate }) => servingCertificate === undefined || certificateBundles.some(({ name }) => name === servingCertificate),
      ),
  },
  {
    path: 'spec.certificateBundles',
    message: 'each must have a name and a certificateSecretRef',
    fix: 'give both',
    holds: ({ spec: { certificateBundles = [] } }) =>
      certificateBundles.every(
        ({ name, certificateSecretRef }) =>
          typeof name === 'string' && name !== '' && isPlainObject(certificateSecretRef) && (certificateSecretRef['name'] ?? '') !== '',
      ),
  },
  {
    path: 'spec.platform',
    message: 'cannot be changed',
    fix: 'put the old value back, or make a new cluster',
    holds: ({ spec }, old) => old === undefined || mayBecome(old.spec.platform, spec.platform),
  },
]

interface VSphere {
  readonly infrastructure?: unknown
  readonly credentialsSecretRef?: unknown
  readonly certificatesSecretRef?: unknown
}

/** A platform stays what it is, but the older form of vSphere may be replaced by the newer one, which keeps the Secrets. */
function mayBecome(old: Platform, next: Platform): boolean {
  if (isDeepStrictEqual(withoutChangeable(old), withoutChangeable(next))) return true
  const [before, after] = [old['vsphere'], next['vsphere']] as readonly (VSphere | undefined)[]
  return (
    before !== undefined &&
    after !== undefined &&
    before.infrastructure === undefined &&
    after.infrastructure !== undefined &&
    isDeepStrictEqual(before.credentialsSecretRef, after.credentialsSecretRef) &&
    isDeepStrictEqual(before.certificatesSecretRef, after.certificatesSecretRef)
  )
}

/** The fields of platforms that may change while a cluster lives. */
const changeable: readonly (readonly string[])[] = [
  ['agentBareMetal', 'agentSelector'],
  ['aws', 'privateLink', 'additionalAllowedPrincipals'],
  ['gcp', 'discardLocalSsdOnHibernate'],
]

function withoutChangeable(platform: Platform): unknown {
  return changeable.reduce<unknown>((value, path) => without(value, path), platform)
}

function without(value: unknown, [field = '', ...rest]: readonly string[]): unknown {
  if (!isPlainObject(value) || !(field in value)) return value
  const { [field]: inner, ...others } = value
  return rest.length === 0 ? others : { ...others, [field]: without(inner, rest) }
}

/** Whether everything that was known is still said: changed perhaps, but not taken away. */
function stillSaid(old: unknown, next: unknown): boolean {
  if (!isPlainObject(old)) return old === undefined || old === '' || (next !== undefined && next !== '')
  return Object.entries(old).every(([field, value]) => stillSaid(value, isPlainObject(next) ? next[field] : undefined))
}

/** What identifies a cluster; the rest of its metadata may be added and corrected. */
const identity = ['clusterID', 'infraID', 'adminKubeconfigSecretRef', 'adminPasswordSecretRef']

function identityOf(metadata: Cluster['spec']['clusterMetadata']): readonly unknown[] {
  return identity.map(field => metadata?.[field])
}

function isUnderCluster(domain: unknown, { clusterName, baseDomain }: Cluster['spec']): boolean {
  return typeof domain === 'string' && !domain.includes('*') && domain.endsWith(`.${clusterName}.${baseDomain}`)
}
