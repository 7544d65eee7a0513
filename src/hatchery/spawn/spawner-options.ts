import type { Cdn, Cds } from '../cds/cds.ts'
import type { Fleet } from '../fleet/fleet.ts'
import type { Attempts } from '../gates/attempts.ts'
import type { UnderWay } from '../fleet/under-way.ts'
import type { ModelBook } from '../models/model-book.ts'
import type { HappeningCounters } from '../monitoring/happening-counters.ts'
import type { AddressAuthority, Platform } from '../../platform/index.ts'
import type { Chance, Clock, Log } from '../../ports/index.ts'
import type { HatcherySettings } from '../settings.ts'
import type { SpawnRecords } from './spawn-records.ts'

/** What a spawner works with. */
export interface SpawnerOptions {
  readonly settings: HatcherySettings
  readonly platform: Platform
  readonly cds: Cds
  readonly records: SpawnRecords
  readonly fleet: Fleet
  readonly underWay: UnderWay
  readonly attempts: Attempts
  readonly models: Pick<ModelBook, 'v1ByPath' | 'v2' | 'secrets'>
  readonly addresses: AddressAuthority
  readonly clock: Clock
  readonly chance: Chance
  readonly log: Log
  readonly counters: Pick<HappeningCounters, 'count'>
  /** Where workers send their logs. */
  readonly cdn: (signal: AbortSignal) => Promise<Cdn>
  /** Told when a VM that stood ready is taken, or was to be: the pool is one short. */
  readonly onClaim?: (() => void) | undefined
}
