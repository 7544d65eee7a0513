import type { Metrics } from '../../ports/index.ts'
import { ClusterClaim, ClusterDeployment, ClusterDeploymentCustomization, ClusterImageSet, ClusterPool } from '../../kinds/index.ts'
import { controller, indexed, mapped, parseKey, RewriteBrake } from '../../control/index.ts'
import type { Controller, Pass } from '../../control/index.ts'
import type { Key } from '../../store/index.ts'
import type { NameCheck } from '../dns/name-check.ts'
import { poolMetrics } from '../metrics.ts'
import { poolFinalizer } from '../names.ts'
import { olderFirst } from './buckets.ts'
import { poolConditions } from './conditions.ts'
import { emptyPool } from './deletion.ts'
import { find } from './dependencies.ts'
import { type Customizations, entriesOf } from './inventory.ts'
import { keepCustomizations } from './keep-customizations.ts'
import { isTaken, ledgerOf } from './ledger.ts'
import { claimsByPool, clustersByPool, poolKeysOf, poolOfClaim } from './pool-keys.ts'
import { planPool, unknownClusters } from './plan.ts'
import type { PoolSnapshot } from './pool-pass.ts'
import { poolVersion } from './pool-version.ts'
import { reportPool } from './report-pool.ts'
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
      indexed(ClusterDeployment, {
        byPool: clustersByPool,
        byHost: cluster => [hostOf(cluster.spec.clusterName, cluster.spec.baseDomain)],
      }),
      indexed(ClusterClaim, { byPool: claimsByPool }),
      indexed(ClusterPool, { byHost: hostsOf, byCustomization: customizationKeys }),
      indexed(ClusterDeploymentCustomization, { byPool: poolsHolding }),
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
      mapped(ClusterDeploymentCustomization, (customization, read) => {
        const { namespace, name } = customization.metadata
        const listing = read(ClusterPool).byIndex('byCustomization', `${namespace}/${name}`)
        return [...listing.map(keyFor), ...poolsHolding(customization).map(parseKey)]
      }),
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
      const customizations = customizationsOf(pool, read)
      const view = { clusters, claims, version, holderOf, adopted, customizations }
      return { ...view, plan: planPool({ ...view, pool, now }), found: {}, metrics: measured, proposed, brake, checkNames }
    },
    steps: [initialise, removeClusters, keepCustomizations, addClusters, powerClusters, reportPool],
    cleanup: [keepCustomizations, emptyPool],
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
  const mine = isTaken(ledgerOf(pool), name)
  const rival = others.find(other => isTaken(ledgerOf(other), name) || (!mine && olderFirst(other, pool) < 0))
  return rival === undefined ? undefined : `ClusterPool/${rival.metadata.namespace}/${rival.metadata.name}`
}

function hostsOf(pool: ClusterPool): readonly string[] {
  // What an entry's cluster is called if not like the entry, only its customization knows: that one is its lock.
  const nameless = new Set(entriesOf(pool)?.flatMap(({ name, generateName }) => (generateName === true ? [name] : [])))
  const listed = entriesOf(pool)?.map(({ name }) => name) ?? []
  const names = new Set([...listed, ...Object.keys(ledgerOf(pool).usage)].filter(name => !nameless.has(name)))
  return [...names].map(name => hostOf(name, pool.spec.baseDomain))
}

function customizationsOf(pool: ClusterPool, read: Pass<ClusterPool>['read']): Customizations {
  const found = customizationKeys(pool).map(key => read(ClusterDeploymentCustomization).get(key))
  return new Map(found.flatMap(each => (each === undefined ? [] : [[each.metadata.name, each]])))
}

/** The customizations that a pool has to do with. */
function customizationKeys({ metadata, spec }: ClusterPool): readonly string[] {
  const entries = spec.inventory?.clusterDeployments ?? []
  const names = [spec.customizationRef, ...entries.map(({ customizationRef }) => customizationRef)].flatMap(ref => ref?.name ?? [])
  return [...new Set(names)].map(name => `${metadata.namespace}/${name}`)
}

/** The pools that hold a customization or whose cluster uses it. */
function poolsHolding({ metadata, status }: ClusterDeploymentCustomization): readonly string[] {
  const holders = (metadata.finalizers ?? []).flatMap(finalizer => /^hive\.openshift\.io\/(.+)$/.exec(finalizer)?.[1] ?? [])
  const names = new Set([...holders, ...(status?.clusterPoolRef === undefined ? [] : [status.clusterPoolRef.name])])
  return [...names].map(name => `${metadata.namespace}/${name}`)
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
