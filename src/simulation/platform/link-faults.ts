import type { Chance } from '../../ports/index.ts'

/**
 * What becomes of a call. `before`: it never arrived. `after`: it was carried out and the reply is lost. `hang`: no reply ever
 * comes; whether it was carried out, chance decides.
 */
export type Fault = 'before' | 'after' | 'hang'

/** How often each fault happens, each between 0 and 1. */
export type FaultRates = Readonly<Partial<Record<Fault, number>>>

/** Decides which calls go wrong: the next one of a sort, by order, or any, by chance from a seed. */
export class LinkFaults {
  readonly #ordered = new Map<string, Fault[]>()
  #random: { readonly chance: Chance; readonly rates: FaultRates } | undefined

  /** The next call of this operation meets this fault. */
  cutNext(operation: string, fault: Fault): void {
    this.#ordered.set(operation, [...(this.#ordered.get(operation) ?? []), fault])
  }

  /** From now on calls go wrong at random. */
  atRandom(chance: Chance, rates: FaultRates): void {
    this.#random = { chance, rates }
  }

  /** From now on nothing goes wrong. */
  none(): void {
    this.#random = undefined
    this.#ordered.clear()
  }

  /** What becomes of this call; undefined: all is well. */
  next(operation: string): Fault | undefined {
    const ordered = this.#ordered.get(operation)?.shift()
    if (ordered !== undefined || this.#random === undefined) return ordered
    const { chance, rates } = this.#random
    const drawn = chance.fraction()
    let bound = 0
    for (const fault of ['before', 'after', 'hang'] as const) {
      bound += rates[fault] ?? 0
      if (drawn < bound) return fault
    }
    return undefined
  }
}
