import { type Clock, type Log, silentLog } from '../ports/index.ts'
import { IndexNotDeclared, IndexTaken, InventoryNotLive, NotThere } from './errors.ts'
import { OwnWrites } from './own-writes.ts'
import type { Inventory, InventoryState, Vm, VmChange } from './platform.ts'
import { sameVm } from './same-vm.ts'
import { VmIndex, type VmValues } from './vm-index.ts'

type Listener = (change: VmChange) => void

/** How long an own write outweighs what the watch says, if the watch never confirms it. */
const longestDoubt = 30_000

/**
 * The picture of a platform that its watch paints: `replace` with everything at first and after a lost session, `put` and `drop`
 * with each change, `wrote` and `removed` with what this program did itself and the watch has not seen yet.
 * Readers never meet an empty or half-changed picture: `replace` is one step, and only the differences are told.
 */
export class IndexedInventory implements Inventory {
  readonly #platform: string
  readonly #clock: Clock
  readonly #log: Log
  readonly #vms = new Map<string, Vm>()
  readonly #ownWrites: OwnWrites
  readonly #indexes = new Map<string, VmIndex>()
  readonly #listeners = new Set<Listener>()
  readonly #waiting = new Set<() => void>()
  readonly #confirming = new Map<string, Set<() => void>>()
  readonly #untold: VmChange[] = []
  #telling = false
  #state: InventoryState

