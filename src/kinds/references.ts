import { isPlainObject } from './decode/copy-json.ts'
import type { Kind } from './kind.ts'

/*
 * Every field by which one object refers to another, or to a namespace. A reference is a way to have a controller read or do something,
 * so each row says who may write it and what a controller does with it. A test walks the schemas of all kinds: a reference field without
 * a row fails.
 */

/** What a controller does with the object that a reference names. */
export type ReferenceUse =
  /** Reads it from the namespace of the referring object. Who may write the field in a namespace may have its Secrets used. */
  | 'read'
  /** The same; but for the cluster of a pool the field is not believed: the name is that of the copy that the pool made. */
  | 'copied'
  /** Looks it up among the pool's own objects; the answer of the other side decides, not this field. */
  | 'matched'
  /** Never follows it: shown, or kept for other systems. */
  | 'kept'

/** A field that refers to another object. */
export interface ReferenceField {
  readonly kind: string
  /** `[]` stands for each entry of a list, `*` for any one key. */
  readonly path: string
  /** The kind of what is referred to. */
  readonly to: string
  /** Whoever may write the spec, or controllers alone: status, and fields that a controller overwrites. */
  readonly writer: 'user' | 'controller'
  readonly use: ReferenceUse
  /** For `copied`: how the name of the copy ends; `PLATFORM` is replaced by the platform's name. */
  readonly copy?: string
}

function rows(kind: string, writer: ReferenceField['writer'], fields: Readonly<Record<string, readonly [string, ReferenceUse, string?]>>) {
  return Object.entries(fields).map(([path, [to, use, copy]]): ReferenceField => ({
    kind,
    path,
    to,
    writer,
    use,
    ...(copy === undefined ? {} : { copy }),
  }))
}

