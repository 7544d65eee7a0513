import { ClusterDeployment, ClusterPool } from '../../kinds/index.ts'
import { findCondition } from '../../control/index.ts'
import type { ConnectionOptions } from '../connection.ts'
import { connected } from '../connection.ts'
import type { Io } from '../io.ts'
import { tableText } from '../output/table.ts'

/** `aviary pool show`: the pool in numbers, its clusters, and the names that are free. */
export async function run([name = '']: readonly string[], options: ConnectionOptions, io: Io): Promise<void> {
  await connected(options, io, async ({ store, where }) => {
    const pool = await store.get(ClusterPool, { ...where(ClusterPool), name })
    const { namespace = '' } = pool.metadata
    const labelSelector = `hive.openshift.io/clusterpool-namespace=${namespace},hive.openshift.io/clusterpool-name=${name}`
    const { items } = await store.list(ClusterDeployment, { labelSelector })
    const { size = 0, standby = 0, ready = 0, clusterNameUsage = {}, nameResults = {} } = pool.status ?? {}
    io.out(`${name}: ${pool.spec.size} unclaimed clusters wanted, ${size} there: ${ready} ready, ${standby} standing by\n`)
    const filled = findCondition(pool, 'Filled')
    if (filled?.status === 'False') io.out(`${filled.message}\n`)
    const rows = items.map(({ object }) => row(object))
    const held = new Set(items.map(({ object }) => object.spec.clusterName))
    const free = Object.entries(clusterNameUsage).filter(([entry, holder]) => holder === null && !held.has(entry))
    const disabled = new Set(pool.spec.inventory?.clusterDeployments?.flatMap(entry => (entry.disabled === true ? [entry.name] : [])))
    const others = free.map(([entry]) => [
      entry,
      disabled.has(entry) ? 'disabled' : nameResults[entry]?.result === 'Failed' ? 'free, failed when last used' : 'free',
      '',
      '',
    ])
    if (rows.length + others.length > 0)
      io.out(`\n${tableText(['Cluster', 'State', 'Claim', 'Namespace'], [...rows, ...others], io.columns)}`)
  })
}

function row(cluster: ClusterDeployment): readonly string[] {
  const { spec, status, metadata } = cluster
  const provisioned = findCondition(cluster, 'Provisioned')
  const state =
    metadata.deletionTimestamp !== undefined
      ? 'removing'
      : spec.installed
        ? (status?.powerState ?? 'installed')
        : (provisioned?.message ?? 'waiting')
  return [spec.clusterName, state, spec.clusterPoolRef?.claimName ?? '', metadata.namespace ?? '']
}
