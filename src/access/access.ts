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
}

/** The guard of every door: who is asking, may they, are they asking too often, and a record of it. */
export interface Access {
  /**
   * The user behind an `Authorization` header; without a header the user `system:anonymous` of group `system:unauthenticated`.
   * Rejects with StoreError Unauthorized if the token is unknown, expired or forged; the error does not say which.
   */
  authenticate(authorization: string | undefined): Promise<User>
  /** Whether `user` may do it. Answers from memory. */
  authorize(user: User, attempt: Attempt): Decision
  /** Undefined if the user may send another request now, else the seconds to wait. */
  throttle(user: User): number | undefined
  /** Writes one line to the audit log; never waits and never fails the request. */
  audit(entry: AuditEntry): void
}
