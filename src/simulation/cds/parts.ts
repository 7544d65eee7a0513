import type { KeyObject } from 'node:crypto'
import type { Accounts } from './accounts.ts'
import type { Basics } from './basics.ts'
import type { Models } from './models.ts'
import type { QueueV1 } from './queue-v1.ts'
import type { QueueV2 } from './queue-v2.ts'
import type { BuiltinConsumer, Hatchery } from './records.ts'
import type { WorkersV1 } from './workers-v1.ts'
import type { WorkersV2 } from './workers-v2.ts'

/** Where workers send their logs, as CDS says it. */
export interface CdnConfig {
  readonly tcp_url: string
  readonly tcp_url_enable_tls: boolean
  readonly http_url: string
}

/** Everything that a simulated CDS is made of, for those who answer requests. */
export interface Parts extends Basics {
  readonly url: string
  readonly key: KeyObject
  readonly accounts: Accounts
  readonly queueV1: QueueV1
  readonly queueV2: QueueV2
  readonly workersV1: WorkersV1
  readonly workersV2: WorkersV2
  readonly models: Models
  readonly regions: Set<string>
  /** V2 hatcheries by name. */
  readonly hatcheries: Map<string, Hatchery>
  /** V1 hatcheries by the name that they signed in with. */
  readonly services: Map<string, BuiltinConsumer>
  /** Undefined until somebody says that there is one. */
  readonly cdn: { current: CdnConfig | undefined }
}
