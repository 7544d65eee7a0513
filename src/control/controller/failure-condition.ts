import { Failure } from '../../ports/index.ts'
import type { Condition } from '../../kinds/index.ts'
import { StoreError } from '../../store/index.ts'
import { TerminalError } from '../errors.ts'
import type { ConditionStatement } from './step.ts'

/** What happens after each kind of failure. By these sentences the runtime knows its own words when the failure is over. */
const then = {
  retry: 'it is tried again, after a longer pause each time',
  terminal: 'nothing, until somebody changes the object',
  stuck: 'it is tried again when the call that hangs has ended, or after a restart of the program',
} as const

const ownSentences: readonly (string | undefined)[] = Object.values(then)

/** A failure as a condition, so that nobody needs the log to learn why nothing happens. `retryAt` in milliseconds since 1970. */
export function failureCondition(type: string, error: unknown, retryAt: () => number): ConditionStatement {
  const said = { type, status: 'unwell', reason: reasonOf(error), message: messageOf(error) } as const
  if (TerminalError.is(error)) return { ...said, then: then.terminal, unblock: error.fix }
  return { ...said, until: retryAt(), then: then.retry, unblock: error instanceof Failure ? error.fix : undefined }
}

/** A pass that ignores its deadline, as a condition. */
export function stuckCondition(type: string, seconds: number): ConditionStatement {
  return {
    type,
    status: 'unwell',
    reason: 'Stuck',
    message: `a step did not end within ${seconds} s and ignores that it was aborted`,
    then: then.stuck,
  }
}

/** Whether the runtime, not a step, wrote the condition. */
export function isFailureCondition({ then: sentence }: Condition): boolean {
  return ownSentences.includes(sentence)
}

function reasonOf(error: unknown): string {
  if (TerminalError.is(error)) return error.details.reason
  if (StoreError.is(error)) return error.reason
  return error instanceof Failure ? camelCase(error.code) : 'Error'
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/** `HATCHERY_FLAVOR_UNKNOWN` as `HatcheryFlavorUnknown`. */
function camelCase(code: string): string {
  return code
    .toLowerCase()
    .split('_')
    .map(word => word.charAt(0).toUpperCase() + word.slice(1))
    .join('')
}
