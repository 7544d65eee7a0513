import type { z } from 'zod'

/** One `[section]` of the configuration file: everything about it in one file, named in `sections.ts`. */
export interface Section<N extends string = string, S extends z.ZodObject = z.ZodObject> {
  readonly name: N
  /** A sentence or two above the section's keys in docs/configuration.md. */
  readonly describe: string
  /** A strict object. Every key has a description; what is not required has a default. */
  readonly schema: S
}

/** Declares a section; only for its types. */
export function section<N extends string, S extends z.ZodObject>(definition: Section<N, S>): Section<N, S> {
  return Object.freeze(definition)
}
