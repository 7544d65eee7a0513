import type { Metrics } from '../../ports/index.ts'
import {
  ClusterClaim,
  ClusterDeployment,
  ClusterDeploymentCustomization,
  ClusterImageSet,
  ClusterPool,
  Namespace,
} from '../../kinds/index.ts'
import { controller, indexed, mapped, parseKey, RewriteBrake } from '../../control/index.ts'
import type { Controller, Pass } from '../../control/index.ts'
import type { NameCheck } from '../dns/name-check.ts'
import { isPoolMember, poolsOfNamespace } from '../cluster-namespace.ts'
import { find } from '../find.ts'
import { poolMetrics } from '../metrics.ts'
import { poolFinalizer } from '../names.ts'
import { poolConditions } from './conditions.ts'
import { emptyPool } from './deletion.ts'
import { keepCustomizations } from './keep-customizations.ts'
import { claimsByPool, clustersByPool, poolKeysOf, poolOfClaim } from './pool-keys.ts'
import { planPool, unknownClusters } from './plan.ts'
import type { PoolSnapshot } from './pool-pass.ts'
import { poolVersion } from './pool-version.ts'
import { reportPool } from './report-pool.ts'
import { restampClusters } from './restamp.ts'
import {
  clustersByHost,
  customizationsByName,
  customizationsOf,
  holderOf,
  poolKey,
  poolsByCustomization,
  poolsByHost,
  poolsConcernedBy,
  rivalsOf,
} from './rivals.ts'
import { addClusters, initialise, powerClusters, removeClusters } from './steps.ts'

/** What the controller of pools needs from outside. */
export interface PoolControllerOptions {
  readonly metrics: Metrics
  /** Checks the DNS names of a cluster before its name is used. Default: they are not checked. */
  readonly checkNames?: NameCheck | undefined
}

/** Keeps as many clusters ready as each pool wants, and replaces those that are broken or out of date. */
export function poolController({ metrics, checkNames }: PoolControllerOptions): Controller {
  const measured = poolMetrics(metrics)
  const proposed = new Map<string, string>()
  const brake = new RewriteBrake()
  return controller<ClusterPool, PoolSnapshot>(ClusterPool, {
    conditions: poolConditions,
    finalizer: poolFinalizer,
    reads: [
      indexed(ClusterDeployment, { byPool: clustersByPool, byHost: clustersByHost }),
      indexed(ClusterClaim, { byPool: claimsByPool }),
      indexed(ClusterPool, { byHost: poolsByHost, byCustomization: poolsByCustomization }),
      indexed(ClusterDeploymentCustomization, { byPool: poolsHolding, byName: customizationsByName }),
    ],
    watches: [
      mapped(ClusterDeployment, poolKeysOf),
      mapped(Namespace, poolsOfNamespace),
      mapped(ClusterClaim, claim => [poolOfClaim(claim)]),
      mapped(ClusterImageSet, (image, read) =>
        read(ClusterPool)
          .list()
          .filter(({ spec }) => spec.imageSetRef.name === image.metadata.name)
          .map(poolKey),
      ),
      mapped(ClusterDeploymentCustomization, (customization, read) => [
        ...poolsConcernedBy(customization, read),
        ...poolsHolding(customization).map(parseKey),
      ]),
      mapped(ClusterPool, rivalsOf),
    ],
    snapshot: async pass => {
      const { object: pool, read, now } = pass
      const claimants = read(ClusterDeployment).byIndex('byPool', pass.key)
      const clusters = claimants.filter(cluster => isPoolMember(cluster, read(Namespace).get(cluster.metadata.namespace ?? '')))
      const claims = read(ClusterClaim).byIndex('byPool', pass.key)
      const version = poolVersion(pool.spec)
      const adopted = await certainlyThere(pass, unknownClusters({ pool, clusters }))
      const customizations = customizationsOf(pool, read)
      const view = { clusters, claims, version, adopted, customizations, holderOf: (name: string) => holderOf(name, pool, read) }
      return { ...view, plan: planPool({ ...view, pool, now }), found: {}, metrics: measured, proposed, brake, checkNames }
    },
    steps: [initialise, restampClusters, removeClusters, keepCustomizations, addClusters, powerClusters, reportPool],
    cleanup: [keepCustomizations, emptyPool],
  })
}

/** Nobody is taken into the ledger on hearsay: what memory still shows may be gone. */
async function certainlyThere({ store }: Pass<ClusterPool>, clusters: readonly ClusterDeployment[]): Promise<readonly ClusterDeployment[]> {
  const found = await Promise.all(clusters.map(({ metadata }) => find(store, ClusterDeployment, metadata.namespace, metadata.name)))
  return found.filter(cluster => cluster !== undefined && cluster.metadata.deletionTimestamp === undefined) as readonly ClusterDeployment[]
}

/** The pools that hold a customization or whose cluster uses it. */
function poolsHolding({ metadata, status }: ClusterDeploymentCustomization): readonly string[] {
  const holders = (metadata.finalizers ?? []).flatMap(finalizer => /^hive\.openshift\.io\/(.+)$/.exec(finalizer)?.[1] ?? [])
  const names = new Set([...holders, ...(status?.clusterPoolRef === undefined ? [] : [status.clusterPoolRef.name])])
  return [...names].map(name => `${metadata.namespace}/${name}`)
}
