/** Who is asking. */
export interface User {
  readonly name: string
  readonly groups: readonly string[]
}

/** What somebody wants to do, in the words of Kubernetes' authorizers. */
export interface Attempt {
  /** `get`, `list`, `watch`, `create`, `update`, `patch`, `delete`, `deletecollection`; for plain paths the method in lower case. */
  readonly verb: string
  /** For requests about objects. */
  readonly resource?: {
    readonly group: string
    readonly version: string
    readonly plural: string
    readonly subresource?: string
    readonly namespace?: string
    readonly name?: string
  }
  /** For all others: `/healthz`. */
  readonly path?: string
}

/** Whether somebody may do what they want. */
export interface Decision {
  readonly allowed: boolean
  /** For the person who was refused: which role would do. */
  readonly reason: string
}

/** One line of the audit log. Never holds the content of an object. */
export interface AuditEntry {
  readonly id: string
  readonly user: string
  readonly groups: readonly string[]
  readonly attempt: Attempt
  readonly sourceAddress: string
  readonly userAgent: string
  /** HTTP status of the answer. */
  readonly status: number
  /** Reason of a refusal, in Kubernetes' words. */
  readonly reason?: string
  readonly dryRun?: boolean
  readonly durationMilliseconds: number
  /** This is the last of so many alike within a minute, which have no lines of their own. */
  readonly repeated?: number
}

/** A rule of Kubernetes about some objects, by their names. */
export interface NamedRule {
  readonly verbs: readonly string[]
  readonly apiGroups: readonly string[]
  readonly resources: readonly string[]
  readonly resourceNames: readonly string[]
}

/** The guard of every door: who is asking, may they, are they asking too often, and a record of it. */
export interface Access {
  /**
   * The user behind an `Authorization` header; without a header the user `system:anonymous` of group `system:unauthenticated`.
   * Rejects with StoreError Unauthorized if the token is unknown, expired or forged; the error does not say which. Rejects with
   * TooManyRequests instead if that happens too often from one address.
   */
  authenticate(authorization: string | undefined, sourceAddress: string): Promise<User>
  /** Whether `user` may do it. Answers from memory. */
  authorize(user: User, attempt: Attempt): Decision
  /** What the user may do in a namespace to some objects only, by their names: who asks about all of a kind does not hear of it. */
  namedRules(user: User, namespace: string): readonly NamedRule[]
  /** Undefined if the user may send another request now, else the seconds to wait. The anonymous are told apart by their address. */
  throttle(user: User, sourceAddress: string): number | undefined
  /** Room for a body of so many bytes until it is disposed of; undefined if the user is sending too much at once already. */
  holdBytes(user: User, bytes: number): Disposable | undefined
  /** Writes one line to the audit log; never waits and never fails the request. */
  audit(entry: AuditEntry): void
}
