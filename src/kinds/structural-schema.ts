import type { Json } from './resource.ts'

/** The part of OpenAPI v3 that a CRD may use (a "structural schema"), as far as Aviary does. */
export interface StructuralSchema {
  readonly type?: 'object' | 'array' | 'string' | 'integer' | 'number' | 'boolean'
  readonly description?: string
  readonly properties?: Readonly<Record<string, StructuralSchema>>
  readonly required?: readonly string[]
  readonly additionalProperties?: StructuralSchema
  readonly items?: StructuralSchema
  readonly enum?: readonly Json[]
  readonly default?: Json
  readonly format?: string
  readonly pattern?: string
  readonly minimum?: number
  readonly maximum?: number
  readonly exclusiveMinimum?: boolean
  readonly exclusiveMaximum?: boolean
  readonly multipleOf?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly minItems?: number
  readonly maxItems?: number
  readonly minProperties?: number
  readonly maxProperties?: number
  readonly uniqueItems?: boolean
  readonly nullable?: boolean
  readonly anyOf?: readonly StructuralSchema[]
  readonly oneOf?: readonly StructuralSchema[]
  readonly allOf?: readonly StructuralSchema[]
  readonly not?: StructuralSchema
  readonly 'x-kubernetes-int-or-string'?: boolean
  readonly 'x-kubernetes-preserve-unknown-fields'?: boolean
  readonly 'x-kubernetes-embedded-resource'?: boolean
  readonly 'x-kubernetes-list-type'?: 'atomic' | 'set' | 'map'
  readonly 'x-kubernetes-list-map-keys'?: readonly string[]
  readonly 'x-kubernetes-map-type'?: 'atomic' | 'granular'
  readonly 'x-kubernetes-validations'?: readonly { readonly rule: string; readonly message?: string; readonly fieldPath?: string }[]
}
