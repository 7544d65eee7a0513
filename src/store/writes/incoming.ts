import { decode, type FieldProblem, isPlainObject, type Kind, namespaceProblem } from '../../kinds/index.ts'
import { invalid, StoreError } from '../errors.ts'
import type { WriteOptions } from '../store.ts'
import type { Body } from './body.ts'
import { newlyWrong } from './newly-wrong.ts'

/** An object as somebody handed it in, before anything about it is believed. */
export interface Incoming {
  readonly fields: Readonly<Record<string, unknown>>
  readonly metadata: Readonly<Record<string, unknown>>
}

/** Takes the outermost shape apart. Throws BadRequest if it has none. */
export function incoming(kind: Kind, input: unknown): Incoming {
  if (!isPlainObject(input))
    throw new StoreError('BadRequest', `a ${kind.name} must be an object`, { fix: 'hand in an object with metadata' })
  const metadata = input['metadata'] ?? {}
  if (!isPlainObject(metadata))
    throw invalid(kind, '', [{ path: 'metadata', reason: 'FieldValueTypeInvalid', message: 'Invalid value: must be an object' }])
  return { fields: input, metadata }
}

/** A metadata field that must be a text if it is there. */
export function textField({ metadata }: Incoming, field: string): string | undefined {
  const value = metadata[field]
  return typeof value === 'string' && value !== '' ? value : undefined
}

/** Fields that only the store writes: whatever the caller says about them is not looked at. */
const ofTheStore: ReadonlySet<string> = new Set([
  'uid',
  'resourceVersion',
  'generation',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
  'managedFields',
  'selfLink',
])

/**
 * The object with defaults and without what the store writes itself, checked against its kind. `name` stands in for a name
 * that was generated; `known` is the state that is to be replaced, whose faults are not held against it. Throws BadRequest (unknown fields) or Invalid.
 */
export function checked(kind: Kind, { fields, metadata }: Incoming, name: string | undefined, options: WriteOptions, known?: Body): Body {
  const own: Record<string, unknown> = {}
  for (const field in metadata) if (!ofTheStore.has(field)) own[field] = metadata[field]
  if (name !== undefined) own['name'] = name
  const input: Record<string, unknown> = {}
  for (const field in fields) if (field !== 'status' || !kind.hasStatus) input[field] = fields[field]
  input['metadata'] = own
  const decoded = decode(kind, input, known)
  const { problems, unknownFields } = newlyWrong(kind, known, decoded)
  const { object } = decoded
  refuseUnknown(kind, unknownFields, options)
  const all = [...missing(namespaceProblem(kind, object.metadata.namespace)), ...problems]
  if (all.length > 0) throw invalid(kind, name ?? textField({ fields, metadata }, 'name') ?? '', all)
  return object as Body
}

/** Acts on fields that the schema does not know as the caller wishes. Throws BadRequest. */
export function refuseUnknown(kind: Kind, unknownFields: readonly string[], { fieldValidation = 'Strict', onWarning }: WriteOptions): void {
  if (unknownFields.length === 0 || fieldValidation === 'Ignore') return
  const texts = unknownFields.map(path => `unknown field "${path}"`)
  if (fieldValidation === 'Warn') {
    for (const text of texts) onWarning?.(text)
    return
  }
  const where = `${kind.name} in version "${kind.version}" cannot be handled as a ${kind.name}`
  throw new StoreError('BadRequest', `${where}: strict decoding error: ${texts.join(', ')}`, {
    fix: `remove or correct ${unknownFields.join(', ')}`,
  })
}

function missing(problem: FieldProblem | undefined): readonly FieldProblem[] {
  return problem === undefined ? [] : [problem]
}
