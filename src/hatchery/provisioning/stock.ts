import { type FleetVm, isWhole } from '../fleet/fleet-index.ts'
import type { Undertaking, UnderWay } from '../fleet/under-way.ts'
import { poolKeyOf } from './pool.ts'

/** What there is of one pool. */
export interface Stock {
  /** They can be claimed: off, whole, and nobody works on them. */
  readonly ready: readonly FleetVm[]
  /** They are being made by this program, and can be seen already. */
  readonly starting: number
  /** An earlier run of this program left them before they were ready, or somebody switched them on. */
  readonly halfMade: readonly FleetVm[]
  /** They are about to be removed. */
  readonly doomed: number
  /** They are being made and cannot be seen yet. */
  readonly inFlight: number
}

type Counting = { -readonly [F in keyof Stock]: Stock[F] extends number ? number : FleetVm[] }

/** A pool of which there is nothing. */
export const nothing: Stock = Object.freeze({ ready: [], starting: 0, halfMade: [], doomed: 0, inFlight: 0 })

/** What the stock is counted from. */
export interface StockSources {
  /** Own VMs that stand ready or are to. */
  readonly provisions: Iterable<FleetVm>
  readonly underWay: UnderWay
  /** Keys of pools for which the platform still makes VMs that an earlier run of this program asked for. */
  readonly onTheirWay: readonly string[]
}

/**
 * What there is, by pool. VMs that a job is claiming right now are no longer counted, so that they are replaced at once; those that
 * are about to be removed are, so that a pool never has more VMs and addresses than it should.
 */
export function takeStock({ provisions, underWay, onTheirWay }: StockSources): ReadonlyMap<string, Stock> {
  const stocks = new Map<string, Counting>()
  const stockOf = (key: string) =>
    stocks.get(key) ?? stocks.set(key, { ready: [], starting: 0, halfMade: [], doomed: 0, inFlight: 0 }).get(key)!
  const find = lookup(underWay)
  const seen = new Set<Undertaking>()
  for (const provision of provisions) {
    const key = poolKeyOf(provision)
    if (key === undefined) continue
    const { vm } = provision
    const undertaking = find(vm)
    if (undertaking !== undefined) seen.add(undertaking)
    if (underWay.doomed.has(vm.id)) stockOf(key).doomed++
    else if (undertaking?.purpose === 'Provision') stockOf(key).starting++
    else if (undertaking !== undefined) continue
    else if (vm.power !== 'off' || !isWhole(provision) || underWay.unfinished.has(vm.name)) stockOf(key).halfMade.push(provision)
    else stockOf(key).ready.push(provision)
  }
  for (const undertaking of underWay.of('Provision')) if (!seen.has(undertaking)) stockOf(undertaking.model).inFlight++
  for (const key of onTheirWay) stockOf(key).inFlight++
  return stocks
}

/** How many are missing of so many that are wanted. Below 0: there are too many. */
export function missing(wanted: number, { ready, starting, halfMade, doomed, inFlight }: Stock): number {
  return wanted - ready.length - starting - halfMade.length - doomed - inFlight
}

/** Those that stand ready and are more than wanted, the oldest first. */
export function surplus(wanted: number, { ready, starting, halfMade, inFlight }: Stock): readonly FleetVm[] {
  const tooMany = ready.length + starting + halfMade.length + inFlight - wanted
  if (tooMany <= 0) return []
  return ready.toSorted((one, other) => (one.note.created ?? 0) - (other.note.created ?? 0)).slice(0, tooMany)
}

/** Finds what is being done to a VM. */
function lookup(underWay: UnderWay): (vm: { readonly id: string; readonly name: string }) => Undertaking | undefined {
  const all = Array.from(underWay.all())
  const byId = new Map(all.flatMap(each => (each.vmId === undefined ? [] : [[each.vmId, each] as const])))
  const byName = new Map(all.map(each => [each.vmName, each]))
  return ({ id, name }) => byId.get(id) ?? byName.get(name)
}
