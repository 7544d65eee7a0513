import { isoTime } from '../ports/index.ts'
import type { Condition, Resource, Writable } from '../kinds/index.ts'

/** What a controller says about one condition. Whatever it does not say is not in the condition afterwards. */
export interface ConditionChange {
  readonly type: string
  readonly status: Condition['status']
  /** One word in CamelCase, for programs. */
  readonly reason: string
  /** A sentence for people. */
  readonly message: string
  /** Milliseconds since 1970. */
  readonly until?: number | undefined
  readonly then?: string | undefined
  readonly unblock?: string | undefined
}

/** When a condition is written, and for which state of the object. */
export interface ConditionMoment {
  readonly now: number
  readonly generation?: number | undefined
}

/**
 * The conditions with one of them changed or added. `lastTransitionTime` moves only when the status does. If nothing changes,
 * the very same list is returned.
 */
export function setCondition(
  conditions: readonly Condition[],
  change: ConditionChange,
  { now, generation }: ConditionMoment,
): readonly Condition[] {
  const position = conditions.findIndex(({ type }) => type === change.type)
  const old = conditions[position]
  const next: Writable<Condition> = {
    type: change.type,
    status: change.status,
    reason: change.reason,
    message: shorten(change.message, longestMessage),
    lastTransitionTime: old?.status === change.status ? old.lastTransitionTime : isoTime(now),
  }
  if (generation !== undefined) next.observedGeneration = generation
  if (change.until !== undefined) next.until = isoTime(change.until)
  if (change.then !== undefined) next.then = shorten(change.then, longestSentence)
  if (change.unblock !== undefined) next.unblock = shorten(change.unblock, longestSentence)
  if (old === undefined) return [...conditions, next]
  return sameCondition(old, next) ? conditions : conditions.with(position, next)
}

/** The conditions without those of one type; the very same list if there is none. */
export function withoutCondition(conditions: readonly Condition[], type: string): readonly Condition[] {
  return conditions.some(condition => condition.type === type) ? conditions.filter(condition => condition.type !== type) : conditions
}

/** The conditions of an object of any kind. */
export function conditionsOf(object: Resource): readonly Condition[] {
  const { status } = object as { readonly status?: { readonly conditions?: unknown } }
  return Array.isArray(status?.conditions) ? (status.conditions as readonly Condition[]) : []
}

/** One condition of an object, if it is there. */
export function findCondition(object: Resource, type: string): Condition | undefined {
  return conditionsOf(object).find(condition => condition.type === type)
}

/** The limits of the schema of conditions: an error text of any length must not make a status unwritable. */
const longestMessage = 32_768
const longestSentence = 1_024

function shorten(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length - 1)}…`
}

const fields = ['status', 'reason', 'message', 'observedGeneration', 'until', 'then', 'unblock'] as const

function sameCondition(a: Condition, b: Condition): boolean {
  return fields.every(field => a[field] === b[field])
}
