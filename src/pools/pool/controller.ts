import type { Metrics } from '../../ports/index.ts'
import { ClusterClaim, ClusterDeployment, ClusterImageSet, ClusterPool } from '../../kinds/index.ts'
import { controller, indexed, mapped } from '../../control/index.ts'
import type { Controller, Pass } from '../../control/index.ts'
import type { Key } from '../../store/index.ts'
import type { NameCheck } from '../dns/name-check.ts'
import { poolMetrics } from '../metrics.ts'
import { poolFinalizer } from '../names.ts'
import { olderFirst } from './buckets.ts'
import { poolConditions } from './conditions.ts'
import { emptyPool } from './deletion.ts'
import { find } from './dependencies.ts'
import { inventoryNames } from './inventory.ts'
import { ledgerOf } from './ledger.ts'
import { claimsByPool, clustersByPool, poolKeysOf, poolOfClaim } from './pool-keys.ts'
import { planPool, unknownClusters } from './plan.ts'
import type { PoolSnapshot } from './pool-pass.ts'
import { poolVersion } from './pool-version.ts'
import { addClusters, assignClaims, powerClusters, removeClusters, repairLinks, reportPool } from './steps.ts'

/** What the controller of pools needs from outside. */
export interface PoolControllerOptions {
  readonly metrics: Metrics
  /** Checks the DNS names of a cluster before its name is used. Default: they are not checked. */
  readonly checkNames?: NameCheck | undefined
}

/** Keeps as many clusters ready as each pool wants, gives them to claims, and replaces those that are broken or out of date. */
export function poolController({ metrics, checkNames }: PoolControllerOptions): Controller {
  const measured = poolMetrics(metrics)
  const proposed = new Set<string>()
  return controller<ClusterPool, PoolSnapshot>(ClusterPool, {
    conditions: poolConditions,
    finalizer: poolFinalizer,
    reads: [
      indexed(ClusterDeployment, {
        byPool: clustersByPool,
        byHost: cluster => [hostOf(cluster.spec.clusterName, cluster.spec.baseDomain)],
      }),
      indexed(ClusterClaim, { byPool: claimsByPool }),
      indexed(ClusterPool, { byHost: hostsOf }),
    ],
    watches: [
      mapped(ClusterDeployment, poolKeysOf),
      mapped(ClusterClaim, claim => [poolOfClaim(claim)]),
      mapped(ClusterImageSet, (image, read) =>
        read(ClusterPool)
          .list()
          .filter(({ spec }) => spec.imageSetRef.name === image.metadata.name)
          .map(keyFor),
      ),
      // Pools that want the same names need to know of each other.
      mapped(ClusterPool, (pool, read) =>
        hostsOf(pool).flatMap(host =>
          read(ClusterPool)
            .byIndex('byHost', host)
            .filter(other => !isSame(other, pool))
            .map(keyFor),
        ),
      ),
    ],
    snapshot: async pass => {
      const { object: pool, read, now } = pass
      const clusters = read(ClusterDeployment).byIndex('byPool', pass.key)
      const claims = read(ClusterClaim).byIndex('byPool', pass.key)
      const version = poolVersion(pool.spec)
      const holderOf = (name: string) => holder(pool, name, read)
      const adopted = await certainlyThere(pass, unknownClusters({ pool, clusters }))
      const view = { clusters, claims, version, holderOf, adopted }
      return { ...view, plan: planPool({ ...view, pool, now }), metrics: measured, proposed, checkNames }
    },
    steps: [repairLinks, assignClaims, removeClusters, addClusters, powerClusters, reportPool],
    cleanup: [emptyPool],
  })
}

/** Nobody is taken into the ledger on hearsay: what memory still shows may be gone. */
async function certainlyThere({ store }: Pass<ClusterPool>, clusters: readonly ClusterDeployment[]): Promise<readonly ClusterDeployment[]> {
  const found = await Promise.all(clusters.map(({ metadata }) => find(store, ClusterDeployment, metadata.namespace, metadata.name)))
  return found.filter(cluster => cluster !== undefined && cluster.metadata.deletionTimestamp === undefined) as readonly ClusterDeployment[]
}

/** Who else has a name, or has the older right to it. */
function holder(pool: ClusterPool, name: string, read: Pass<ClusterPool>['read']): string | undefined {
  const host = hostOf(name, pool.spec.baseDomain)
  const stranger = read(ClusterDeployment)
    .byIndex('byHost', host)
    .find(cluster => poolKeysOf(cluster).every(key => !isKeyOf(key, pool)))
  if (stranger !== undefined) return `ClusterDeployment/${stranger.metadata.namespace}/${stranger.metadata.name}`
  const others = read(ClusterPool)
    .byIndex('byHost', host)
    .filter(other => !isSame(other, pool))
  const mine = (ledgerOf(pool).usage[name] ?? null) !== null
  const rival = others.find(other => (ledgerOf(other).usage[name] ?? null) !== null || (!mine && olderFirst(other, pool) < 0))
  return rival === undefined ? undefined : `ClusterPool/${rival.metadata.namespace}/${rival.metadata.name}`
}

function hostsOf(pool: ClusterPool): readonly string[] {
  const names = new Set([...(inventoryNames(pool) ?? []), ...Object.keys(ledgerOf(pool).usage)])
  return [...names].map(name => hostOf(name, pool.spec.baseDomain))
}

function hostOf(name: string, baseDomain: string): string {
  return `${name}.${baseDomain}`
}

function keyFor({ metadata }: ClusterPool): Key {
  return { namespace: metadata.namespace ?? '', name: metadata.name }
}

function isKeyOf({ namespace, name }: Key, { metadata }: ClusterPool): boolean {
  return metadata.namespace === namespace && metadata.name === name
}

function isSame(a: ClusterPool, b: ClusterPool): boolean {
  return isKeyOf(keyFor(a), b)
}
