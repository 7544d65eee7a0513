import { isDeepStrictEqual } from 'node:util'
import type { Condition, Resource } from '../../kinds/index.ts'
import { conditionsOf, setCondition, withoutCondition } from '../conditions.ts'
import { ConditionNotOwned } from '../errors.ts'
import type { ConditionStatement, Outcome } from './step.ts'

/** The conditions that a controller owns, each with the status that it has when all is well. */
export type OwnedConditions = Readonly<Record<string, 'True' | 'False'>>

type Status = Readonly<Record<string, unknown>>

/** What a pass wants to write into the status of its object. Collected step by step, written once. */
export class StatusDraft {
  readonly #controller: string
  readonly #owned: OwnedConditions
  readonly #object: Resource
  readonly #now: number
  readonly #stated = new Set<string>()
  readonly #oldConditions: readonly Condition[]
  #fields: Status = {}
  #conditions: readonly Condition[]

  constructor(controller: string, owned: OwnedConditions, object: Resource, now: number) {
    this.#controller = controller
    this.#owned = owned
    this.#object = object
    this.#now = now
    this.#oldConditions = conditionsOf(object)
    this.#conditions = this.#oldConditions
  }

  take({ status, condition }: Outcome): void {
    if (status !== undefined) this.#fields = { ...this.#fields, ...(status as Status) }
    if (condition !== undefined) this.state(condition)
  }

  /** Sets a condition. Throws `ConditionNotOwned`: each condition has one writer. */
  state({ status, ...said }: ConditionStatement): void {
    const well = this.#owned[said.type]
    if (well === undefined) {
      throw ConditionNotOwned({ controller: this.#controller, type: said.type, owned: Object.keys(this.#owned) })
    }
    this.#stated.add(said.type)
    const change = { ...said, status: status === 'well' ? well : status === 'unwell' ? opposite(well) : status }
    this.#conditions = setCondition(this.#conditions, change, { now: this.#now, generation: this.#object.metadata.generation })
  }

  hasStated(type: string): boolean {
    return this.#stated.has(type)
  }

  dropCondition(type: string): void {
    this.#conditions = withoutCondition(this.#conditions, type)
  }

  /**
   * What a pass that went to its end did not state anew still holds, for the object as it is now. `kubectl wait` goes by that: a condition
   * that was written for an earlier generation counts as not written yet.
   */
  confirm(): void {
    const { generation } = this.#object.metadata
    const isOld = ({ type, observedGeneration }: Condition) => type in this.#owned && observedGeneration !== generation
    if (generation === undefined || !this.#conditions.some(isOld)) return
    this.#conditions = this.#conditions.map(each => (isOld(each) ? { ...each, observedGeneration: generation } : each))
  }

  /** The status to write; undefined if it is what the object has. */
  changed(): Status | undefined {
    const old = statusOf(this.#object)
    const said: Status = this.#conditions === this.#oldConditions ? this.#fields : { ...this.#fields, conditions: this.#conditions }
    let differs = false
    for (const field in said) differs ||= !isSame(old[field], said[field])
    if (!differs) return undefined
    const next: Record<string, unknown> = { ...old, ...said }
    for (const field in next) if (next[field] === undefined) delete next[field]
    return next
  }
}

function statusOf(object: Resource): Status {
  return (object as { readonly status?: Status }).status ?? {}
}

function opposite(status: 'True' | 'False'): 'True' | 'False' {
  return status === 'True' ? 'False' : 'True'
}

/** Quick for what was not touched, which is the same object. */
function isSame(a: unknown, b: unknown): boolean {
  return a === b || isDeepStrictEqual(a, b)
}
