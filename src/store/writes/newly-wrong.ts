import { type Decoded, decode, type FieldProblem, type Kind, type Resource } from '../../kinds/index.ts'
import type { Body } from './body.ts'
import { same } from './same.ts'

/**
 * What is wrong with a state that somebody wants to write and was not wrong with the state before, in the same place with the same value.
 * That may have been written when less was asked of its kind, or more was known of it: who changes something else, reports on it or lets
 * it go must not be held up by that.
 */
export function newlyWrong(
  kind: Kind,
  old: Body | undefined,
  { object, problems, unknownFields }: Decoded<Resource>,
): Pick<Decoded<Resource>, 'problems' | 'unknownFields'> {
  if (old === undefined || (problems.length === 0 && unknownFields.length === 0)) return { problems, unknownFields }
  const before = decode(kind, old)
  // What breaks the schema keeps rules from being asked; with the state itself at hand only rules are.
  const known = new Set([...before.problems, ...decode(kind, old, old).problems].map(textOf))
  return {
    problems: problems.filter(problem => !known.has(textOf(problem)) || !same(at(old, problem.path), at(object, problem.path))),
    unknownFields: unknownFields.filter(field => !before.unknownFields.includes(field)),
  }
}

function textOf({ path, message }: FieldProblem): string {
  return `${path} ${message}`
}

/** What stands at a place such as `spec.guards[1].name`. */
function at(object: unknown, path: string): unknown {
  let value = object
  for (const step of path.match(/[^.[\]]+/g) ?? []) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step)) return undefined
    value = (value as Readonly<Record<string, unknown>>)[step]
  }
  return value
}
