import { ClusterDeploymentCustomization, ClusterImageSet, Secret } from '../../kinds/index.ts'
import type { ClusterPool, Kind, Resource } from '../../kinds/index.ts'
import { type Store, StoreError } from '../../store/index.ts'

/** What clusters of a pool are made from besides the pool itself. */
export interface Dependencies {
  readonly pullSecret: Secret | undefined
  /** The text of the install-config template. */
  readonly template: string | undefined
  readonly credentials: Secret | undefined
  readonly certificates: Secret | undefined
  readonly customization: ClusterDeploymentCustomization | undefined
  /** What is not there, as sentences. Nothing is made while there is any. */
  readonly missing: readonly string[]
}

const templateKey = 'install-config.yaml'
const pullSecretKey = '.dockerconfigjson'
const certificatesKey = '.cacert'

/** Looks for everything that a pool's clusters need, and says all that is missing at once. */
export async function dependenciesOf({ metadata, spec }: ClusterPool, store: Store): Promise<Dependencies> {
  const { namespace = '' } = metadata
  const missing: string[] = []
  const secret = async (what: string, name: string | undefined, key?: string): Promise<Secret | undefined> => {
    if (name === undefined) return undefined
    const found = await find(store, Secret, namespace, name)
    if (found === undefined) missing.push(`${what}: Secret "${name}" not found`)
    else if (key !== undefined && found.data?.[key] === undefined) missing.push(`${what}: Secret "${name}" has no key ${key}`)
    return found
  }
  const imageSet = spec.imageSetRef.name
  if ((await find(store, ClusterImageSet, undefined, imageSet)) === undefined)
    missing.push(`cluster image set: ClusterImageSet.hive.openshift.io "${imageSet}" not found`)
  const pullSecret = await secret('pull secret', spec.pullSecretRef?.name, pullSecretKey)
  const template = await secret('install config template', spec.installConfigSecretTemplateRef?.name, templateKey)
  const [platform = {}] = Object.values(spec.platform) as { readonly [field: string]: { readonly name?: string } | undefined }[]
  const credentials = await secret('credentials secret', platform['credentialsSecretRef']?.name)
  const certificates = await secret('credentials secret', platform['certificatesSecretRef']?.name, certificatesKey)
  const customizationName = spec.customizationRef?.name
  const customization =
    customizationName === undefined ? undefined : await find(store, ClusterDeploymentCustomization, namespace, customizationName)
  if (customizationName !== undefined && customization === undefined)
    missing.push(`pool-wide customizationRef ${customizationName} not found`)
  return { pullSecret, template: textOf(template, templateKey), credentials, certificates, customization, missing }
}

/** One error bare, several in brackets. */
export function missingText(missing: readonly string[]): string {
  return missing.length === 1 ? missing[0]! : `[${missing.join(', ')}]`
}

/** An object, or undefined if there is none of that name. */
export async function find<R extends Resource>(
  store: Store,
  kind: Kind<R>,
  namespace: string | undefined,
  name: string,
): Promise<R | undefined> {
  try {
    return await store.get(kind, namespace === undefined ? { name } : { namespace, name })
  } catch (error) {
    if (StoreError.is(error, 'NotFound')) return undefined
    throw error
  }
}

function textOf(secret: Secret | undefined, key: string): string | undefined {
  const value = secret?.data?.[key]
  return value === undefined ? undefined : Buffer.from(value, 'base64').toString('utf8')
}
