import { formatDuration, parseDuration, parseTime } from '../../ports/index.ts'
import type { ClusterClaim, ClusterPool } from '../../kinds/index.ts'
import { findCondition } from '../../control/index.ts'

/** The lifetime that holds for a claim: its own or the pool's default, but never more than the pool's maximum. */
export function lifetimeOf({ spec }: Pick<ClusterClaim, 'spec'>, pool: Pick<ClusterPool, 'spec'> | undefined): string | undefined {
  const { default: usual, maximum } = pool?.spec.claimLifetime ?? {}
  const wanted = spec.lifetime ?? usual
  if (wanted === undefined || maximum === undefined) return wanted ?? maximum
  return parseDuration(wanted) <= parseDuration(maximum) ? wanted : maximum
}

/** The same as a claim's status says it. */
export function lifetimeText(claim: ClusterClaim, pool: ClusterPool | undefined): string | undefined {
  const lifetime = lifetimeOf(claim, pool)
  return lifetime === undefined ? undefined : formatDuration(parseDuration(lifetime))
}

/** When a claim's life ends, in milliseconds since 1970: it is counted from when the claim got its cluster. */
export function endOfLife(claim: ClusterClaim, pool: ClusterPool | undefined): number | undefined {
  const lifetime = lifetimeOf(claim, pool)
  const pending = findCondition(claim, 'Pending')
  if (lifetime === undefined || pending?.status !== 'False') return undefined
  return parseTime(pending.lastTransitionTime) + parseDuration(lifetime)
}
