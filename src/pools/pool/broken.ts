import { parseDuration, parseTime } from '../../ports/index.ts'
import type { ClusterDeployment, ClusterPool } from '../../kinds/index.ts'
import { findCondition } from '../../control/index.ts'

/**
 * When a cluster counts as broken, in milliseconds since 1970: always if its installation was given up, from a certain time on if
 * it does not resume, never (infinity) otherwise. A cluster about which its controller has not said anything yet is not broken.
 */
export function brokenFrom(cluster: ClusterDeployment, pool: ClusterPool): number {
  const stopped = findCondition(cluster, 'ProvisionStopped')
  if (stopped === undefined) return Number.POSITIVE_INFINITY
  if (stopped.status === 'True') return Number.NEGATIVE_INFINITY
  const timeout = pool.spec.hibernationConfig?.resumeTimeout
  const milliseconds = timeout === undefined ? 0 : parseDuration(timeout)
  if (milliseconds === 0 || !isResuming(cluster)) return Number.POSITIVE_INFINITY
  const hibernating = findCondition(cluster, 'Hibernating')
  if (hibernating?.reason !== 'ResumingOrRunning') return Number.POSITIVE_INFINITY
  // A cluster that was started again while it stopped was not hibernating in between, and the condition does not show it.
  return Math.max(parseTime(hibernating.lastTransitionTime), changingSince(cluster) ?? 0) + milliseconds
}

/** When the start or the stop of a cluster that is under way began, in milliseconds since 1970. */
export function changingSince({ status }: ClusterDeployment): number | undefined {
  return status?.powerChangeTimestamp === undefined ? undefined : parseTime(status.powerChangeTimestamp)
}

function isResuming({ spec, status }: ClusterDeployment): boolean {
  const { powerState = '' } = status ?? {}
  return spec.installed && spec.powerState === 'Running' && powerState !== 'Running' && powerState !== 'Hibernating'
}
