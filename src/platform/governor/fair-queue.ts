import { DelayHeap, type Delayed } from '../../ports/index.ts'

interface Place<T> extends Delayed {
  readonly item: T
  readonly owner: string
  group: string
}

interface Lane<T> {
  readonly groups: Map<string, DelayHeap<Place<T>>>
  size: number
}

/**
 * A queue with a lane for each owner. Owners take turns; within a lane the first comes first. Whoever cannot go yet is stepped
 * over without losing the place. Items of one group can all go or none can, so that only the first of each is looked at.
 */
export class FairQueue<T> {
  /** In the order of turns: the owner served last is at the end. */
  readonly #lanes = new Map<string, Lane<T>>()
  /** In the order in which they came. */
  readonly #places = new Map<T, Place<T>>()
  #count = 0

  add(owner: string, group: string, item: T): void {
    const place: Place<T> = { item, owner, group, due: 0, order: this.#count++, place: -1 }
    this.#places.set(item, place)
    this.#enter(place)
  }

  has(item: T): boolean {
    return this.#places.has(item)
  }

  remove(item: T): void {
    const place = this.#places.get(item)
    if (place === undefined) return
    this.#places.delete(item)
    const lane = this.#leave(place)
    if (lane.size === 0) this.#lanes.delete(place.owner)
  }

  /** Puts an item that stands here into another group; it keeps its place. */
  regroup(item: T, group: string): void {
    const place = this.#places.get(item)!
    this.#leave(place)
    place.group = group
    this.#enter(place)
  }

  /**
   * Takes out the first that may go, in the order of turns; its owner is then the last to have another turn. `choose` is asked about
   * the first of each group of a lane, and says who of that group may go: usually that one, or nobody.
   */
  take(choose: (first: T) => T | undefined): T | undefined {
    for (const [owner, lane] of this.#lanes) {
      let earliest: Place<T> | undefined
      for (const group of lane.groups.values()) {
        const chosen = choose(group.first()!.item)
        const place = chosen === undefined ? undefined : this.#places.get(chosen)
        if (place !== undefined && (earliest === undefined || place.order < earliest.order)) earliest = place
      }
      if (earliest === undefined) continue
      this.remove(earliest.item)
      if (this.#lanes.delete(owner)) this.#lanes.set(owner, lane)
      return earliest.item
    }
    return undefined
  }

  /** Everybody, in the order in which they would be served if all might go. */
  inOrder(): readonly T[] {
    const lanes = new Map(Array.from(this.#lanes.keys(), owner => [owner, [] as T[]]))
    for (const { owner, item } of this.#places.values()) lanes.get(owner)!.push(item)
    const longest = Math.max(0, ...Array.from(lanes.values(), lane => lane.length))
    return Array.from({ length: longest }, (_, round) => [...lanes.values()].flatMap(lane => lane.slice(round, round + 1))).flat()
  }

  #enter(place: Place<T>): void {
    let lane = this.#lanes.get(place.owner)
    if (lane === undefined) this.#lanes.set(place.owner, (lane = { groups: new Map(), size: 0 }))
    let group = lane.groups.get(place.group)
    if (group === undefined) lane.groups.set(place.group, (group = new DelayHeap()))
    group.add(place)
    lane.size++
  }

  /** Returns the lane, which may now be empty. */
  #leave(place: Place<T>): Lane<T> {
    const lane = this.#lanes.get(place.owner)!
    const group = lane.groups.get(place.group)!
    group.remove(place)
    if (group.size === 0) lane.groups.delete(place.group)
    lane.size--
    return lane
  }
}
