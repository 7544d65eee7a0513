/** As much of a CRD's schema as is compared. */
export interface Schema {
  readonly type?: string
  readonly enum?: readonly unknown[]
  readonly required?: readonly string[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly items?: Schema
  readonly additionalProperties?: Schema | boolean
  readonly 'x-kubernetes-preserve-unknown-fields'?: boolean
}

/**
 * What an object that obeys `theirs` would meet in `ours`: a field that is not there, of another type, that must be there only here, or
 * that takes fewer values. Each as `PATH: WHAT`. Limits of length and form are not compared.
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

function isOpen(schema: Schema): boolean {
  return schema['x-kubernetes-preserve-unknown-fields'] === true && schema.properties === undefined
}

/** What a schema says about fields that it does not name: nothing, that they are kept, or what they are. */
function additional(schema: Schema): Schema | undefined {
  if (schema['x-kubernetes-preserve-unknown-fields'] === true) return { 'x-kubernetes-preserve-unknown-fields': true }
  return typeof schema.additionalProperties === 'object' ? schema.additionalProperties : undefined
}
