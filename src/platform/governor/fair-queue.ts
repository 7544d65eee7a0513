/**
 * A queue with a lane for each owner. Owners take turns; within a lane the first comes first. Whoever cannot go yet is stepped
 * over without losing the place.
 */
export class FairQueue<T> {
  /** In the order of turns: the owner served last is at the end. */
  readonly #lanes = new Map<string, Set<T>>()

  add(owner: string, item: T): void {
    const lane = this.#lanes.get(owner)
    if (lane === undefined) this.#lanes.set(owner, new Set([item]))
    else lane.add(item)
  }

  remove(owner: string, item: T): void {
    const lane = this.#lanes.get(owner)
    lane?.delete(item)
    if (lane?.size === 0) this.#lanes.delete(owner)
  }

  /** Takes out the first that may go, in the order of turns; its owner is then the last to have another turn. */
  take(mayGo: (item: T) => boolean): T | undefined {
    for (const [owner, lane] of this.#lanes) {
      for (const item of lane) {
        if (!mayGo(item)) continue
        lane.delete(item)
        this.#lanes.delete(owner)
        if (lane.size > 0) this.#lanes.set(owner, lane)
        return item
      }
    }
    return undefined
  }

  /** Everybody, in the order in which they would be served if all might go. */
  inOrder(): readonly T[] {
    const lanes = Array.from(this.#lanes.values(), lane => [...lane])
    const longest = Math.max(0, ...lanes.map(lane => lane.length))
    return Array.from({ length: longest }, (_, round) => lanes.flatMap(lane => lane.slice(round, round + 1))).flat()
  }
}