  constructor(platform: string, clock: Clock, log: Log = silentLog) {
    this.#platform = platform
    this.#clock = clock
    this.#log = log
    const believe = (id: string, vm: Vm | undefined) => {
      // A watch that is away neither shows nor contradicts anything; when it is back it tells everything.
      if (this.#state.kind !== 'live') return
      this.#set(id, vm)
      this.#tell()
    }
    this.#ownWrites = new OwnWrites(clock, longestDoubt, { believe, settled: id => this.#confirming.get(id)?.forEach(go => go()) })
    this.#state = { kind: 'unknown', since: clock.now(), why: 'it has not been read yet' }
    this.index('name', vm => [vm.name])
    this.index('address', vm => vm.addresses)
    this.index('template', vm => (vm.template ? ['true'] : []))
  }

  get state(): InventoryState {
    return this.#state
  }

  /** How many VMs and templates there are, in whatever state the picture is. */
  get size(): number {
    return this.#vms.size
  }

  all(): Iterable<Vm> {
    this.#mustBeLive()
    return this.#vms.values()
  }

  byId(id: string): Vm | undefined {
    this.#mustBeLive()
    return this.#vms.get(id)
  }

  byName(name: string): readonly Vm[] {
    return this.by('name', name)
  }

  byAddress(address: string): readonly Vm[] {
    return this.by('address', address)
  }

  templates(): Iterable<Vm> {
    return this.by('template', 'true')
  }

  by(index: string, value: string): readonly Vm[] {
    this.#mustBeLive()
    const found = this.#indexes.get(index)
    if (found === undefined) throw IndexNotDeclared({ index, known: [...this.#indexes.keys()] })
    return Array.from(found.ids(value), id => this.#vms.get(id) as Vm)
  }

  index(name: string, values: VmValues): void {
    const there = this.#indexes.get(name)
    if (there?.values === values) return
    if (there !== undefined) throw IndexTaken({ index: name })
    const index = new VmIndex(values)
    for (const vm of this.#vms.values()) index.add(vm)
    this.#indexes.set(name, index)
  }

  onChange(listener: Listener): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  whenLive(signal: AbortSignal): Promise<void> {
    if (this.#state.kind === 'live' && !signal.aborted) return Promise.resolve()
    return oneOf(this.#waiting, signal)
  }

  async confirmed(id: string, signal: AbortSignal): Promise<void> {
    await this.whenLive(signal)
    while (this.#ownWrites.has(id)) {
      const waiting = this.#confirming.get(id) ?? new Set()
      this.#confirming.set(id, waiting)
      try {
        await oneOf(waiting, signal)
      } finally {
        if (waiting.size === 0) this.#confirming.delete(id)
      }
      await this.whenLive(signal)
    }
    if (this.byId(id) === undefined) throw NotThere({ what: 'VM', name: id })
  }

  /** What was last known of a VM, in whatever state the picture is; for those who keep the picture, not for decisions. */
  lastKnown(id: string): Vm | undefined {
    return this.#vms.get(id)
  }

  /** The watch is being set up (again); the old picture is kept, but nobody may rest a decision on what it lacks. */
  syncing(why: string): void {
    this.#state = { kind: 'syncing', since: this.#clock.now(), why }
  }

  /** Nothing can be said about the platform. */
  lost(why: string): void {
    this.#state = { kind: 'unknown', since: this.#clock.now(), why }
  }

  /** Everything there is, as the watch first reports it. From now on the picture is live. */
  replace(vms: Iterable<Vm>): void {
    const now = new Map(Array.from(vms, vm => [vm.id, vm]))
    const known = new Set([...this.#vms.keys(), ...this.#ownWrites.ids()])
    for (const id of known) if (!now.has(id)) this.#drop(id)
    for (const vm of now.values()) this.#put(vm)
    if (this.#state.kind !== 'live') {
      this.#state = { kind: 'live', since: this.#clock.now() }
      for (const go of this.#waiting) go()
    }
    this.#tell()
  }

  /** The watch reports a VM. Where it contradicts a fresh write of our own it is late, and comes true only when the doubt ends. */
  put(vm: Vm): void {
    this.#put(vm)
    this.#tell()
  }

  /** The watch reports that a VM is gone. */
  drop(id: string): void {
    this.#drop(id)
    this.#tell()
  }

  /** This program changed or made a VM, and the platform has confirmed it. */
  wrote(vm: Vm): void {
    this.#ownWrites.wrote(vm, this.#vms.get(vm.id))
    this.#set(vm.id, vm)
    this.#tell()
  }

  /** This program removed a VM, and the platform has confirmed it. */
  removed(id: string): void {
    this.#ownWrites.removed(id)
    this.#set(id, undefined)
    this.#tell()
  }

  #put(vm: Vm): void {
    this.#set(vm.id, this.#ownWrites.reported(vm).show)
  }

  #drop(id: string): void {
    if (this.#ownWrites.reportedGone(id)) this.#set(id, undefined)
  }

  #set(id: string, now: Vm | undefined): void {
    const old = this.#vms.get(id)
    if (old === now || (old !== undefined && now !== undefined && sameVm(old, now))) return
    for (const index of this.#indexes.values()) {
      if (old !== undefined) index.remove(old)
      if (now !== undefined) index.add(now)
    }
    if (now === undefined) this.#vms.delete(id)
    else this.#vms.set(id, now)
    this.#untold.push({ old, now })
  }

  /** Tells of changes in their order, also of those that a listener brings about. One listener's failure is not another's. */
  #tell(): void {
    if (this.#telling) return
    this.#telling = true
    // By index, because the list grows meanwhile, and is long after a listing: to shift it each time would take its square.
    for (let index = 0; index < this.#untold.length; index++) {
      const change = this.#untold[index]!
      for (const listener of this.#listeners) {
        try {
          listener(change)
        } catch (error) {
          this.#log.error('a listener of the inventory failed', { error, platform: this.#platform })
        }
      }
    }
    this.#untold.length = 0
    this.#telling = false
  }

  #mustBeLive(): void {
    if (this.#state.kind !== 'live') throw InventoryNotLive({ platform: this.#platform, why: this.#state.why })
  }
}

/** Resolves when whoever keeps the set calls all in it; leaves it in either case. */
function oneOf(waiting: Set<() => void>, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason)
    const end = (settle: () => void) => {
      waiting.delete(go)
      signal.removeEventListener('abort', stop)
      settle()
    }
    const stop = () => end(() => reject(signal.reason))
    const go = () => end(resolve)
    waiting.add(go)
    signal.addEventListener('abort', stop, { once: true })
  })
}
