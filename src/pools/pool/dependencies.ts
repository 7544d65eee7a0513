import { ClusterDeploymentCustomization, ClusterImageSet } from '../../kinds/index.ts'
import type { ClusterPool, Secret } from '../../kinds/index.ts'
import type { Pass } from '../../control/index.ts'
import { PatchNotApplicable } from '../errors.ts'
import { find } from '../find.ts'
import { installConfig, toBeGenerated } from './install-config.ts'
import { type Mapping, readTemplate } from './install-config-template.ts'
import { entriesOf } from './inventory.ts'
import { platformName, referredSecret, type Variables, variablesOf } from '../secrets.ts'

/** What clusters of a pool are made from besides the pool itself. */
export interface Dependencies {
  readonly pullSecret: Secret | undefined
  /** The install-config template. */
  readonly template: Mapping | undefined
  readonly credentials: Secret | undefined
  readonly certificates: Secret | undefined
  readonly customization: ClusterDeploymentCustomization | undefined
  /** Environment variables of the installer. */
  readonly environment: Variables['values']
  /** What is not there, as sentences. Nothing is made while there is any. */
  readonly missing: readonly string[]
}

const templateKey = 'install-config.yaml'
const pullSecretKey = '.dockerconfigjson'
const certificatesKey = '.cacert'

/** Looks for everything that a pool's clusters need, and says all that is missing, or cannot be used, at once. */
export async function dependenciesOf({ object: pool, read, store }: Pass<ClusterPool>): Promise<Dependencies> {
  const { metadata, spec } = pool
  const { namespace = '' } = metadata
  const secret = async (
    what: string,
    path: string,
    name: string | undefined,
    key?: string,
  ): Promise<{ readonly found?: Secret; readonly lack?: string }> => {
    if (name === undefined) return {}
    const found = await referredSecret({ object: pool }, path, name, store)
    if (found === undefined) return { lack: `${what}: Secret "${name}" not found` }
    return key === undefined || found.data?.[key] !== undefined ? { found } : { found, lack: `${what}: Secret "${name}" has no key ${key}` }
  }
  const settings = `spec.platform.${platformName(pool)}`
  const [platform = {}] = Object.values(spec.platform) as { readonly [field: string]: { readonly name?: string } | undefined }[]
  const [pullSecret, templateSecret, credentials, certificates, variables] = await Promise.all([
    secret('pull secret', 'spec.pullSecretRef', spec.pullSecretRef?.name, pullSecretKey),
    secret('install config template secret', 'spec.installConfigSecretTemplateRef', spec.installConfigSecretTemplateRef?.name, templateKey),
    secret('credentials secret', `${settings}.credentialsSecretRef`, platform['credentialsSecretRef']?.name),
    secret('credentials secret', `${settings}.certificatesSecretRef`, platform['certificatesSecretRef']?.name, certificatesKey),
    variablesOf(pool, spec.installerEnv ?? [], store),
  ])
  const { template, fault } = templateIn(templateSecret.found)
  const { imageSetRef, customizationRef } = spec
  // What memory shows need not be asked for; what it does not show may be there all the same.
  const imageSet = read(ClusterImageSet).get(imageSetRef.name) ?? (await find(store, ClusterImageSet, undefined, imageSetRef.name))
  const customization =
    customizationRef === undefined ? undefined : await find(store, ClusterDeploymentCustomization, namespace, customizationRef.name)
  const missing = [
    imageSet === undefined ? `cluster image set: ClusterImageSet.hive.openshift.io "${imageSetRef.name}" not found` : undefined,
    pullSecret.lack,
    templateSecret.lack ?? fault,
    credentials.lack,
    certificates.lack,
    customizationRef !== undefined && customization === undefined
      ? `pool-wide customizationRef ${customizationRef.name} not found`
      : misfitOf(pool, template, customization),
    ...variables.missing,
  ].filter(lack => lack !== undefined)
  return {
    pullSecret: pullSecret.found,
    template,
    credentials: credentials.found,
    certificates: certificates.found,
    customization,
    environment: variables.values,
    missing,
  }
}

function templateIn(secret: Secret | undefined): { readonly template?: Mapping; readonly fault?: string } {
  const text = secret?.data?.[templateKey]
  if (text === undefined) return {}
  const read = readTemplate(Buffer.from(text, 'base64').toString('utf8'))
  return 'fault' in read ? { fault: `install config template secret: Secret "${secret?.metadata.name}" ${read.fault}` } : read
}

/** What does not fit of the customization of the whole pool. With an inventory each entry says it, because each is another document. */
function misfitOf(
  pool: ClusterPool,
  template: Mapping | undefined,
  customization: ClusterDeploymentCustomization | undefined,
): string | undefined {
  if (customization === undefined || entriesOf(pool) !== undefined) return undefined
  try {
    installConfig({ pool, clusterName: toBeGenerated, template, entry: undefined, customizations: [customization] })
    return undefined
  } catch (error) {
    if (!PatchNotApplicable.is(error)) throw error
    return `pool-wide customizationRef ${customization.metadata.name}: ${error.message}`
  }
}

/** One error bare, several in brackets. */
export function missingText(missing: readonly string[]): string {
  return missing.length === 1 ? missing[0]! : `[${missing.join(', ')}]`
}
