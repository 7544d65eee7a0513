import { ClusterDeploymentCustomization, ClusterImageSet, Secret } from '../../kinds/index.ts'
import type { ClusterPool, Kind, Resource } from '../../kinds/index.ts'
import type { Pass } from '../../control/index.ts'
import { type Store, undefinedIf } from '../../store/index.ts'

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
export async function dependenciesOf({ object: { metadata, spec }, read, store }: Pass<ClusterPool>): Promise<Dependencies> {
  const { namespace = '' } = metadata
  const secret = async (
    what: string,
    name: string | undefined,
    key?: string,
  ): Promise<{ readonly found?: Secret; readonly lack?: string }> => {
    if (name === undefined) return {}
    const found = await find(store, Secret, namespace, name)
    if (found === undefined) return { lack: `${what}: Secret "${name}" not found` }
    return key === undefined || found.data?.[key] !== undefined ? { found } : { found, lack: `${what}: Secret "${name}" has no key ${key}` }
  }
  const [platform = {}] = Object.values(spec.platform) as { readonly [field: string]: { readonly name?: string } | undefined }[]
  const [pullSecret, template, credentials, certificates] = await Promise.all([
    secret('pull secret', spec.pullSecretRef?.name, pullSecretKey),
    secret('install config template', spec.installConfigSecretTemplateRef?.name, templateKey),
    secret('credentials secret', platform['credentialsSecretRef']?.name),
    secret('credentials secret', platform['certificatesSecretRef']?.name, certificatesKey),
  ])
  const { imageSetRef, customizationRef } = spec
  // What memory shows need not be asked for; what it does not show may be there all the same.
  const imageSet = read(ClusterImageSet).get(imageSetRef.name) ?? (await find(store, ClusterImageSet, undefined, imageSetRef.name))
  const customization =
    customizationRef === undefined ? undefined : await find(store, ClusterDeploymentCustomization, namespace, customizationRef.name)
  const missing = [
    imageSet === undefined ? `cluster image set: ClusterImageSet.hive.openshift.io "${imageSetRef.name}" not found` : undefined,
    pullSecret.lack,
    template.lack,
    credentials.lack,
    certificates.lack,
    customizationRef !== undefined && customization === undefined
      ? `pool-wide customizationRef ${customizationRef.name} not found`
      : undefined,
  ].filter(lack => lack !== undefined)
  return {
    pullSecret: pullSecret.found,
    template: textOf(template.found, templateKey),
    credentials: credentials.found,
    certificates: certificates.found,
    customization,
    missing,
  }
}

/** One error bare, several in brackets. */
export function missingText(missing: readonly string[]): string {
  return missing.length === 1 ? missing[0]! : `[${missing.join(', ')}]`
}

/** An object, or undefined if there is none of that name. */
export function find<R extends Resource>(store: Store, kind: Kind<R>, namespace: string | undefined, name: string): Promise<R | undefined> {
  return store.get(kind, namespace === undefined ? { name } : { namespace, name }).catch(undefinedIf('NotFound'))
}

function textOf(secret: Secret | undefined, key: string): string | undefined {
  const value = secret?.data?.[key]
  return value === undefined ? undefined : Buffer.from(value, 'base64').toString('utf8')
}
