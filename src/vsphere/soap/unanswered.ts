import { DeadlineExceeded, ResponseTooLarge, Unreachable } from '../../ports/index.ts'
import { AnswerNotUnderstood } from '../errors.ts'

/** How long after a lost answer the request may still be under way inside vCenter. */
export const afterglow = 1_000

/** Whether a call may have had its effect although no (sensible) answer came. */
export function maybeDone(error: unknown): boolean {
  if (Unreachable.is(error)) return error.details.sent
  return DeadlineExceeded.is(error) || AnswerNotUnderstood.is(error) || ResponseTooLarge.is(error)
}

/** Whether vCenter has not said what became of a call, be it that the call never arrived: who only reads may ask again. */
export function isUnanswered(error: unknown): boolean {
  return Unreachable.is(error) || maybeDone(error)
}
