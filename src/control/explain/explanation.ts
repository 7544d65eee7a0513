import type { Condition } from '../../kinds/index.ts'

/** Which object, in words that need nothing else to be understood. */
export interface ObjectName {
  readonly kind: string
  /** Absent if only the kind's name is known. */
  readonly apiVersion?: string
  readonly namespace?: string
  readonly name: string
}

/** One thing that an object waits for. Times as Kubernetes writes them. */
export interface Wait {
  /** The condition that says so. */
  readonly condition: string
  readonly status: Condition['status']
  readonly reason: string
  readonly message: string
  readonly since: string
  /** When it is over or given up; absent if that is not known. */
  readonly until?: string
  /** True if that time has passed and it still waits. */
  readonly isOverdue: boolean
  readonly then?: string
  readonly unblock?: string
}

/** How an object relates to the one that is explained. */
export type Relation = 'owner' | 'dependent' | 'named'

/** Another object that has to do with it. */
export interface Related {
  readonly relation: Relation
  readonly object: ObjectName
  /** Undefined if there is no such object. */
  readonly explanation: Explanation | undefined
}

/**
 * Why nothing happens to an object, or that nothing has to. Waiting: conditions say for what. Deleting: somebody asked for its
 * deletion. Settled: all that is said about it is well. Silent: nothing is said about it.
 */
export interface Explanation {
  readonly object: ObjectName
  readonly state: 'waiting' | 'deleting' | 'settled' | 'silent'
  readonly phase?: string
  readonly created?: string
  readonly deletion?: { readonly since: string; readonly heldBy: readonly string[] }
  /** There if somebody changed what they want and no controller has looked at it yet. */
  readonly unseenChange?: { readonly generation: number; readonly seen: number }
  readonly waits: readonly Wait[]
  /** What is as it should be. */
  readonly settled: readonly { readonly condition: string; readonly reason: string; readonly since: string }[]
  /** Owners, dependents and objects that a wait names; those that wait first. Empty where the explanation goes no deeper. */
  readonly related: readonly Related[]
  /** Dependents that are not among `related`, because there are too many. */
  readonly omitted: number
  /** Kinds that could not be looked at on the way, so that something may be missing; told of the whole, not of each part. */
  readonly unseen: readonly string[]
}
