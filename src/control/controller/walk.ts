import type { Resource } from '../../kinds/index.ts'
import type { Pass, StepFunction } from './controller.ts'
import type { StatusDraft } from './status-draft.ts'
import type { Outcome, Step } from './step.ts'

/** What the steps of a pass came to. */
export interface Walk {
  readonly go: Outcome['go']
  /** A step ended the pass with a wait. */
  readonly waiting: boolean
  /** When to look again, in milliseconds since 1970; infinity if nobody asked. */
  readonly again: number
  /** Why the object is to be removed. */
  readonly why: string
  readonly failure: { readonly error: unknown } | undefined
}

/** Runs the steps until one ends the pass, then those that run always, and collects what is to be written. */
export async function walk<R extends Resource, S>(
  steps: readonly StepFunction<R, S>[],
  always: readonly StepFunction<R, S>[],
  pass: Pass<R> & S,
  draft: StatusDraft,
): Promise<Walk> {
  const course = { go: 'on' as Outcome['go'], waiting: false, again: Number.POSITIVE_INFINITY, why: '' }
  let failure: { readonly error: unknown } | undefined
  try {
    for (const step of steps) {
      const taken = step(pass)
      // Most steps need nobody else, and do not wait for their turn.
      for (const outcome of outcomesOf(taken instanceof Promise ? await taken : taken)) {
        note(outcome, draft, course, pass.now)
        if (urgency[outcome.go] > urgency[course.go]) course.go = outcome.go
        if (outcome.go === 'remove') course.why = outcome.why ?? ''
        if (outcome.go === 'end' && outcome.condition !== undefined) course.waiting = true
      }
      pass.signal.throwIfAborted()
      if (course.go !== 'on') break
    }
  } catch (error) {
    failure = { error: pass.signal.aborted ? pass.signal.reason : error }
  }
  try {
    for (const step of always) for (const outcome of outcomesOf(await step(pass))) note(outcome, draft, course, pass.now)
  } catch (error) {
    failure ??= { error }
  }
  return { ...course, failure }
}

/** If one step wants several things, the one that changes most decides how the pass goes on. */
const urgency: Readonly<Record<Outcome['go'], number>> = { on: 0, end: 1, restart: 2, remove: 3 }

/** Milliseconds after which a wait that is overdue is looked at again: it was not over when it should have been. */
const overduePause = 60_000

function note(outcome: Outcome, draft: StatusDraft, course: { again: number }, now: number): void {
  draft.take(outcome)
  const { again, condition } = outcome
  if (again === undefined) return
  const isOverdue = condition !== undefined && again <= now
  course.again = Math.min(course.again, isOverdue ? now + overduePause : again)
}

function outcomesOf<R extends Resource>(step: Step<R>): readonly Outcome[] {
  return (Array.isArray(step) ? step : [step]) as readonly Outcome[]
}
