import type { VmChange } from '../../platform/index.ts'
import { type FleetVm, provisionModel, provisionVersion } from './fleet-index.ts'

/** Where a VM stands. */
interface Place {
  readonly each: FleetVm
  readonly shelf: FleetVm[]
}

/**
 * A hatchery's VMs that stand ready, or are to, by what they are for and by flavor, the oldest first. Kept up with every change, so
 * that whoever wants one need not look at all of them.
 */
export class Shelves {
  readonly #hatchery: string
  readonly #shelves = new Map<string, Map<string, FleetVm[]>>()
  readonly #places = new Map<string, Place>()

  constructor(hatchery: string, vms: Iterable<FleetVm>) {
    this.#hatchery = hatchery
    for (const each of vms) this.#put(each)
  }

  /** A VM has changed; `each` is what it is now, undefined if it carries no note of a hatchery or is gone. */
  apply({ old, now }: VmChange, each: FleetVm | undefined): void {
    this.#take((now ?? old)?.id ?? '')
    if (each !== undefined) this.#put(each)
  }

  /** Those for a model that have this flavor; empty: those of none. */
  of(version: 1 | 2, model: string, flavor: string): readonly FleetVm[] {
    return this.#shelves.get(keyOf(version, model))?.get(flavor.toLowerCase()) ?? []
  }

  /** Those for a model, whatever their flavor. */
  all(version: 1 | 2, model: string): readonly FleetVm[] {
    const shelves = Array.from(this.#shelves.get(keyOf(version, model))?.values() ?? [])
    return shelves.length === 1 ? (shelves[0] ?? []) : shelves.flat().toSorted(byAge)
  }

  #put(each: FleetVm): void {
    const { vm, note } = each
    const version = provisionVersion(each)
    if (version === undefined || vm.template || note.model || note.hatcheryName !== this.#hatchery) return
    const shelf = this.#shelf(keyOf(version, provisionModel(note, version)), note.flavor.toLowerCase())
    shelf.splice(placeOf(shelf, each), 0, each)
    this.#places.set(vm.id, { each, shelf })
  }

  #take(id: string): void {
    const place = this.#places.get(id)
    if (place === undefined) return
    this.#places.delete(id)
    place.shelf.splice(placeOf(place.shelf, place.each), 1)
  }

  #shelf(key: string, flavor: string): FleetVm[] {
    let shelves = this.#shelves.get(key)
    if (shelves === undefined) this.#shelves.set(key, (shelves = new Map()))
    let shelf = shelves.get(flavor)
    if (shelf === undefined) shelves.set(flavor, (shelf = []))
    return shelf
  }
}

function keyOf(version: 1 | 2, model: string): string {
  return `${version}\n${model}`
}

/** Where a VM stands on a shelf, or is to. */
function placeOf(shelf: readonly FleetVm[], each: FleetVm): number {
  let [from, to] = [0, shelf.length]
  while (from < to) {
    const middle = (from + to) >>> 1
    if (byAge(shelf[middle] as FleetVm, each) < 0) from = middle + 1
    else to = middle
  }
  return from
}

/** No two VMs are alike: their ids are not. */
function byAge(one: FleetVm, other: FleetVm): number {
  const ages = (one.note.created ?? 0) - (other.note.created ?? 0)
  if (ages !== 0) return ages
  return order(one.vm.name, other.vm.name) || order(one.vm.id, other.vm.id)
}

function order(one: string, other: string): number {
  return one === other ? 0 : one < other ? -1 : 1
}
