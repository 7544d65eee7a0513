import { type FieldProblem, noField } from '../field-problem.ts'
import type { Decoded, Kind } from '../kind.ts'
import type { Resource } from '../resource.ts'
import { isPlainObject, setField } from './copy-json.ts'
import { metadataProblems } from './metadata.ts'
import { readObjectMetaSchema } from './object-meta-schema.ts'
import { invalid, wrongType } from './problems.ts'
import { compileReader, type Reader } from './reader.ts'
import { Reading } from './reading.ts'
import { hasCel, ruleProblems } from './rules.ts'
import { scaleProblems } from './scale.ts'
import { typeName } from './type-name.ts'

/**
 * Reads an object from outside: leaves out what the kind's schema does not know and says so, fills in defaults, and lists all
 * that is wrong, in Kubernetes' words. The input is not changed, and the result shares nothing with it but what the input has in
 * common with `known`, an earlier state of the object, decoded then and frozen: that is not read again.
 */
export function decode<R extends Resource>(kind: Kind<R>, input: unknown, known?: R): Decoded<R> {
  const reading = new Reading()
  if (!isPlainObject(input)) return refused(input, [wrongType('', 'object', typeName(input))])
  const identity = identityProblems(kind, input)
  if (identity.length > 0) return refused(input, identity)

  const own = kind.normalise?.(input) ?? input
  const object = inOrder(kind, readerOf(kind)(own, reading, known) as Readonly<Record<string, unknown>>) as unknown as R
  // Rules about texts are asked only of texts: what has the wrong type is known already.
  const shaped = !reading.problems.some(problem => problem.path.startsWith('metadata'))
  const problems = shaped ? metadataProblems(kind, object.metadata, known?.metadata) : []
  problems.push(...reading.problems)
  if (kind.scale !== undefined) problems.push(...scaleProblems(kind.scale, object))
  problems.push(...reading.duplicates)
  if (!problems.some(blocksRules)) problems.push(...ruleProblems(kind, object), ...(kind.problems?.(object) ?? []))
  else if (hasCel(kind)) problems.push(rulesNotChecked)
  return { object, problems, unknownFields: reading.unknownFields.toSorted() }
}

/** The fields with what the object is before all others. */
function inOrder(kind: Kind, fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const object: Record<string, unknown> = { apiVersion: kind.apiVersion, kind: kind.name, metadata: fields['metadata'] ?? {} }
  for (const field in fields) if (field !== 'metadata') setField(object, field, fields[field])
  return object
}

function refused<R extends Resource>(input: unknown, problems: readonly FieldProblem[]): Decoded<R> {
  return { object: input as R, problems, unknownFields: [] }
}

/** A draft may leave out what it is; if it says so it must be right. */
function identityProblems(kind: Kind, input: Readonly<Record<string, unknown>>): FieldProblem[] {
  const { apiVersion = kind.apiVersion, kind: name = kind.name } = input
  const problems: FieldProblem[] = []
  if (name !== kind.name) problems.push(invalid('kind', name, `must be ${kind.name}`, `write kind: ${kind.name}`))
  if (apiVersion !== kind.apiVersion) {
    problems.push(invalid('apiVersion', apiVersion, `must be ${kind.apiVersion}`, `write apiVersion: ${kind.apiVersion}`))
  }
  return problems
}

/** A rule that spans fields needs them to be there and of the right type. A number out of bounds does not disturb it. */
function blocksRules({ reason }: FieldProblem): boolean {
  return reason !== 'FieldValueInvalid' && reason !== 'FieldValueDuplicate' && reason !== 'FieldValueForbidden'
}

const rulesNotChecked: FieldProblem = {
  path: noField,
  reason: 'FieldValueInvalid',
  message:
    'Invalid value: null: some validation rules were not checked because the object was invalid; ' +
    'correct the existing errors to complete validation',
}

const readers = new WeakMap<Kind, Reader>()

function readerOf(kind: Kind): Reader {
  let reader = readers.get(kind)
  if (reader === undefined) {
    const { schema } = kind
    reader = compileReader({ ...schema, properties: { ...schema.properties, metadata: readObjectMetaSchema } })
    readers.set(kind, reader)
  }
  return reader
}
