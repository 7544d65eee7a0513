import type { FieldProblem } from '../field-problem.ts'

/** More than anybody reads, and few enough that a hostile object cannot fill the memory with what is wrong with it. */
export const mostProblems = 100

/** What one pass over an object knows: where it is, and what it found. One per pass. */
export class Reading {
  /** From the object down to where the pass is: names of fields and places in lists. */
  readonly place: (string | number)[] = []
  readonly #problems: FieldProblem[] = []
  readonly #duplicates: FieldProblem[] = []
  readonly #unknownFields: string[] = []

  /** The first of what breaks the schema. */
  get problems(): readonly FieldProblem[] {
    return this.#problems
  }

  /** The first of what stands twice: found with the rest, but reported after it, as Kubernetes does. */
  get duplicates(): readonly FieldProblem[] {
    return this.#duplicates
  }

  /** The first of the fields that the schema does not know. */
  get unknownFields(): readonly string[] {
    return this.#unknownFields
  }

  /** The place as Kubernetes writes it: `spec.guards[1].name`. */
  path(field?: string): string {
    let text = ''
    for (const step of this.place) text += typeof step === 'number' ? `[${step}]` : text === '' ? shortened(step) : `.${shortened(step)}`
    if (field === undefined) return text
    return text === '' ? shortened(field) : `${text}.${shortened(field)}`
  }

  /** Notes that something breaks the schema. */
  problem(problem: FieldProblem): void {
    if (this.#problems.length < mostProblems) this.#problems.push(problem)
  }

  /** Notes that something stands twice. */
  duplicate(problem: FieldProblem): void {
    if (this.#duplicates.length < mostProblems) this.#duplicates.push(problem)
  }

  /** Notes that the schema knows nothing of a field. */
  unknown(field: string): void {
    if (this.#unknownFields.length < mostProblems) this.#unknownFields.push(this.path(field))
  }
}

/** No name in Kubernetes is longer. A key of a megabyte must not stand in front of a hundred problems. */
const longestStep = 253

function shortened(step: string): string {
  return step.length <= longestStep ? step : `${step.slice(0, longestStep)}…`
}
