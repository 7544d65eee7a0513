import type { Resource } from './resource.ts'
import type { FieldProblem } from './field-problem.ts'
import type { StructuralSchema } from './structural-schema.ts'

/** A column of `get`. `priority` 0 is always shown, 1 with `-o wide`. */
export interface Column {
  readonly name: string
  readonly type: 'string' | 'integer' | 'number' | 'boolean' | 'date'
  /** Kubernetes' JSONPath subset, from the object: `.spec.size`, `.status.conditions[?(@.type=="Ready")].reason`. */
  readonly path: string
  readonly priority: 0 | 1
  readonly description?: string
}

/** Where the scale subresource finds its numbers. */
export interface ScalePaths {
  readonly specReplicasPath: string
  readonly statusReplicasPath: string
  readonly labelSelectorPath?: string
}

/** A rule that spans fields. `cel` says the same to a Kubernetes API server; without it only the embedded engine checks it. */
export interface Rule<R extends Resource = Resource> {
  /** The field that the message is about: `spec.size`. */
  readonly path: string
  readonly message: string
  readonly fix: string
  /** True if the object obeys. `old` is there on update. */
  readonly holds: (object: R, old?: R) => boolean
  readonly cel?: { readonly at: string; readonly expression: string }
}

/** Everything that is to know about a kind of object. Made by `kind()`, one file each; frozen. */
export interface Kind<R extends Resource = Resource> {
  readonly group: string
  readonly version: string
  /** The kind's name: `ClusterClaim`. */
  readonly name: string
  readonly plural: string
  readonly singular: string
  readonly shortNames: readonly string[]
  readonly categories: readonly string[]
  readonly scope: 'Namespaced' | 'Cluster'
  /** `v1`, or `group/version`. */
  readonly apiVersion: string
  /** True for what every Kubernetes serves by itself: such a kind has no CRD. */
  readonly builtIn: boolean
  readonly description: string
  readonly columns: readonly Column[]
  readonly hasStatus: boolean
  readonly scale: ScalePaths | undefined
  /** Fields besides `metadata.name` and `metadata.namespace` that a field selector may name: `spec.nodeName`. */
  readonly selectableFields: readonly string[]
  /** Fields that cannot change once they are set: `spec.clusterPoolName`. */
  readonly immutable: readonly string[]
  readonly rules: readonly Rule<R>[]
  /** The whole object's schema, in the form that a CRD takes. Computed when first asked for. */
  readonly schema: StructuralSchema
  /** Extra rules for the name beyond that of a DNS subdomain. */
  readonly nameProblem?: (name: string) => string | undefined
  /** Only for the type checker: the type of this kind's objects. */
  readonly resource?: R
}

/** The type of a kind's objects. */
export type Infer<K> = K extends Kind<infer R> ? R : never

/** What reading an object from outside gave. */
export interface Decoded<R extends Resource> {
  /** With defaults filled in and unknown fields left out. Meaningful only if there are no problems. */
  readonly object: R
  readonly problems: readonly FieldProblem[]
  /** Paths of the fields that the schema does not know: `spec.flavr`. */
  readonly unknownFields: readonly string[]
}
