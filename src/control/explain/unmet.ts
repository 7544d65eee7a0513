import type { Condition } from '../../kinds/index.ts'

/**
 * Conditions that are bad news when they are true, for those that were not written by this program: who waits here says so
 * with `then`.
 */
const badNews =
  /Fail|Error|Pending|Block|Stall|Degraded|Pressure|Unavailable|Remaining|Missing|Stuck|Paused|Stopped|Unreachable|Invalid|Conflict|Expired|Abort|NotReady/

/**
 * Reasons by which a condition says that all is as somebody wants it, though its status sounds otherwise: nothing has been looked at yet
 * because there was no need to; a cluster that should hibernate is not ready; one that should run does not hibernate, or never can; a
 * pool has all that it may have. Who does wait with such a reason says so with `then`.
 */
const asWanted = new Set(['Initialized', 'StoppingOrHibernating', 'ResumingOrRunning', 'Unsupported', 'MaxCapacity', 'InventoryExhausted'])

/** Whether a condition says that something is not as it should be. */
export function isUnmet({ type, status, reason, then }: Condition): boolean {
  if (then !== undefined) return true
  if (asWanted.has(reason)) return false
  return badNews.test(type) ? status === 'True' : status !== 'True'
}
