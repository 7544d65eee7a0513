/** One call of kubectl, and what it is given. */
export interface Step {
  /** The command line behind `kubectl`; single quotes keep what is between them together. */
  readonly run: string
  readonly stdin?: string
  /** Files to be written beforehand, by name, in the folder where kubectl runs. */
  readonly files?: Readonly<Record<string, string>>
  /** The command that stands in for a person's editor. */
  readonly editor?: string
  /** Keep it running while these steps are done, and until its output matches `until`. */
  readonly during?: { readonly steps: readonly Step[]; readonly until: RegExp; readonly after?: RegExp }
  /** Why its output is left out of the transcript: only the exit code counts. */
  readonly silent?: string
}

/** Steps that belong together. They run in order; later chapters may build on earlier ones. */
export interface Chapter {
  readonly title: string
  readonly steps: readonly Step[]
}

/** A manifest of a Nest in the namespace of these tests. */
export function nest(name: string, spec: string, more = ''): string {
  return `apiVersion: demo.aviary.dev/v1alpha1\nkind: Nest\nmetadata:\n  name: ${name}\n  namespace: wood\n${more}spec:\n${spec}`
}
