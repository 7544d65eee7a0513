/** As much of a CRD's schema as is compared. */
export interface Schema {
  readonly type?: string
  readonly enum?: readonly unknown[]
  readonly pattern?: string
  readonly format?: string
  readonly maxLength?: number
  readonly minLength?: number
  readonly maxItems?: number
  readonly minItems?: number
  readonly maximum?: number
  readonly minimum?: number
  readonly required?: readonly string[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly items?: Schema
  readonly additionalProperties?: Schema | boolean
  readonly 'x-kubernetes-preserve-unknown-fields'?: boolean
}

/**
 * What an object that obeys `theirs` would meet in `ours`: a field that is not there, of another type, that must be there only here, or
 * that takes fewer values, by form, length or number. Each as `PATH: WHAT`.
 */
export function schemaDifferences(theirs: Schema, ours: Schema | undefined, path: string): readonly string[] {
  if (ours === undefined) return [`${path}: not here`]
  // Whatever stands there is kept as it is.
  if (isOpen(ours)) return []
  if (theirs.type !== ours.type) return [`${path}: ${theirs.type ?? 'anything'} there, ${ours.type ?? 'anything'} here`]
  const values = (theirs.enum ?? []).filter(value => ours.enum !== undefined && !ours.enum.includes(value))
  const needed = (ours.required ?? []).filter(field => theirs.required?.includes(field) !== true)
  return [
    ...(values.length === 0 ? [] : [`${path}: does not take ${values.map(value => JSON.stringify(value)).join(', ')}`]),
    ...(theirs.enum === undefined && ours.enum !== undefined ? [`${path}: takes certain values only`] : []),
    ...limits(theirs, ours).map(limit => `${path}: ${limit}`),
    ...needed.map(field => `${path}.${field}: must be there`),
    ...Object.entries(theirs.properties ?? {}).flatMap(([field, inner]) =>
      schemaDifferences(inner, ours.properties?.[field] ?? additional(ours), `${path}.${field}`),
    ),
    ...(theirs.items === undefined ? [] : schemaDifferences(theirs.items, ours.items, `${path}[]`)),
    ...(typeof theirs.additionalProperties === 'object'
      ? schemaDifferences(theirs.additionalProperties, additional(ours), `${path}{}`)
      : []),
  ]
}

/** The limits that are narrower here, or only here: `maxLength 63`. */
function limits(theirs: Schema, ours: Schema): readonly string[] {
  const upper = (['maxLength', 'maxItems', 'maximum'] as const).filter(
    limit => (ours[limit] ?? Infinity) < (boundOf(theirs, limit) ?? Infinity),
  )
  const lower = (['minLength', 'minItems', 'minimum'] as const).filter(
    limit => (ours[limit] ?? -Infinity) > (boundOf(theirs, limit) ?? -Infinity),
  )
  // That of a number says how wide it is, which is a bound.
  const forms = (['pattern', 'format'] as const).filter(
    form => ours.type === 'string' && ours[form] !== undefined && ours[form] !== theirs[form],
  )
  return [...upper, ...lower, ...forms].map(limit => `${limit} ${ours[limit]}`)
}

const widths: Readonly<Record<string, number>> = { int32: 2 ** 31, int64: 2 ** 63 }

function boundOf(schema: Schema, limit: keyof Schema): number | undefined {
  const width = widths[schema.format ?? ''] ?? Infinity
  if (limit === 'maximum') return Math.min(schema.maximum ?? Infinity, width - 1)
  if (limit === 'minimum') return Math.max(schema.minimum ?? -Infinity, -width)
  return schema[limit] as number | undefined
}

function isOpen(schema: Schema): boolean {
  return schema['x-kubernetes-preserve-unknown-fields'] === true && schema.properties === undefined
}

/** What a schema says about fields that it does not name: nothing, that they are kept, or what they are. */
function additional(schema: Schema): Schema | undefined {
  if (schema['x-kubernetes-preserve-unknown-fields'] === true) return { 'x-kubernetes-preserve-unknown-fields': true }
  return typeof schema.additionalProperties === 'object' ? schema.additionalProperties : undefined
}
