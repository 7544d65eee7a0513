import type { Chance, Clock } from '../../ports/index.ts'
import type { Group } from './records.ts'
import type { Witness } from './witness.ts'

/** What every part of a simulated CDS stands on. */
export interface Basics {
  readonly clock: Clock
  readonly chance: Chance
  readonly witness: Witness
  readonly groups: Groups
}

/** The group whose hatcheries serve everybody. */
export const sharedInfra = 'shared.infra'

/** Groups by name; the first who speaks of one makes it. */
export class Groups {
  readonly #groups = new Map<string, Group>()

  constructor() {
    this.named(sharedInfra)
  }

  named(name: string): Group {
    const known = this.#groups.get(name)
    if (known !== undefined) return known
    const made = Object.freeze({ id: this.#groups.size + 1, name })
    this.#groups.set(name, made)
    return made
  }

  find(name: string): Group | undefined {
    return this.#groups.get(name)
  }
}
