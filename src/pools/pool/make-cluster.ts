import { ClusterDeployment, ClusterDeploymentCustomization, Namespace, Secret } from '../../kinds/index.ts'
import type { ClusterPool, Draft, Kind, Resource } from '../../kinds/index.ts'
import { type Store, StoreError, undefinedIf } from '../../store/index.ts'
import { deprovisionFinalizer, namespacePoolLabel, poolNameLabel, poolNamespaceLabel, removalAnnotation } from '../names.ts'
import { put } from '../put.ts'
import { clusterVariables, variablesSecret } from './cluster-variables.ts'
import type { Dependencies } from './dependencies.ts'
import { installConfig } from './install-config.ts'
import type { Entry } from './inventory.ts'
import type { Reservation } from './ledger.ts'
import { reservedName } from './name-holders.ts'
import { platformLabels } from './platform-labels.ts'
import { versionStamp } from './restamp.ts'

/** A cluster to make. */
export interface Order {
  readonly pool: ClusterPool
  readonly version: string
  readonly reservation: Reservation
  /** The entry of the inventory that the cluster is made from, and its customization, reserved for this cluster. */
  readonly entry: Entry | undefined
  readonly customization: ClusterDeploymentCustomization | undefined
  readonly dependencies: Dependencies
  readonly powerState: 'Running' | 'Hibernating'
  /** True: it is made only to be removed in an orderly way, because its reservation is no longer wanted. */
  readonly unwanted: boolean
}

/** What became of an order. `closed`: its namespace is being deleted, nothing can be made there. */
export type Made = 'made' | 'closed'

/**
 * Makes a cluster's namespace, Secrets and, last of all, its ClusterDeployment. This can be repeated at will: what an earlier try left is
 * replaced, because it may have been made from something else, and the Secrets have to say what the ClusterDeployment says.
 * Throws `PatchNotApplicable` before anything is made.
 */
export async function makeCluster(order: Order, store: Store): Promise<Made> {
  const { pool, reservation } = order
  const { namespace } = reservation
  const secrets = order.unwanted ? [] : secretsOf(order)
  const customizations = order.unwanted ? [] : [order.dependencies.customization, order.customization].filter(each => each !== undefined)
  const labels = poolLabels(pool)
  try {
    await ensure(store, Namespace, { metadata: { name: namespace, labels: { [namespacePoolLabel]: pool.metadata.name, ...labels } } })
    await Promise.all([
      ...secrets.map(secret => put(store, Secret, secret)),
      // An installer finds beside the cluster what it has to patch in.
      ...customizations.map(({ metadata, spec }) =>
        put(store, ClusterDeploymentCustomization, { metadata: { namespace, name: metadata.name }, spec }),
      ),
    ])
    await ensure(store, ClusterDeployment, clusterOf(order))
    return 'made'
  } catch (error) {
    if (StoreError.is(error, 'Forbidden') && error.details.namespaceTerminating !== undefined) return 'closed'
    throw error
  }
}

async function ensure<R extends Resource>(store: Store, kind: Kind<R>, draft: Draft<R>): Promise<void> {
  await store.create(kind, draft).catch(undefinedIf('AlreadyExists'))
}

function poolLabels({ metadata }: ClusterPool): Readonly<Record<string, string>> {
  return { [poolNamespaceLabel]: metadata.namespace ?? '', [poolNameLabel]: metadata.name }
}

/** What the cluster of an order is called. One that nobody wants is called like its object: its name may be another's. */
export function nameOf({ reservation, entry, customization, unwanted }: Order): string {
  const known = new Map(customization === undefined ? [] : [[customization.metadata.name, customization]])
  return unwanted ? reservation.namespace : reservedName(reservation, entry, known)
}

function secretsOf(order: Order): readonly Draft<Secret>[] {
  const { pool, reservation, entry, dependencies } = order
  const { namespace } = reservation
  const customizations = [dependencies.customization, order.customization]
  const [platform] = Object.keys(pool.spec.platform)
  const config = installConfig({ pool, clusterName: nameOf(order), template: dependencies.template, entry, customizations })
  const copy = (suffix: string, source: Secret | undefined): readonly Draft<Secret>[] =>
    source === undefined ? [] : [{ metadata: { namespace, name: `${namespace}-${suffix}` }, type: source.type, data: source.data ?? {} }]
  return [
    { metadata: { namespace, name: `${namespace}-install-config` }, stringData: { 'install-config.yaml': config } },
    ...copy('pull-secret', dependencies.pullSecret),
    ...copy(`${platform}-creds`, dependencies.credentials),
    ...copy(`${platform}-certs`, dependencies.certificates),
    ...variablesSecret(pool, namespace, dependencies.environment),
  ]
}

function clusterOf(order: Order): Draft<ClusterDeployment> {
  const { pool, version, reservation, entry, powerState, unwanted, dependencies } = order
  const { spec, metadata } = pool
  const { namespace } = reservation
  const installerEnv = clusterVariables(pool, namespace, dependencies.environment)
  return {
    metadata: {
      name: namespace,
      namespace,
      // From the first moment on: a cluster that is deleted at once has to leave the ledger, too.
      finalizers: [deprovisionFinalizer],
      labels: { ...platformLabels(spec.platform), ...spec.labels, ...entry?.labels, ...poolLabels(pool) },
      annotations: {
        ...spec.annotations,
        ...versionStamp(version),
        ...(unwanted ? { [removalAnnotation]: 'true' } : {}),
      },
    },
    spec: {
      clusterName: nameOf(order),
      baseDomain: spec.baseDomain,
      platform: platformOf(spec.platform, namespace),
      clusterPoolRef: {
        namespace: metadata.namespace ?? '',
        poolName: metadata.name,
        ...(entry?.customizationRef === undefined ? {} : { clusterDeploymentCustomization: entry.customizationRef }),
      },
      provisioning: {
        installConfigSecretRef: { name: `${namespace}-install-config` },
        imageSetRef: spec.imageSetRef,
        ...(installerEnv === undefined ? {} : { installerEnv }),
        ...(spec.customizationRef === undefined ? {} : { customizationRef: spec.customizationRef }),
      },
      powerState,
      ...(dependencies.pullSecret === undefined ? {} : { pullSecretRef: { name: `${namespace}-pull-secret` } }),
      ...(spec.installAttemptsLimit === undefined ? {} : { installAttemptsLimit: spec.installAttemptsLimit }),
      ...(spec.hibernateAfter === undefined ? {} : { hibernateAfter: spec.hibernateAfter }),
    },
  }
}

/** The platform with the names of the copies of its Secrets. */
function platformOf(platform: ClusterPool['spec']['platform'], namespace: string): ClusterPool['spec']['platform'] {
  const copies: Readonly<Record<string, string>> = { credentialsSecretRef: 'creds', certificatesSecretRef: 'certs' }
  return Object.fromEntries(
    Object.entries(platform).map(([name, settings]) => [
      name,
      Object.fromEntries(
        Object.entries(settings as object).map(([field, value]) => [
          field,
          field in copies ? { name: `${namespace}-${name}-${copies[field]}` } : (value as unknown),
        ]),
      ),
    ]),
  )
}
