import { ClusterDeployment, ClusterDeploymentCustomization, Namespace } from '../../kinds/index.ts'
import type { ClusterPool, Draft, Kind, Resource, Secret } from '../../kinds/index.ts'
import { type Store, StoreError, undefinedIf } from '../../store/index.ts'
import { isNamespaceOf, namespaceLabels } from '../cluster-namespace.ts'
import { find } from '../find.ts'
import { deprovisionFinalizer, poolNameLabel, poolNamespaceLabel, removalAnnotation } from '../names.ts'
import { put } from '../put.ts'
import { copyName, platformName, putSecret } from '../secrets.ts'
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

/** What became of an order. `closed`: its namespace is being deleted or not the pool's, nothing can be made there. */
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
  try {
    if (!(await ensureNamespace(store, pool, namespace))) return 'closed'
    await Promise.all([
      ...secrets.map(secret => putSecret(store, secret)),
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

/**
 * Makes the namespace of a cluster. False if there is one of that name that was not made for this pool: what the status of a pool says
 * may have been written by anybody, and must not lead into somebody else's namespace.
 */
async function ensureNamespace(store: Store, pool: ClusterPool, name: string): Promise<boolean> {
  const made = await store.create(Namespace, { metadata: { name, labels: namespaceLabels(pool) } }).catch(undefinedIf('AlreadyExists'))
  const { namespace = '', name: poolName } = pool.metadata
  return isNamespaceOf(made ?? (await find(store, Namespace, undefined, name)), { namespace, name: poolName })
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
  const platform = platformName(pool)
  const config = installConfig({ pool, clusterName: nameOf(order), template: dependencies.template, entry, customizations })
  const metadata = (path: string) => ({ namespace, name: copyName(namespace, path, platform) })
  const copy = (path: string, source: Secret | undefined): readonly Draft<Secret>[] =>
    source === undefined ? [] : [{ metadata: metadata(path), type: source.type, data: source.data ?? {} }]
  return [
    { metadata: metadata('spec.provisioning.installConfigSecretRef'), stringData: { 'install-config.yaml': config } },
    ...copy('spec.pullSecretRef', dependencies.pullSecret),
    ...copy(`spec.platform.${platform}.credentialsSecretRef`, dependencies.credentials),
    ...copy(`spec.platform.${platform}.certificatesSecretRef`, dependencies.certificates),
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
        installConfigSecretRef: { name: copyName(namespace, 'spec.provisioning.installConfigSecretRef', '') },
        imageSetRef: spec.imageSetRef,
        ...(installerEnv === undefined ? {} : { installerEnv }),
        ...(spec.customizationRef === undefined ? {} : { customizationRef: spec.customizationRef }),
      },
      powerState,
      ...(dependencies.pullSecret === undefined ? {} : { pullSecretRef: { name: copyName(namespace, 'spec.pullSecretRef', '') } }),
      ...(spec.installAttemptsLimit === undefined ? {} : { installAttemptsLimit: spec.installAttemptsLimit }),
      ...(spec.hibernateAfter === undefined ? {} : { hibernateAfter: spec.hibernateAfter }),
    },
  }
}

/** The platform with the names of the copies of its Secrets. */
function platformOf(platform: ClusterPool['spec']['platform'], namespace: string): ClusterPool['spec']['platform'] {
  const copies = ['credentialsSecretRef', 'certificatesSecretRef']
  return Object.fromEntries(
    Object.entries(platform).map(([name, settings]) => [
      name,
      Object.fromEntries(
        Object.entries(settings as object).map(([field, value]) => [
          field,
          copies.includes(field) ? { name: copyName(namespace, `spec.platform.${name}.${field}`, name) } : (value as unknown),
        ]),
      ),
    ]),
  )
}
