/** What a V1 job asks of its worker. */
export interface Requirement {
  readonly name: string
  readonly type: string
  readonly value: string
}

/** A job in CDS's queue. */
export interface Job {
  readonly version: 1 | 2
  /** V1 a decimal number, V2 a UUID. */
  readonly id: string
  /** Jobs of one project stand in line together. */
  readonly project: string
  /** Milliseconds since 1970. */
  readonly queued: number
  readonly status: string
  /** Who has it already; empty if nobody. */
  readonly takenBy: string
  /** V1. */
  readonly requirements: readonly Requirement[]
  /** V1: groups whose models may run it. Empty: all. */
  readonly groups: readonly string[]
  /** V2: the model with its spec as the API resolved it. */
  readonly model: V2Model | undefined
  /** V2: `runs-on`. */
  readonly runsOn: { readonly model: string; readonly flavor: string } | undefined
  /** For people: `project/workflow#12 build`. */
  readonly title: string
}

/** A worker model as code. */
export interface V2Model {
  readonly name: string
  readonly type: string
  readonly osArch: string
  readonly image: string
  readonly flavor: string
  readonly user: string
  /** As it stands in the repository: plain, encrypted, or with a `${{ … }}` that nobody filled in. */
  readonly password: string
}
