import type * as z from 'zod'
import type { Resource } from './resource.ts'
import type { StructuralSchema } from './structural-schema.ts'
import type { FieldProblem } from './field-problem.ts'

/** A column of `get`. `priority` 0 is always shown, 1 with `-o wide`. */
export interface Column {
  readonly name: string
  readonly type: 'string' | 'integer' | 'number' | 'boolean' | 'date'
  /** How to show it: `name` for the object's name. */
  readonly format?: string
  /** Kubernetes' JSONPath subset, from the object: `.spec.size`, `.status.conditions[?(@.type=="Ready")].reason`. */
  readonly path: string
  readonly priority: 0 | 1
  readonly description?: string
  /** Only in kinds that Kubernetes itself serves: what a path cannot say. `now` in milliseconds. */
  readonly value?: (object: Resource, now: number) => string | number
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
  /** True if the object obeys. `old` is there on update. Called only with objects that obey the schema. */
  holds(object: R, old?: R): boolean
  /** `at` is the field whose schema carries the rule (`spec`), `expression` is about it as `self` and `oldSelf`. */
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
  /** In the order in which `get` prints them, the name included. */
  readonly columns: readonly Column[]
  readonly hasStatus: boolean
  readonly scale: ScalePaths | undefined
  /** Fields besides `metadata.name` and `metadata.namespace` that a field selector may name: `spec.nodeName`. */
  readonly selectableFields: readonly string[]
  /** Fields that cannot change once they are set: `spec.clusterPoolName`. */
  readonly immutable: readonly string[]
  /**
   * Reasons by which a condition says that all is as somebody wants it, though its status sounds otherwise: of a cluster that is to
   * hibernate `Ready` is False. Who does wait with such a reason says so with `then`.
   */
  readonly calmReasons: readonly string[]
  readonly rules: readonly Rule<R>[]
  /** The whole object's schema, in the form that a CRD takes. Computed when first asked for. */
  readonly schema: StructuralSchema
  /** The same in zod's words: where types and schema come from. Without metadata. */
  readonly zod: z.ZodObject
  /** What Kubernetes checks of its own kinds beyond their schema: of an object alone, and of a change between two good ones. */
  problems?(object: R): readonly FieldProblem[]
  changeProblems?(old: R, next: R): readonly FieldProblem[]
  /** What an object must not be from the beginning, though it may become so. Only the embedded engine checks it by itself. */
  createProblems?(object: R): readonly FieldProblem[]
  /** Why an object must not be deleted, and what to do about that; undefined if it may be. Only the embedded engine checks it by itself. */
  deletionProblem?(object: R): { readonly message: string; readonly fix: string } | undefined
  /**
   * Brings another form of the same thing into the kind's own, before anything is read: gives the very input if there is nothing to
   * bring. Only the embedded engine takes other forms; a Kubernetes API server goes by the schema alone.
   */
  normalise?(input: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>>
  /** Extra rules for the name beyond that of a DNS subdomain. */
  readonly nameProblem?: (name: string) => string | undefined
  /** Only for the type checker: the type of this kind's objects. */
  readonly resource?: R
}

/** The type of a kind's objects. */
export type Infer<K> = K extends { readonly resource?: infer R } ? NonNullable<R> : never

/** What reading an object from outside gave. */
export interface Decoded<R extends Resource> {
  /** With defaults filled in and unknown fields left out. Meaningful only if there are no problems. */
  readonly object: R
  readonly problems: readonly FieldProblem[]
  /** Paths of the fields that the schema does not know, sorted: `spec.flavr`. */
  readonly unknownFields: readonly string[]
}
