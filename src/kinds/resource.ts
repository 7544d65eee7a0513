/** Anything that JSON can say. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json }

export interface OwnerReference {
  readonly apiVersion: string
  readonly kind: string
  readonly name: string
  readonly uid: string
  readonly controller?: boolean
  readonly blockOwnerDeletion?: boolean
}

/** What every object says about itself. Fields below the line are written by the store alone. */
export interface ObjectMeta {
  readonly name: string
  readonly generateName?: string
  readonly namespace?: string
  readonly labels?: Readonly<Record<string, string>>
  readonly annotations?: Readonly<Record<string, string>>
  readonly finalizers?: readonly string[]
  readonly ownerReferences?: readonly OwnerReference[]
  // ---
  readonly uid?: string
  /** The revision of the last change, as an opaque string; comparable within one store by `compareRevisions`. */
  readonly resourceVersion?: string
  /** Counts changes of what the user wants (everything but metadata and status). */
  readonly generation?: number
  readonly creationTimestamp?: string
  readonly deletionTimestamp?: string
  readonly deletionGracePeriodSeconds?: number
  readonly managedFields?: readonly Json[]
}

/** An object as the store keeps it. Always frozen, to any depth: make a changed copy, never change it. */
export interface Resource {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: ObjectMeta
}

/** Why an object waits or does not; see Wait in the controller runtime for how the last three are written. */
export interface Condition {
  readonly type: string
  readonly status: 'True' | 'False' | 'Unknown'
  /** One word in CamelCase, for programs. */
  readonly reason: string
  /** A sentence for people. */
  readonly message: string
  readonly lastTransitionTime: string
  readonly observedGeneration?: number
  /** If this is a wait: when it will be over or given up, what happens then, and what would end it sooner. */
  readonly until?: string
  readonly then?: string
  readonly unblock?: string
}

/** What is being put together field by field, before anybody else sees it. */
export type Writable<T> = { -readonly [K in keyof T]: T[K] }

/**
 * JSON as it is read: readonly to any depth, and what is optional is absent, never undefined.
 */
export type Frozen<T> = T extends readonly (infer E)[]
  ? readonly Frozen<E>[]
  : T extends object
    ? { readonly [K in keyof T]: Frozen<Exclude<T[K], undefined>> }
    : T

declare const written: unique symbol

/** Only for the type checker: remembers on a resource's type what a person must write, where defaults fill in the rest. */
export interface Written<D> {
  readonly [written]?: D
}

/** What a caller hands in to be created or replaced: what the store and the defaults fill in may be missing. */
export type Draft<R extends Resource> = (
  | Omit<R, 'apiVersion' | 'kind' | 'metadata' | 'status'>
  | (typeof written extends keyof R ? NonNullable<R[typeof written]> : never)
) & {
  readonly apiVersion?: string
  readonly kind?: string
  readonly metadata: Omit<ObjectMeta, 'name'> & { readonly name?: string }
  readonly status?: unknown
}
