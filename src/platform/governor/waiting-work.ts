import { DelayHeap, type Delayed } from '../../ports/index.ts'
import { FairQueue } from './fair-queue.ts'
import type { Work } from './governor.ts'

/** Somebody who waits, and since when. */
export interface Entry {
  readonly work: Work
  readonly since: number
  readonly begin: () => void
}

interface Heavy extends Delayed {
  readonly entry: Entry
}

/** The group of all whose VM is busy. The others are grouped by what decides whether there is room for them. */
const vmBusy = 'VmBusy'

/**
 * Who waits for a platform, so arranged that whoever may begin is found without a look at all who may not: those whose VM is busy stand
 * aside, and of those who ask for the same of one host only the first is looked at.
 */
export class WaitingWork {
  readonly #soon = new FairQueue<Entry>()
  /** Work that can wait. */
  readonly #later = new FairQueue<Entry>()
  readonly #byTarget = new Map<string, Set<Entry>>()
  /** By host: heavy work that waits for room there and for nothing else, the longest waiting first. */
  readonly #heavy = new Map<string, DelayHeap<Heavy>>()
  readonly #heavyOf = new Map<Entry, Heavy>()
  readonly #busy = new Set<string>()
  #count = 0

  add(entry: Entry): void {
    const { target, owner, canWait } = entry.work
    const same = this.#byTarget.get(target)
    if (same === undefined) this.#byTarget.set(target, new Set([entry]))
    else same.add(entry)
    const queue = canWait === true ? this.#later : this.#soon
    queue.add(owner, this.#groupOf(entry), entry)
    this.#weigh(entry)
  }

  /** Does nothing if it does not wait any more. */
  remove(entry: Entry): void {
    this.#soon.remove(entry)
    this.#later.remove(entry)
    const same = this.#byTarget.get(entry.work.target)
    same?.delete(entry)
    if (same?.size === 0) this.#byTarget.delete(entry.work.target)
    this.#weigh(entry)
  }

  /** Work that could wait takes its turn among the others from now on. */
  hurry(entry: Entry): void {
    this.#later.remove(entry)
    this.#soon.add(entry.work.owner, this.#groupOf(entry), entry)
    this.#weigh(entry)
  }

  /** Something is being done with a VM: nobody else who wants it can begin. */
  hold(target: string): void {
    this.#busy.add(target)
    this.#regroup(target)
  }

  /** It is done. */
  release(target: string): void {
    this.#busy.delete(target)
    this.#regroup(target)
  }

  /**
   * Takes out the first for whom there is room. Heavy work that has waited for its host since `longAgo` or longer is the first there: the
   * others must leave that host's room to it.
   */
  take(hasRoom: (work: Work) => boolean, longAgo: number): Entry | undefined {
    const choose = (first: Entry, queue: FairQueue<Entry>) => {
      const chosen = this.#chosen(first, queue, longAgo)
      return chosen !== undefined && hasRoom(chosen.work) ? chosen : undefined
    }
    const entry = this.#soon.take(first => choose(first, this.#soon)) ?? this.#later.take(first => choose(first, this.#later))
    if (entry !== undefined) this.remove(entry)
    return entry
  }

  /** Everybody, in the order in which they would be served if all might begin. */
  inOrder(): readonly Entry[] {
    return [...this.#soon.inOrder(), ...this.#later.inOrder()]
  }

  /** Who of a group is next, if anybody. */
  #chosen(first: Entry, queue: FairQueue<Entry>, longAgo: number): Entry | undefined {
    const group = this.#groupOf(first)
    if (group === vmBusy) return undefined
    const longest = this.#heavy.get(first.work.host ?? '')?.first()?.entry
    if (longest === undefined || longest.since > longAgo) return first
    // Those who came at the same moment are served in turns, as everybody is.
    if (first.since === longest.since && this.#heavyOf.has(first)) return first
    return longest.work.owner === first.work.owner && queue.has(longest) && this.#groupOf(longest) === group ? longest : undefined
  }

  #groupOf({ work: { target, host, weight, canWait } }: Entry): string {
    return this.#busy.has(target) ? vmBusy : `${weight} ${canWait === true} ${host ?? ''}`
  }

  #regroup(target: string): void {
    for (const entry of this.#byTarget.get(target) ?? []) {
      const queue = this.#soon.has(entry) ? this.#soon : this.#later
      queue.regroup(entry, this.#groupOf(entry))
      this.#weigh(entry)
    }
  }

  /** Keeps the heavy work of a host up to date. */
  #weigh(entry: Entry): void {
    const { host, weight, target } = entry.work
    if (host === undefined || weight <= 1) return
    const counts = this.#soon.has(entry) && !this.#busy.has(target)
    const known = this.#heavyOf.get(entry)
    if (counts === (known !== undefined)) return
    let heap = this.#heavy.get(host)
    if (known !== undefined) {
      this.#heavyOf.delete(entry)
      heap!.remove(known)
      if (heap!.size === 0) this.#heavy.delete(host)
      return
    }
    const heavy: Heavy = { entry, due: entry.since, order: this.#count++, place: -1 }
    this.#heavyOf.set(entry, heavy)
    if (heap === undefined) this.#heavy.set(host, (heap = new DelayHeap()))
    heap.add(heavy)
  }
}
