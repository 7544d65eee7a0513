import * as z from 'zod'
import { ageColumn, nameColumn } from './column.ts'
import type { FieldProblem } from './field-problem.ts'
import type { Column, Kind, Rule, ScalePaths } from './kind.ts'
import type { Frozen, Resource, Written } from './resource.ts'
import { wholeSchema } from './schema/whole-schema.ts'
import type { StructuralSchema } from './structural-schema.ts'

type Shape = Readonly<Record<string, z.ZodType>>
type Part = z.ZodObject | undefined

/** The type of a kind's objects, from the schemas of its parts. */
type Made<S extends Part, T extends Part, F extends Shape> = Resource &
  (S extends z.ZodObject ? { readonly spec: Frozen<z.output<S>> } : unknown) &
  (T extends z.ZodObject ? { readonly status?: Frozen<z.output<T>> } : unknown) &
  (keyof F extends never ? unknown : Frozen<z.output<z.ZodObject<F>>>) &
  Written<WrittenSpec<S> & (keyof F extends never ? unknown : Frozen<z.input<z.ZodObject<F>>>)>

/** What a person writes: fields that have a default may be missing, and a spec in which nothing must stand may be missing too. */
type WrittenSpec<S extends Part> = S extends z.ZodObject
  ? {} extends z.input<S>
    ? { readonly spec?: Frozen<z.input<S>> }
    : { readonly spec: Frozen<z.input<S>> }
  : unknown

/** What the author of a kind says about it. */
interface KindOptions<S extends Part, T extends Part, F extends Shape> {
  readonly group: string
  readonly version: string
  /** In CamelCase: `ClusterClaim`. */
  readonly name: string
  readonly plural: string
  readonly scope: 'Namespaced' | 'Cluster'
  /** One or two sentences for `kubectl explain`. */
  readonly description: string
  /** What people want. Written by users only. */
  readonly spec?: S
  /** What is. Written by controllers only, through the status subresource. */
  readonly status?: T
  /** Top-level fields besides spec and status, as a ConfigMap's `data`. */
  readonly fields?: F
  /** Without the name, which always comes first. Default: the age. */
  readonly columns?: readonly Column[]
  readonly immutable?: readonly string[]
  readonly calmReasons?: readonly string[]
  readonly rules?: readonly Rule<NoInfer<Made<S, T, F>>>[]
  readonly scale?: ScalePaths
  readonly shortNames?: readonly string[]
  readonly categories?: readonly string[]
  readonly selectableFields?: readonly string[]
  readonly builtIn?: boolean
  /** False if status is written with the rest of the object, as some kinds of Kubernetes do. Default: true if there is a status. */
  readonly statusSubresource?: boolean
  readonly nameProblem?: (name: string) => string | undefined
  /** Brings another form of the same thing into this one, before anything is read. */
  readonly normalise?: (input: Readonly<Record<string, unknown>>) => Readonly<Record<string, unknown>>
  readonly problems?: (object: NoInfer<Made<S, T, F>>) => readonly FieldProblem[]
  readonly changeProblems?: (old: NoInfer<Made<S, T, F>>, next: NoInfer<Made<S, T, F>>) => readonly FieldProblem[]
  readonly createProblems?: Kind<NoInfer<Made<S, T, F>>>['createProblems']
  readonly deletionProblem?: Kind<NoInfer<Made<S, T, F>>>['deletionProblem']
}

/** Declares a kind: everything that is to know about it, in one place. The type of its objects is `Infer<typeof TheKind>`. */
export function kind<S extends Part = undefined, T extends Part = undefined, F extends Shape = {}>(
  options: KindOptions<S, T, F>,
): Kind<Made<S, T, F>> {
  const { group, version, name, nameProblem, normalise, problems, changeProblems, createProblems, deletionProblem } = options
  const columns = options.columns ?? [ageColumn]
  const namesItself = columns.some(column => column.format === 'name')
  let zod: z.ZodObject | undefined
  let schema: StructuralSchema | undefined
  const made: Kind<Made<S, T, F>> = {
    group,
    version,
    name,
    plural: options.plural,
    singular: name.toLowerCase(),
    shortNames: options.shortNames ?? [],
    categories: options.categories ?? [],
    scope: options.scope,
    apiVersion: group === '' ? version : `${group}/${version}`,
    builtIn: options.builtIn ?? false,
    description: options.description,
    columns: namesItself ? columns : [nameColumn, ...columns],
    hasStatus: options.status !== undefined && options.statusSubresource !== false,
    scale: options.scale,
    selectableFields: options.selectableFields ?? [],
    immutable: options.immutable ?? [],
    calmReasons: options.calmReasons ?? [],
    rules: options.rules ?? [],
    get zod() {
      return (zod ??= z.object({
        ...options.fields,
        ...(options.spec === undefined ? {} : { spec: options.spec }),
        ...(options.status === undefined ? {} : { status: options.status.optional() }),
      }))
    },
    // Only those who read or write objects pay for it: a command line that prints help imports every kind, too.
    get schema() {
      return (schema ??= deepFreeze(wholeSchema(name, options.description, made.zod)))
    },
    ...(nameProblem === undefined ? {} : { nameProblem }),
    ...(normalise === undefined ? {} : { normalise }),
    ...(problems === undefined ? {} : { problems }),
    ...(changeProblems === undefined ? {} : { changeProblems }),
    ...(createProblems === undefined ? {} : { createProblems }),
    ...(deletionProblem === undefined ? {} : { deletionProblem }),
  }
  return Object.freeze(made)
}

function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value
  for (const inner of Object.values(value)) deepFreeze(inner)
  return Object.freeze(value)
}
