import type { Fleet } from '../fleet/fleet.ts'
import type { UnderWay } from '../fleet/under-way.ts'

/** How many workers there are. Everyone but the disabled counts as a worker. */
export interface PoolCounts {
  readonly checking: number
  readonly waiting: number
  readonly building: number
  readonly disabled: number
  /** Started, or about to be, for a job; CDS does not know them yet. */
  readonly pending: number
  /** The same for the registration of a model. */
  readonly registering: number
  /** Workers that this program is starting at this moment; part of `pending` and `registering`, or known to CDS already. */
  readonly starting: number
  /** All but the disabled: what `maxWorker` limits. */
  readonly size: number
}

/** The workers that CDS knows: their names, and how many have which status. */
export interface KnownWorkers {
  readonly names: ReadonlySet<string>
  readonly byStatus: ReadonlyMap<string, number>
}

/** Adds up whom CDS knows, by their names and by what is to be taken for their status. */
export function countKnown<W>(workers: Iterable<W>, names: ReadonlySet<string>, statusOf: (worker: W) => string): KnownWorkers {
  const byStatus = new Map<string, number>()
  for (const worker of workers) {
    const status = statusOf(worker)
    byStatus.set(status, (byStatus.get(status) ?? 0) + 1)
  }
  return { names, byStatus }
}

/** The whole pool: whom CDS knows, and who is started or under way beside them. Each worker counts once. */
export function countPool({ names, byStatus }: KnownWorkers, fleet: Fleet, underWay: UnderWay): PoolCounts {
  const unknown = fleet.unknownCount()
  let registering = unknown.registering
  let pending = unknown.all - registering
  let starting = 0
  for (const { purpose, vmName } of underWay.all()) {
    if (purpose !== 'Job' && purpose !== 'Registration') continue
    starting++
    if (vmName !== '' && (names.has(vmName) || fleet.isStarted(vmName))) continue
    if (purpose === 'Registration') registering++
    else pending++
  }
  const count = (status: string) => byStatus.get(status) ?? 0
  let active = 0
  for (const [status, workers] of byStatus) if (status !== 'Disabled') active += workers
  return {
    checking: count('Checking'),
    waiting: count('Waiting'),
    building: count('Building'),
    disabled: count('Disabled'),
    pending,
    registering,
    starting,
    size: active + pending + registering,
  }
}
