import { parseTime } from '../../ports/index.ts'
import { ClusterDeploymentCustomization, ClusterImageSet } from '../../kinds/index.ts'
import type { ClusterDeployment, ClusterProvision } from '../../kinds/index.ts'
import type { Store } from '../../store/index.ts'
import { find } from '../find.ts'
import type { InstallRequest } from '../installer/installer.ts'
import { referredSecret, valuesOf } from '../secrets.ts'
import type { ClusterPass } from './cluster-pass.ts'
import { installerCluster, installerVariables } from './installer-cluster.ts'

/** What the installation still waits for. */
interface Lack {
  readonly lacks: {
    readonly reason: 'InstallConfigRefNotSet' | 'CustomizationRefNotAvailable' | 'InstallerEnvNotAvailable'
    readonly message: string
  }
}

/** Gathers what an installer is asked for; or says what is not there yet. */
export async function requestOf(pass: ClusterPass, provision: ClusterProvision): Promise<InstallRequest | Lack> {
  const { object: cluster, isPoolMember, store } = pass
  const known = await installerCluster(pass)
  const { provisioning, pullSecretRef } = cluster.spec
  const values = async (path: string, name: string | undefined) =>
    valuesOf(await referredSecret({ object: cluster, isPoolMember }, path, name, store))
  const configRef = provisioning?.installConfigSecretRef?.name
  const { 'install-config.yaml': installConfig } = await values('spec.provisioning.installConfigSecretRef', configRef)
  if (known === undefined || installConfig === undefined)
    return { lacks: { reason: 'InstallConfigRefNotSet', message: 'the Secret with the install-config is not there' } }
  const customizations = await customizationsOf(cluster, store)
  if (typeof customizations === 'string') {
    const message = `the ClusterDeploymentCustomization ${customizations} is not there`
    return { lacks: { reason: 'CustomizationRefNotAvailable', message } }
  }
  const { missing } = await installerVariables(pass)
  if (missing.length > 0) return { lacks: { reason: 'InstallerEnvNotAvailable', message: missing.join(', ') } }
  const { '.dockerconfigjson': pullSecret } = await values('spec.pullSecretRef', pullSecretRef?.name)
  const imageSet = provisioning?.imageSetRef?.name
  const image = imageSet === undefined ? undefined : await find(store, ClusterImageSet, undefined, imageSet)
  return {
    ...known,
    provision: provision.metadata.name,
    attempt: provision.spec.attempt,
    startedAt: parseTime(cluster.status?.attemptTimestamp ?? provision.metadata.creationTimestamp ?? ''),
    installConfig,
    pullSecret,
    releaseImage: provisioning?.releaseImage ?? image?.spec.releaseImage,
    prevInfraID: provision.spec.prevInfraID,
    manifestPatches: customizations.flatMap(({ spec }) =>
      (spec.installerManifestPatches ?? []).map(({ manifestSelector, patches }) => ({ glob: manifestSelector.glob, patches })),
    ),
  }
}

/** The customizations beside a cluster: first that of the whole pool, then its own. The name of the first that is not there, if any. */
async function customizationsOf(
  { metadata, spec }: ClusterDeployment,
  store: Store,
): Promise<readonly ClusterDeploymentCustomization[] | string> {
  const found: ClusterDeploymentCustomization[] = []
  for (const ref of [spec.provisioning?.customizationRef, spec.clusterPoolRef?.clusterDeploymentCustomization]) {
    if (ref === undefined) continue
    const customization = await find(store, ClusterDeploymentCustomization, metadata.namespace, ref.name)
    if (customization === undefined) return ref.name
    found.push(customization)
  }
  return found
}
