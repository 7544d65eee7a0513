import type { Platform, PlatformTask } from '../../platform/index.ts'
import type { Clock } from '../../ports/index.ts'
import type { Fleet } from '../fleet/fleet.ts'
import type { UnderWay } from '../fleet/under-way.ts'
import type { SpawnRecords } from '../spawn/spawn-records.ts'
import { poolKey } from './pool.ts'

/** A task that takes longer is not waited for: if a VM comes of it after all, it is found by its note. */
const longestTask = 30 * 60_000

/** Where leftovers are looked for. */
export interface LeftoversOptions {
  readonly platform: Pick<Platform, 'tasks'>
  readonly fleet: Fleet
  readonly underWay: UnderWay
  readonly records: SpawnRecords
  readonly clock: Clock
}

/** The record of a VM that was to stand ready and that nobody works on. */
export interface Leftover {
  /** The name of the record and of the VM. */
  readonly name: string
  /** The pool that it was for. */
  readonly key: string
  /** Whether it was to be removed. */
  readonly isDoomed: boolean
  /** The VM is there; the platform is still making it; there is none and none will come. */
  readonly vm: 'there' | 'coming' | 'none'
}

/**
 * Names of VMs that an earlier run of this program, or a failed attempt of this one, left unfinished. A record has the name of its VM:
 * what its status says may be lost, if it was removed without an answer and written anew.
 */
export function leftoverNames({ records, underWay }: Pick<LeftoversOptions, 'records' | 'underWay'>): readonly string[] {
  return Array.from(records.all()).flatMap(spawn => {
    const name = records.nameOf(spawn)
    return spawn.spec.purpose === 'Provision' && !underWay.hasName(name) ? [name] : []
  })
}

/** What is known of them. Throws InventoryNotLive. */
export function leftovers({ platform, fleet, underWay, records, clock }: LeftoversOptions): readonly Leftover[] {
  const names = leftoverNames({ records, underWay })
  if (names.length === 0) return []
  const isGoing = ({ state, since }: PlatformTask) => (state === 'running' || state === 'queued') && clock.now() - since < longestTask
  const busy = new Set(
    platform
      .tasks()
      .filter(isGoing)
      .map(({ target }) => target),
  )
  return names.map(name => {
    const { spec, status } = records.get(name)!
    const key = poolKey({ version: spec.version === 1 ? 1 : 2, model: spec.model ?? '', flavor: status?.flavor })
    const vm = fleet.named(name).length > 0 ? 'there' : busy.has(name) ? 'coming' : 'none'
    return { name, key, isDoomed: status?.phase === 'TearingDown', vm }
  })
}
