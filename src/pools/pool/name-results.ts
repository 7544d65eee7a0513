import type { ClusterDeployment, ClusterPool } from '../../kinds/index.ts'
import { findCondition } from '../../control/index.ts'
import { entryFinder, inventoryNames } from './inventory.ts'

type Results = NonNullable<NonNullable<ClusterPool['status']>['nameResults']>

const longestMessage = 1_000

/** How the last use of each name ended, with what can be told from the clusters that are there now. */
export function nameResults(pool: ClusterPool, clusters: readonly ClusterDeployment[]): Results | undefined {
  const names = inventoryNames(pool)
  if (names === undefined) return undefined
  const results: Record<string, Results[string]> = {}
  for (const [name, last] of Object.entries(pool.status?.nameResults ?? {})) if (names.includes(name)) results[name] = last
  const entryOf = entryFinder(pool)
  for (const cluster of clusters) {
    const [entry, result] = [entryOf(cluster), resultOf(cluster)]
    if (result !== undefined && entry !== undefined && names.includes(entry)) results[entry] = result
  }
  return Object.keys(results).length === 0 ? undefined : results
}

function resultOf(cluster: ClusterDeployment): Results[string] | undefined {
  const stopped = findCondition(cluster, 'ProvisionStopped')
  if (stopped?.status === 'True')
    return { result: 'Failed', time: stopped.lastTransitionTime, message: stopped.message.slice(0, longestMessage) }
  const { installedTimestamp } = cluster.status ?? {}
  return cluster.spec.installed && installedTimestamp !== undefined ? { result: 'Succeeded', time: installedTimestamp } : undefined
}
