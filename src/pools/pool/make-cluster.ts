import { ClusterDeployment, ClusterDeploymentCustomization, Namespace, Secret } from '../../kinds/index.ts'
import type { ClusterPool, Draft, Kind, Resource } from '../../kinds/index.ts'
import { type Store, StoreError, undefinedIf } from '../../store/index.ts'
import {
  deprovisionFinalizer,
  namespacePoolLabel,
  poolNameLabel,
  poolNamespaceLabel,
  removalAnnotation,
  versionAnnotation,
  versionFormAnnotation,
} from '../names.ts'
import type { Dependencies } from './dependencies.ts'
import { installConfig } from './install-config.ts'
import { clusterNameOf, type Entry } from './inventory.ts'
import type { Reservation } from './ledger.ts'
import { versionForm } from './pool-version.ts'

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
 * Makes a cluster's namespace, Secrets and, last of all, its ClusterDeployment. What is there already was made by an earlier try, so
 * this can be repeated at will. Throws `PatchNotApplicable` before anything is made.
 */
export async function makeCluster(order: Order, store: Store): Promise<Made> {
  const { pool, reservation } = order
  const { namespace } = reservation
  const secrets = order.unwanted ? [] : secretsOf(order)
  const customizations = [order.dependencies.customization, order.customization].filter(each => each !== undefined)
  const labels = poolLabels(pool)
  try {
    await ensure(store, Namespace, { metadata: { name: namespace, labels: { [namespacePoolLabel]: pool.metadata.name, ...labels } } })
    await Promise.all([
      ...secrets.map(secret => ensure(store, Secret, secret)),
      // An installer finds beside the cluster what it has to patch in.
      ...customizations.map(({ metadata, spec }) =>
        ensure(store, ClusterDeploymentCustomization, { metadata: { namespace, name: metadata.name }, spec }),
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

/** What the cluster is called: like its entry, as the customization says, or like its object. */
function nameFor({ reservation, entry, customization }: Order): string {
  if (entry === undefined) return reservation.name ?? reservation.namespace
  const known = new Map(customization === undefined ? [] : [[customization.metadata.name, customization]])
  return clusterNameOf(entry, known) ?? reservation.namespace
}

function secretsOf(order: Order): readonly Draft<Secret>[] {
  const { pool, reservation, entry, dependencies } = order
  const { namespace } = reservation
  const patches = [dependencies.customization, order.customization].flatMap(customization =>
    customization?.spec.installConfigPatches === undefined ? [] : [customization.spec.installConfigPatches],
  )
  const [platform] = Object.keys(pool.spec.platform)
  const clusterName = nameFor(order)
  const config = installConfig({ pool, clusterName, template: dependencies.template, entry, patches })
  const copy = (suffix: string, source: Secret | undefined): readonly Draft<Secret>[] =>
    source === undefined ? [] : [{ metadata: { namespace, name: `${namespace}-${suffix}` }, type: source.type, data: source.data ?? {} }]
  return [
    { metadata: { namespace, name: `${namespace}-install-config` }, stringData: { 'install-config.yaml': config } },
    ...copy('pull-secret', dependencies.pullSecret),
    ...copy(`${platform}-creds`, dependencies.credentials),
    ...copy(`${platform}-certs`, dependencies.certificates),
  ]
}

function clusterOf(order: Order): Draft<ClusterDeployment> {
  const { pool, version, reservation, entry, powerState, unwanted, dependencies } = order
  const { spec, metadata } = pool
  const { namespace } = reservation
  return {
    metadata: {
      name: namespace,
      namespace,
      // From the first moment on: a cluster that is deleted at once has to leave the ledger, too.
      finalizers: [deprovisionFinalizer],
      labels: { ...spec.labels, ...entry?.labels, ...poolLabels(pool) },
      annotations: {
        ...spec.annotations,
        [versionAnnotation]: version,
        [versionFormAnnotation]: versionForm,
        ...(unwanted ? { [removalAnnotation]: 'true' } : {}),
      },
    },
    spec: {
      clusterName: nameFor(order),
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
        ...(spec.installerEnv === undefined ? {} : { installerEnv: spec.installerEnv }),
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
