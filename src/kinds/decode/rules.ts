import type { FieldProblem } from '../field-problem.ts'
import { valueAt } from '../field-value.ts'
import type { Kind, Rule } from '../kind.ts'
import type { Resource } from '../resource.ts'
import { invalid, invalidOmitted } from './problems.ts'

/** Which of a kind's rules an object breaks. Given `old`, only those that it breaks by the change. */
export function ruleProblems<R extends Resource>(kind: Kind<R>, object: R, old?: R): FieldProblem[] {
  const broken = kind.rules.filter(rule => (old === undefined ? !rule.holds(object) : rule.holds(object) && !rule.holds(object, old)))
  return broken.map(rule => ruleProblem(rule, object))
}

/** Kubernetes repeats the value if the rule is about a single value; objects and lists it leaves out. */
function ruleProblem<R extends Resource>({ path, message, fix, cel }: Rule<R>, object: R): FieldProblem {
  const value = valueAt(object, cel?.at ?? path)
  const scalar = typeof value !== 'object' && value !== undefined
  return scalar ? invalid(path, value, message, fix) : invalidOmitted(path, message, fix)
}

/** Whether the kind's CRD has rules in CEL. */
export function hasCel(kind: Kind): boolean {
  return !kind.builtIn && (kind.immutable.length > 0 || kind.rules.some(rule => rule.cel !== undefined))
}
