import type { z } from 'zod'
import type { SchemaShape } from './problem.ts'

/** One `[section]` of the configuration file: everything about it in one file, named in `sections.ts`. */
export interface Section<N extends string = string, S extends z.ZodObject = z.ZodObject> {
  readonly name: N
  /** A sentence or two above the section's keys in docs/configuration.md. */
  readonly describe: string
  /** A strict object. Every key has a description; what is not required has a default. */
  readonly schema: S
  /** What docs/configuration.md says of keys that the service reads by itself. */
  readonly pages?: () => Promise<Readonly<Record<string, SchemaShape>>>
}

/** Declares a section; only for its types. */
export function section<N extends string, S extends z.ZodObject>(definition: Section<N, S>): Section<N, S> {
  return Object.freeze(definition)
}
