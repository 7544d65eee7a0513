import type { Access } from '../access/index.ts'
import type { Kind } from '../kinds/index.ts'
import type { Chance, Clock, Log, Metrics } from '../ports/index.ts'
import type { Store } from '../store/index.ts'
import type { HealthCheck } from './health.ts'

/** What an API server is made of. */
export interface ApiServerOptions {
  readonly store: Store
  /** The kinds to serve; each must be one that the store keeps. */
  readonly kinds: readonly Kind[]
  readonly access: Access
  readonly clock: Clock
  readonly chance: Chance
  readonly log: Log
  readonly metrics: Metrics
  /** This program's version. */
  readonly version: string
  /** What must work for the server to be ready. */
  readonly checks?: readonly HealthCheck[]
}
