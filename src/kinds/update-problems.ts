import { isDeepStrictEqual } from 'node:util'
import { invalid, invalidOmitted } from './decode/problems.ts'
import { ruleProblems } from './decode/rules.ts'
import type { FieldProblem } from './field-problem.ts'
import { valueAt } from './field-value.ts'
import type { Kind } from './kind.ts'
import type { Resource } from './resource.ts'

/** What is wrong with the change from `old` to `next`, each of which is good by itself. */
export function updateProblems<R extends Resource>(kind: Kind<R>, old: R, next: R): FieldProblem[] {
  const frozen = kind.immutable.flatMap(path => immutableProblems(path, valueAt(old, path), valueAt(next, path)))
  return [...frozen, ...ruleProblems(kind, next, old), ...(kind.changeProblems?.(old, next) ?? [])]
}

/** Once set, neither changed nor removed. */
function immutableProblems(path: string, before: unknown, after: unknown): FieldProblem[] {
  if (before === undefined || isDeepStrictEqual(before, after)) return []
  const [rule, fix] = ['field is immutable', 'put the old value back, or make a new object']
  return [typeof after === 'object' || after === undefined ? invalidOmitted(path, rule, fix) : invalid(path, after, rule, fix)]
}
