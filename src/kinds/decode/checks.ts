import { durationPattern } from '../duration-pattern.ts'
import type { StructuralSchema } from '../structural-schema.ts'
import { formats, isChecked } from './formats.ts'
import { goValue } from './go-text.ts'
import { invalid, notSupported, tooLong } from './problems.ts'
import type { Reading } from './reading.ts'

/** Looks at one value, of whatever type, and notes what is wrong with it. Says nothing to types that it is not about. */
type Check = (value: unknown, reading: Reading) => void

/** What a schema demands of a text, number or truth value beyond its type, in the order in which Kubernetes complains. */
export function checksOf(schema: StructuralSchema): readonly Check[] {
  return [textCheck(schema), formatCheck(schema), safetyCheck(schema), numberCheck(schema), enumCheck(schema)].filter(
    check => check !== undefined,
  )
}

function textCheck(schema: StructuralSchema): Check | undefined {
  const { minLength = 0, maxLength = Infinity, pattern } = schema
  if (minLength === 0 && maxLength === Infinity && pattern === undefined) return undefined
  const expression = pattern === undefined ? undefined : new RegExp(pattern, 'u')
  return (value, reading) => {
    if (typeof value !== 'string') return
    // A text has at most as many characters as code units, so that counting is hardly ever needed.
    if (value.length > maxLength && characters(value) > maxLength) reading.problem(tooLong(reading.path(), maxLength))
    else if (value.length < 2 * minLength && characters(value) < minLength) {
      const path = reading.path()
      const rule = `${path} in body should be at least ${minLength} chars long`
      reading.problem(invalid(path, value, rule, `write at least ${minLength} ${minLength === 1 ? 'character' : 'characters'}`))
    } else if (expression !== undefined && !expression.test(value)) {
      const path = reading.path()
      reading.problem(invalid(path, value, `${path} in body should match '${pattern}'`, patternFix(pattern!)))
    }
  }
}

function patternFix(pattern: string): string {
  return pattern === durationPattern ? 'write a duration such as 90s, 15m or 1h30m' : `write something that matches ${pattern}`
}

function characters(text: string): number {
  let count = 0
  for (const _ of text) count++
  return count
}

function formatCheck(schema: StructuralSchema): Check | undefined {
  const { format } = schema
  if (schema.type !== 'string' || !isChecked(format)) return undefined
  const test = formats[format]!
  return (value, reading) => {
    if (typeof value !== 'string' || test.matches(value)) return
    const path = reading.path()
    const rule = `${path} in body must be of type ${format}`
    const message = `Invalid value: ${test.confidential ? rule : `${goValue(value)}: ${rule}: ${goValue(value)}`}`
    reading.problem({ path, reason: 'FieldValueTypeInvalid', message, fix: test.fix })
  }
}

/** Beyond this JavaScript would silently store another number than was sent. */
const largest = Number.MAX_SAFE_INTEGER

function safetyCheck(schema: StructuralSchema): Check | undefined {
  if (schema.type !== 'integer' && schema['x-kubernetes-int-or-string'] !== true) return undefined
  const [least, most] = schema.format === 'int32' ? [-(2 ** 31), 2 ** 31 - 1] : [-largest, largest]
  return (value, reading) => {
    if (typeof value !== 'number' || !Number.isInteger(value) || (value >= least && value <= most)) return
    reading.problem(invalid(reading.path(), value, `must be between ${least} and ${most}, inclusive`, 'write a smaller number'))
  }
}

function numberCheck(schema: StructuralSchema): Check | undefined {
  const { multipleOf, minimum = -Infinity, maximum = Infinity, exclusiveMinimum = false, exclusiveMaximum = false } = schema
  if (multipleOf === undefined && minimum === -Infinity && maximum === Infinity) return undefined
  return (value, reading) => {
    if (typeof value !== 'number') return
    const complain = (rule: string) => {
      const path = reading.path()
      reading.problem(invalid(path, value, `${path} in body should be ${rule}`, `write a number that is ${rule}`))
    }
    if (multipleOf !== undefined && !isMultiple(value, multipleOf)) complain(`a multiple of ${multipleOf}`)
    if (exclusiveMinimum ? value <= minimum : value < minimum) complain(`greater than ${exclusiveMinimum ? '' : 'or equal to '}${minimum}`)
    if (exclusiveMaximum ? value >= maximum : value > maximum) complain(`less than ${exclusiveMaximum ? '' : 'or equal to '}${maximum}`)
  }
}

/** Fractions are never quite exact: 0.3 is a multiple of 0.1. */
function isMultiple(value: number, factor: number): boolean {
  if (Number.isInteger(value) && Number.isInteger(factor)) return value % factor === 0
  const times = value / factor
  return Math.abs(times - Math.round(times)) < 1e-9
}

function enumCheck(schema: StructuralSchema): Check | undefined {
  const choices = schema.enum
  if (choices === undefined) return undefined
  return (value, reading) => {
    if (!choices.includes(value as string)) reading.problem(notSupported(reading.path(), value, choices))
  }
}
