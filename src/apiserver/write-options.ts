import type { FieldProblem } from '../kinds/index.ts'
import type { FieldValidation } from '../store/index.ts'
import { invalidOptions, notSupported } from './errors.ts'
import type { Exchange } from './exchange.ts'

/** How a write was asked for. */
export interface WriteQuery {
  readonly dryRun: boolean
  readonly fieldValidation: FieldValidation
}

/** Reads the parameters of a create, update or patch, and notes a dry run. Throws Invalid, in Kubernetes' words. */
export function readWriteQuery(
  { query, noteDryRun }: Pick<Exchange, 'query' | 'noteDryRun'>,
  kind: 'CreateOptions' | 'UpdateOptions' | 'PatchOptions',
): WriteQuery {
  const dryRun = query.getAll('dryRun')
  const fieldValidation = query.get('fieldValidation') ?? ''
  const problems = [...managerProblems(query.get('fieldManager') ?? ''), ...dryRunProblems(dryRun), ...validationProblems(fieldValidation)]
  if (problems.length > 0) throw invalidOptions(kind, problems)
  if (dryRun.length > 0) noteDryRun()
  return { dryRun: dryRun.length > 0, fieldValidation: fieldValidation === '' ? 'Warn' : (fieldValidation as FieldValidation) }
}

/** What is wrong with a list of dry run directives: there is only one. Nobody who writes an empty one means "do it". */
export function dryRunProblems(values: readonly string[]): readonly FieldProblem[] {
  return values.every(value => value === 'All') ? [] : [notSupported('dryRun', JSON.stringify(values), ['All'])]
}

function validationProblems(value: string): readonly FieldProblem[] {
  const known = ['', 'Ignore', 'Strict', 'Warn']
  return known.includes(value) ? [] : [notSupported('fieldValidation', JSON.stringify(value), known)]
}

function managerProblems(manager: string): readonly FieldProblem[] {
  if (Buffer.byteLength(manager) <= 128) return []
  return [{ path: 'fieldManager', reason: 'FieldValueTooLong', message: 'Too long: may not be more than 128 bytes' }]
}