/** All references. */
export const referenceFields: readonly ReferenceField[] = Object.freeze([
  ...rows('ClusterPool', 'user', {
    'spec.platform.*.credentialsSecretRef': ['Secret', 'read'],
    'spec.platform.*.certificatesSecretRef': ['Secret', 'read'],
    'spec.pullSecretRef': ['Secret', 'read'],
    'spec.installConfigSecretTemplateRef': ['Secret', 'read'],
    'spec.installerEnv[].valueFrom.secretKeyRef': ['Secret', 'read'],
    'spec.installerEnv[].valueFrom.configMapKeyRef': ['ConfigMap', 'read'],
    'spec.imageSetRef': ['ClusterImageSet', 'read'],
    'spec.customizationRef': ['ClusterDeploymentCustomization', 'read'],
    'spec.inventory.clusterDeployments[].customizationRef': ['ClusterDeploymentCustomization', 'read'],
  }),
  ...rows('ClusterPool', 'controller', {
    'status.clusterNameUsage': ['Namespace', 'matched'],
    'status.reserved': ['Namespace', 'matched'],
  }),
  ...rows('ClusterClaim', 'user', {
    'spec.clusterPoolName': ['ClusterPool', 'matched'],
    'spec.namespace': ['Namespace', 'matched'],
    'spec.subjects': ['User, Group or ServiceAccount', 'kept'],
    'spec.subjects[].namespace': ['Namespace', 'kept'],
  }),
  ...rows('ClusterDeployment', 'user', {
    'spec.platform.*.credentialsSecretRef': ['Secret', 'copied', 'PLATFORM-creds'],
    'spec.platform.*.certificatesSecretRef': ['Secret', 'copied', 'PLATFORM-certs'],
    'spec.pullSecretRef': ['Secret', 'copied', 'pull-secret'],
    'spec.provisioning.installConfigSecretRef': ['Secret', 'copied', 'install-config'],
    'spec.provisioning.installerEnv[].valueFrom.secretKeyRef': ['Secret', 'copied', 'installer-env'],
    'spec.provisioning.installerEnv[].valueFrom.configMapKeyRef': ['ConfigMap', 'copied', 'installer-env'],
    'spec.provisioning.imageSetRef': ['ClusterImageSet', 'read'],
    'spec.provisioning.customizationRef': ['ClusterDeploymentCustomization', 'read'],
    'spec.provisioning.manifestsConfigMapRef': ['ConfigMap', 'kept'],
    'spec.provisioning.manifestsSecretRef': ['Secret', 'kept'],
    'spec.provisioning.sshPrivateKeySecretRef': ['Secret', 'kept'],
    'spec.boundServiceAccountSigningKeySecretRef': ['Secret', 'kept'],
    'spec.clusterInstallRef': ['any', 'kept'],
    'spec.clusterPoolRef': ['ClusterPool', 'matched'],
    'spec.clusterPoolRef.namespace': ['Namespace', 'matched'],
    'spec.clusterPoolRef.poolName': ['ClusterPool', 'matched'],
    'spec.clusterPoolRef.claimName': ['ClusterClaim', 'matched'],
    'spec.clusterPoolRef.clusterDeploymentCustomization': ['ClusterDeploymentCustomization', 'read'],
    'spec.clusterMetadata.adminKubeconfigSecretRef': ['Secret', 'kept'],
    'spec.clusterMetadata.adminPasswordSecretRef': ['Secret', 'kept'],
    'spec.clusterMetadata.metadataJSONSecretRef': ['Secret', 'kept'],
  }),
  ...rows('ClusterDeployment', 'controller', { 'status.provisionRef': ['ClusterProvision', 'read'] }),
  ...rows('ClusterDeploymentCustomization', 'controller', {
    'status.clusterDeploymentRef': ['ClusterDeployment', 'matched'],
    'status.clusterPoolRef': ['ClusterPool', 'matched'],
  }),
  ...rows('ClusterProvision', 'user', {
    'spec.clusterDeploymentRef': ['ClusterDeployment', 'matched'],
    'spec.adminKubeconfigSecretRef': ['Secret', 'kept'],
    'spec.adminPasswordSecretRef': ['Secret', 'kept'],
    'spec.prevProvisionName': ['ClusterProvision', 'kept'],
  }),
  ...rows('ClusterProvision', 'controller', { 'status.jobRef': ['any', 'kept'] }),
  ...rows('AccessGrant', 'user', {
    'spec.subjects': ['User or Group', 'read'],
    'spec.namespaces': ['Namespace', 'read'],
  }),
  ...rows('RoleBinding', 'user', {
    subjects: ['User, Group or ServiceAccount', 'read'],
    'subjects[].namespace': ['Namespace', 'kept'],
    roleRef: ['Role or ClusterRole', 'matched'],
  }),
  ...rows('Event', 'user', {
    involvedObject: ['any', 'kept'],
    'involvedObject.namespace': ['Namespace', 'kept'],
    related: ['any', 'kept'],
    'related.namespace': ['Namespace', 'kept'],
  }),
])

/** Whether a field's name says that it refers to an object or a namespace. `status.inventory.reserved` is a number. */
const speaking = /Refs?$|Namespaces?$|PoolName$|poolName$|claimName$|ProvisionName$|Customization$/
const plain = new Set(['namespace', 'namespaces', 'reserved', 'clusterNameUsage', 'subjects', 'involvedObject', 'related'])

interface Schema {
  readonly type?: string
  readonly properties?: Readonly<Record<string, Schema>>
  readonly items?: Schema
  readonly additionalProperties?: unknown
}

/** The paths of all fields of a kind that refer to something, found by their names. */
export function referencePaths({ schema }: Kind): readonly string[] {
  const found: string[] = []
  const walk = (part: Schema, path: string): void => {
    for (const [name, inner] of Object.entries(part.properties ?? {})) {
      if (path === '' && name === 'metadata') continue
      const here = path === '' ? name : `${path}.${name}`
      if (inner.type !== 'integer' && (speaking.test(name) || plain.has(name))) found.push(here)
      walk(inner, here)
    }
    if (part.items !== undefined) walk(part.items, `${path}[]`)
    if (isPlainObject(part.additionalProperties)) walk(part.additionalProperties, `${path}.*`)
  }
  walk(schema, '')
  return found
}

/** Whether a row is about a path. */
export function isRowFor({ path }: ReferenceField, actual: string): boolean {
  const [pattern, steps] = [path.split('.'), actual.split('.')]
  return pattern.length === steps.length && pattern.every((step, index) => step === '*' || step === steps[index])
}
