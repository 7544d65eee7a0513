import type { Kind } from '../kind.ts'
import type { StructuralSchema } from '../structural-schema.ts'

interface Validation {
  readonly rule: string
  readonly message: string
  readonly fieldPath?: string
}

/** The kind's schema with its rules in CEL at the fields that they are about, as a Kubernetes API server checks them. */
export function ruledSchema(kind: Kind): StructuralSchema {
  let schema = kind.schema
  for (const path of kind.immutable) for (const [at, validation] of immutableRules(schema, path)) schema = withRule(schema, at, validation)
  for (const { path, message, cel } of kind.rules) {
    if (cel === undefined) continue
    const at = steps(cel.at)
    const fieldPath = path.startsWith(`${cel.at}.`) ? path.slice(cel.at.length) : undefined
    schema = withRule(schema, at, { rule: cel.expression, message, ...(fieldPath === undefined ? {} : { fieldPath }) })
  }
  return schema
}

/**
 * Two rules for "once set, it stays": one at the field itself, which sees a change and can name the new value, and one above
 * it, at what is always there, which sees that the field was removed.
 */
function immutableRules(schema: StructuralSchema, path: string): [readonly string[], Validation][] {
  const message = 'field is immutable'
  const field = steps(path)
  const rules: [readonly string[], Validation][] = [[field, { rule: 'self == oldSelf', message }]]
  const above = alwaysThere(schema, field)
  const rest = field.slice(above.length)
  if (rest.length === 0) return rules
  const rule = `!(${present('oldSelf', rest)}) || (${present('self', rest)})`
  rules.push([above, { rule, message, fieldPath: `.${rest.join('.')}` }])
  return rules
}

/** `has(self.a) && has(self.a.b)` */
function present(self: string, path: readonly string[]): string {
  return path.map((_, index) => `has(${[self, ...path.slice(0, index + 1)].join('.')})`).join(' && ')
}

/** The longest beginning of a path on which every field is required or made by a default. */
function alwaysThere(schema: StructuralSchema, path: readonly string[]): readonly string[] {
  let inner = schema
  for (const [index, step] of path.entries()) {
    const next = inner.properties?.[step]
    if (next === undefined) throw noSuchField(path.join('.'))
    if (inner.required?.includes(step) !== true && next.default === undefined) return path.slice(0, index)
    inner = next
  }
  return path
}

function withRule(schema: StructuralSchema, path: readonly string[], validation: Validation): StructuralSchema {
  const [step, ...rest] = path
  if (step === undefined) {
    const before = schema['x-kubernetes-validations'] ?? []
    return { ...schema, 'x-kubernetes-validations': [...before, validation] }
  }
  const inner = schema.properties?.[step]
  if (inner === undefined) throw noSuchField(step)
  return { ...schema, properties: { ...schema.properties, [step]: withRule(inner, rest, validation) } }
}

function noSuchField(path: string): TypeError {
  return new TypeError(`a rule is about ${path}, but there is no such field`)
}

function steps(path: string): readonly string[] {
  return path === '' ? [] : path.split('.')
}
