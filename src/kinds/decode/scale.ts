import type { FieldProblem } from '../field-problem.ts'
import { stepsOf } from '../field-value.ts'
import type { ScalePaths } from '../kind.ts'
import type { Resource } from '../resource.ts'
import { isPlainObject } from './copy-json.ts'
import { cutOff, goPrint } from './go-text.ts'
import { invalid } from './problems.ts'
import { typeName } from './type-name.ts'

const most = 2 ** 31 - 1

/** What Kubernetes demands of the numbers behind the scale subresource, besides what their schema does. */
export function scaleProblems(scale: ScalePaths, object: Resource): FieldProblem[] {
  return [...countProblems(scale.specReplicasPath, object), ...countProblems(scale.statusReplicasPath, object)]
}

function countProblems(path: string, object: Resource): FieldProblem[] {
  let value: unknown = object
  for (const step of stepsOf(path).slice(1)) {
    if (!isPlainObject(value)) return [unreadable(path, value, 'map[string]interface{}')]
    if (!Object.hasOwn(value, step)) return []
    value = value[step]
  }
  if (!Number.isInteger(value)) return [unreadable(path, value, 'int64')]
  const count = value as number
  if (count < 0) return [invalid(path, count, 'should be a non-negative integer', 'write 0 or more')]
  if (count > most) return [invalid(path, count, `should be less than or equal to ${most}`, 'write a smaller number')]
  return []
}

function unreadable(path: string, value: unknown, wanted: string): FieldProblem {
  const type = goTypes[typeName(value)] ?? typeName(value)
  return invalid(
    path,
    0,
    `${path} accessor error: ${cutOff(goPrint(value))} is of the type ${type}, expected ${wanted}`,
    'write a whole number',
  )
}

const goTypes: Readonly<Record<string, string>> = {
  boolean: 'bool',
  number: 'float64',
  integer: 'int64',
  object: 'map[string]interface {}',
  array: '[]interface {}',
}
