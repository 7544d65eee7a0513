import { allKinds, type Condition, findKind, type Resource } from '../../kinds/index.ts'
import { conditionsOf } from '../conditions.ts'

/**
 * Conditions that are bad news when they are true, for those that were not written by this program: who waits here says so
 * with `then`.
 */
const badNews =
  /Fail|Error|Pending|Block|Stall|Degraded|Pressure|Unavailable|Remaining|Missing|Stuck|Paused|Stopped|Unreachable|Invalid|Conflict|Expired|Abort|NotReady/

/** The conditions of an object, by whether they say that something is not as it should be. */
export function judged(object: Resource): { readonly unmet: readonly Condition[]; readonly met: readonly Condition[] } {
  const calm = findKind(allKinds, object.apiVersion, object.kind)?.calmReasons ?? []
  const { unmet = [], met = [] } = Object.groupBy(conditionsOf(object), condition => (isUnmet(condition, calm) ? 'unmet' : 'met'))
  return { unmet, met }
}

function isUnmet({ type, status, reason, then }: Condition, calm: readonly string[]): boolean {
  if (then !== undefined) return true
  if (calm.includes(reason)) return false
  return badNews.test(type) ? status === 'True' : status !== 'True'
}
