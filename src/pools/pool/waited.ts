import { parseTime } from '../../ports/index.ts'
import type { ClusterClaim } from '../../kinds/index.ts'

/** Seconds since a claim was made. */
export function waitedSeconds({ metadata: { creationTimestamp } }: ClusterClaim, now: number): number {
  return creationTimestamp === undefined ? 0 : Math.max(0, (now - parseTime(creationTimestamp)) / 1000)
}
