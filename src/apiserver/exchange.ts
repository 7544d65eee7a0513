import type { User } from '../access/index.ts'
import type { Key, Store } from '../store/index.ts'
import type { Call } from './call.ts'
import type { Served } from './served.ts'
import type { ResourceTarget, Target } from './target.ts'

/** A request that was let in, and what is known about it. */
export interface Exchange {
  readonly call: Call
  readonly target: Target
  readonly verb: string
  readonly query: URLSearchParams
  readonly user: User
  /** Shown to the person who asked, beside the answer. */
  readonly warnings: string[]
  /** Says, for the audit log, that nothing is to be changed. */
  noteDryRun(): void
  /** Aborted when the client has gone or its time is up. */
  readonly signal: AbortSignal
  /** The whole body. */
  body(): Promise<Buffer>
}

/** A request about objects of a kind that is served. */
export interface ResourceExchange extends Exchange {
  readonly served: Served
  readonly store: Store
  readonly resource: ResourceTarget
}

/** A request about one object. */
export interface ObjectExchange extends ResourceExchange {
  readonly resource: ResourceTarget & { readonly name: string }
}

/** The one object that a request is about, as the store knows it. */
export function keyOf({ resource, served }: ObjectExchange): Key {
  const { namespace, name } = resource
  return served.kind.scope === 'Namespaced' && namespace !== undefined ? { namespace, name } : { name }
}
