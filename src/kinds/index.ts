export type { FieldProblem, FieldReason } from './field-problem.ts'
export type { Column, Decoded, Infer, Kind, Rule, ScalePaths } from './kind.ts'
export type { Condition, Draft, Json, ObjectMeta, OwnerReference, Resource } from './resource.ts'
export type { StructuralSchema } from './structural-schema.ts'
