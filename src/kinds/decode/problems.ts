import type { FieldProblem } from '../field-problem.ts'
import { goValue } from './go-text.ts'

// Kubernetes' words for each kind of mistake, and ours for what to do about it.

/** Nothing stands where something must. */
export function required(path: string, detail = '', fix = `set ${path}`): FieldProblem {
  return { path, reason: 'FieldValueRequired', message: detail === '' ? 'Required value' : `Required value: ${detail}`, fix }
}

/** The value breaks a rule. */
export function invalid(path: string, value: unknown, detail: string, fix?: string): FieldProblem {
  return problem(path, 'FieldValueInvalid', `Invalid value: ${goValue(value)}: ${detail}`, fix)
}

/** The value breaks a rule, and is too large to be repeated. */
export function invalidOmitted(path: string, detail: string, fix?: string): FieldProblem {
  return problem(path, 'FieldValueInvalid', `Invalid value: ${detail}`, fix)
}

/** The value is of another type; Kubernetes names the type where it else names the value. */
export function wrongType(path: string, wanted: string, got: string): FieldProblem {
  const message = `Invalid value: "${got}": ${path} in body must be of type ${wanted}: "${got}"`
  return { path, reason: 'FieldValueTypeInvalid', message, fix: `write ${article(wanted)} instead of ${article(got)}` }
}

/** The value is none of a few. */
export function notSupported(path: string, value: unknown, supported: readonly unknown[]): FieldProblem {
  const list = supported.map(one => goValue(typeof one === 'string' ? one : goValue(one))).join(', ')
  const message = `Unsupported value: ${goValue(value)}: supported values: ${list}`
  const choices = supported.map(one => String(one))
  return {
    path,
    reason: 'FieldValueNotSupported',
    message,
    fix: choices.length === 1 ? `write ${choices[0]}` : `use one of ${choices.join(', ')}`,
  }
}

/** The text is longer than it may be. Kubernetes counts characters and says bytes. */
export function tooLong(path: string, most: number): FieldProblem {
  const message = `Too long: may not be more than ${most} ${most === 1 ? 'byte' : 'bytes'}`
  return { path, reason: 'FieldValueTooLong', message, fix: `shorten it to ${most} characters` }
}

/** There are more items than there may be. */
export function tooMany(path: string, actual: number, most: number): FieldProblem {
  const message = `Too many: ${actual}: must have at most ${most} ${most === 1 ? 'item' : 'items'}`
  return { path, reason: 'FieldValueTooMany', message, fix: `remove ${actual - most} of them` }
}

/** The same stands twice where each may stand once. */
export function duplicate(path: string, value: unknown): FieldProblem {
  return { path, reason: 'FieldValueDuplicate', message: `Duplicate value: ${goValue(value)}`, fix: 'remove one of the two' }
}

/** The field may not be set here. */
export function forbidden(path: string, detail: string, fix: string): FieldProblem {
  return { path, reason: 'FieldValueForbidden', message: `Forbidden: ${detail}`, fix }
}

function problem(path: string, reason: FieldProblem['reason'], message: string, fix: string | undefined): FieldProblem {
  return fix === undefined ? { path, reason, message } : { path, reason, message, fix }
}

function article(type: string): string {
  if (type === 'null') return 'null'
  const name = type.replace(',', ' or a ')
  return /^[aeiou]/.test(name) ? `an ${name}` : `a ${name}`
}
