import type { Condition } from '../../kinds/index.ts'

/**
 * Conditions that are bad news when they are true, for those that were not written by this program: who waits here says so
 * with `then`.
 */
const badNews =
  /Fail|Error|Pending|Block|Stall|Degraded|Pressure|Unavailable|Remaining|Missing|Stuck|Paused|Stopped|Unreachable|Invalid|Conflict|Expired|Abort|NotReady/

/** Whether a condition says that something is not as it should be. */
export function isUnmet({ type, status, then }: Condition): boolean {
  if (then !== undefined) return true
  return badNews.test(type) ? status === 'True' : status !== 'True'
}
