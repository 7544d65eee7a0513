import type { Condition, Resource } from '../../kinds/index.ts'

/** The status of a kind's objects. */
export type StatusOf<R> = R extends { readonly status?: infer S } ? Exclude<S, undefined> : never

/** Fields of the status to write; `undefined` takes a field away. Conditions are written by `wait`, `met` and `condition` alone. */
export type StatusPatch<R> = { readonly [F in Exclude<keyof StatusOf<R>, 'conditions'>]?: StatusOf<R>[F] | undefined }

/** What a wait says about itself: `why` and the dashboard print it as it is. */
export interface WaitReason {
  /** One word in CamelCase, for programs. */
  readonly reason: string
  /** What it waits for, as a sentence. Other objects are named `Kind/name` or `Kind/namespace/name`, so that `explain` can follow. */
  readonly message: string
  /**
   * When the wait is over or given up, in milliseconds since 1970. The object is looked at again then, and every minute after
   * that if it still waits.
   */
  readonly until?: number | undefined
  /** What happens then. */
  readonly then: string
  /** What a person could do to end it sooner. */
  readonly unblock?: string | undefined
}

/** A condition as a step states it. Without `status` it is the one that the controller declared for when all is well. */
export interface ConditionStatement {
  readonly type: string
  readonly status: Condition['status'] | 'well' | 'unwell'
  readonly reason: string
  readonly message: string
  readonly until?: number | undefined
  readonly then?: string | undefined
  readonly unblock?: string | undefined
}

/** What a step wants: a value, made by one of the functions below. */
export interface Outcome<R extends Resource = Resource> {
  /** Go on with the next step; end the pass; write the status and start a new pass from it; remove the object and end. */
  readonly go: 'on' | 'end' | 'restart' | 'remove'
  readonly status?: StatusPatch<R>
  readonly condition?: ConditionStatement
  /** When to look at the object again, in milliseconds since 1970. */
  readonly again?: number
  /** Why the object is removed. */
  readonly why?: string
}

/** What a step returns: one outcome, or several that are taken together. */
export type Step<R extends Resource = Resource> = Outcome<R> | readonly Outcome<R>[]

/** Nothing to write; the next step is run. */
export const next: Outcome<never> = Object.freeze({ go: 'on' })

/** Nothing more to do; the steps after this one are not run. */
export const done: Outcome<never> = Object.freeze({ go: 'end' })

/** Goes on, and has the object looked at again at a time (milliseconds since 1970), however the pass ends. The earliest wins. */
export function again(at: number): Outcome<never> {
  return { go: 'on', again: at }
}

/** Goes on, and writes fields of the status when the pass ends. */
export function report<R extends Resource>(status: StatusPatch<R>): Outcome<R> {
  return { go: 'on', status }
}

/**
 * Writes fields of the status now: the pass ends, and a new one starts from what was written. For intents: a name that was
 * chosen is recorded before anything is made under it, so that a crash in between leaves something to find.
 */
export function record<R extends Resource>(status: StatusPatch<R>): Outcome<R> {
  return { go: 'restart', status }
}

/** Ends the pass with a condition that is not as it should be, and says why, until when, and what happens then. */
export function wait(type: string, reason: WaitReason): Outcome<never> {
  return {
    go: 'end',
    condition: { type, status: 'unwell', ...reason },
    ...(reason.until === undefined ? {} : { again: reason.until }),
  }
}

/** Goes on, and sets a condition to the status that it has when all is well. */
export function met(type: string, said: { readonly reason: string; readonly message: string }): Outcome<never> {
  return { go: 'on', condition: { type, status: 'well', ...said } }
}

/** Goes on, and sets a condition to any status. */
export function condition(
  type: string,
  said: Omit<ConditionStatement, 'type' | 'status'> & { readonly status: Condition['status'] },
): Outcome<never> {
  return { go: 'on', condition: { type, ...said } }
}

/** Deletes the object, provided that it is still as this pass saw it, and ends the pass. The reason becomes an event. */
export function remove(why: string): Outcome<never> {
  return { go: 'remove', why }
}
