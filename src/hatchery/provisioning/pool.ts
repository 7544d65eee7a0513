import { type FleetVm, provisionModel, provisionVersion } from '../fleet/fleet-index.ts'
import type { ProvisioningEntry } from '../settings.ts'
import type { PoolWait } from './pool-source.ts'
import type { Stock } from './stock.ts'

/** VMs that stand ready for one sort of jobs: so many, of this model, of this size. */
export interface Pool {
  /** The pool inside this program: `2 debian12`, and the flavor if one is pinned. */
  readonly key: string
  readonly version: 1 | 2
  /** V1: `group/name` of the worker model; V2: name of the template. */
  readonly model: string
  /** Undefined: as the template is, resized when claimed. */
  readonly flavor: string | undefined
  /** How many are wanted. */
  readonly wanted: number
}

/** The key of a pool. A tab comes before the flavor, because no name of a template or model can hold one. */
export function poolKey({ version, model, flavor }: Pick<ProvisioningEntry, 'version' | 'model' | 'flavor'>): string {
  return `${version} ${model}${flavor === undefined || flavor === '' ? '' : `\t${flavor.toLowerCase()}`}`
}

/** The key of the pool that a VM stands ready for, or is to; undefined if it does not. */
export function poolKeyOf(vm: FleetVm): string | undefined {
  const version = provisionVersion(vm)
  if (version === undefined) return undefined
  return poolKey({ version, model: provisionModel(vm.note, version), flavor: vm.note.flavor })
}

/** The pools of a configuration, those of V2 models first, else in its order. Entries for one and the same are added up. */
export function poolsOf(entries: readonly ProvisioningEntry[]): readonly Pool[] {
  const pools = new Map<string, Pool>()
  for (const { version, model, flavor, number } of entries) {
    const key = poolKey({ version, model, flavor })
    pools.set(key, { key, version, model, flavor, wanted: number + (pools.get(key)?.wanted ?? 0) })
  }
  const all = Array.from(pools.values())
  return [...all.filter(pool => pool.version === 2), ...all.filter(pool => pool.version === 1)]
}

/** A pool that is not configured (any more), by its key: none of it is wanted. */
export function unknownPool(key: string): Pool {
  const [shape = '', flavor] = key.split('\t')
  return { key, version: shape.startsWith('1') ? 1 : 2, model: shape.slice(2), flavor, wanted: 0 }
}

/** How a pool stands, for people and metrics. */
export interface PoolReport {
  readonly version: 1 | 2
  readonly model: string
  readonly flavor: string | undefined
  readonly wanted: number
  /** They can be claimed. */
  readonly ready: number
  /** They can be seen and are not ready yet. */
  readonly starting: number
  /** They are about to be removed. */
  readonly doomed: number
  /** They are being made and cannot be seen yet. */
  readonly inFlight: number
  /** Why fewer are being made than are missing; undefined if that is not so. */
  readonly waits: PoolWait | undefined
}

/** The report of a pool. */
export function poolReport({ version, model, flavor, wanted }: Pool, stock: Stock, waits: PoolWait | undefined): PoolReport {
  const { ready, starting, halfMade, doomed, inFlight } = stock
  return { version, model, flavor, wanted, ready: ready.length, starting: starting + halfMade.length, doomed, inFlight, waits }
}
