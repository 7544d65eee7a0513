import type { ClusterDeployment } from '../../kinds/index.ts'
import { findCondition } from '../../control/index.ts'
import { parseTime } from '../../ports/index.ts'

const minute = 60_000
const longestPause = 24 * 60 * minute

/** How many attempts a cluster's installation has had that failed. */
export function failedAttempts({ status }: ClusterDeployment): number {
  return status?.installRestarts ?? 0
}

/** Whether no further attempt is allowed. */
export function isLimitReached(cluster: ClusterDeployment): boolean {
  const { installAttemptsLimit } = cluster.spec
  return installAttemptsLimit !== undefined && failedAttempts(cluster) >= Math.max(1, installAttemptsLimit)
}

/** When the next attempt may begin, in milliseconds since 1970: after each failure the pause is twice as long. */
export function nextAttemptAt(cluster: ClusterDeployment): number {
  const failed = findCondition(cluster, 'ProvisionFailed')
  const attempts = failedAttempts(cluster)
  if (attempts === 0 || failed?.status !== 'True') return Number.NEGATIVE_INFINITY
  const since = parseTime(cluster.status?.lastFailureTimestamp ?? failed.lastTransitionTime)
  return since + Math.min(longestPause, minute * 2 ** Math.min(attempts, 20))
}
