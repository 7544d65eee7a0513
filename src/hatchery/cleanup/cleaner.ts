import type { Platform, PlatformEvent, Vm, VmChange } from '../../platform/index.ts'
import type { Clock, Log } from '../../ports/index.ts'
import type { Cds, RegisteredWorker } from '../cds/cds.ts'
import type { Fleet } from '../fleet/fleet.ts'
import { type FleetVm, isProvisionName } from '../fleet/fleet-index.ts'
import type { UnderWay } from '../fleet/under-way.ts'
import { readWorkerNote } from '../fleet/worker-note.ts'
import type { WorkerPool } from '../gates/worker-pool.ts'
import { Rounds } from '../rounds.ts'
import type { HatcherySettings } from '../settings.ts'
import type { SpawnRecords } from '../spawn/spawn-records.ts'
import { afterLoss, afterRemoval, beforeRemoval } from './around-removal.ts'
import { type Fate, fateByEvents, fateByStart, finished, isDue } from './fate.ts'
import type { Removal } from './removal.ts'
import { vmsOfSpawns } from './vms-of-spawns.ts'

/** What a cleaner works with. */
export interface CleanerOptions {
  readonly settings: HatcherySettings
  readonly platform: Platform
  readonly cds: Cds
  readonly fleet: Fleet
  readonly underWay: UnderWay
  readonly records: SpawnRecords
  readonly pool: WorkerPool
  readonly removal: Removal
  readonly clock: Clock
  readonly log: Log
  /** Told when a VM is gone: there may be room again. */
  readonly onRemoved?: (() => void) | undefined
}

type Workers = ReadonlyMap<string, RegisteredWorker>

/** How long after a worker went off it is looked at: by then CDS knows that its worker has left. */
const lookAfterOff = 5_000

/** How long the events of one VM may take to be read. */
const eventsLimit = 30_000

/**
 * Removes VMs that have done their work, or never will (hatchery §8): those that somebody marked, those whose workers lived too long,
 * did not register, finished or were disabled. Only own ones, only while the inventory is live and both lists of workers are read,
 * and never one that this program works on.
 */
export class Cleaner {
  readonly #options: CleanerOptions
  readonly #awol: Rounds
  readonly #disabled: Rounds
  /** VMs of which nothing tells since when they are there, with when they were seen first. */
  #firstSeen = new Map<string, number>()
  readonly #removing = new Map<string, Promise<void>>()
  /** Why VMs are to go that are not gone yet, by id: what it was at first, however often they are tried. */
  #reasons = new Map<string, string>()
  /** VMs, by id, of which CDS knows all that it is to know before they go. */
  #reported = new Set<string>()
  /** Workers' VMs that others removed, by id, and whose jobs nobody has looked at yet. */
  readonly #vanished = new Map<string, FleetVm>()
  /** Whether CDS could not be asked the last time: it is said once. */
  #isCdsAway = false
  #forget = () => {}

  constructor(options: CleanerOptions) {
    const { settings, clock, log } = options
    this.#options = options
    const every = settings.killAwolInterval
    const rounds = (name: string, round: (signal: AbortSignal) => Promise<void>) =>
      new Rounds({ name: `hatchery-vsphere-${name}`, every, atOnce: false, clock, log, round })
    this.#awol = rounds('kill-awol-servers', signal => this.killAwol(signal))
    this.#disabled = rounds('kill-disable-workers', signal => this.killDisabled(signal))
  }

  /**
   * Begins. The first pass comes after one interval, so that everything begun before can be taken up again; sooner if a worker has gone
   * off while nobody looked, so that it does not count for long.
   */
  start(): void {
    const { platform, fleet, clock } = this.#options
    this.#forget = platform.inventory.onChange(change => this.#expect(change))
    const there = platform.inventory.state.kind === 'live' ? fleet.workers() : []
    if (there.some(({ vm }) => vm.power === 'off')) this.#awol.requestAt(clock.now() + lookAfterOff)
    this.#awol.start()
    this.#disabled.start()
  }

  async stop(): Promise<void> {
    this.#forget()
    await Promise.all([this.#awol.stop(), this.#disabled.stop()])
    await Promise.all(this.#removing.values())
  }

  /** VMs were marked for removal: the next pass comes soon. */
  request(): void {
    this.#awol.request()
  }

  /** Whether its loops are alive, by the names that CDS's status shows. */
  get health(): ReadonlyMap<string, boolean> {
    return new Map([this.#awol, this.#disabled].map(rounds => [rounds.name, rounds.isHealthy]))
  }

  /** One pass over own VMs. Resolves when it is decided which are to go; they go beside the passes, so that a stuck one holds up none. */
  async killAwol(signal: AbortSignal): Promise<void> {
    const { platform, fleet, underWay, log, clock } = this.#options
    if (platform.inventory.state.kind !== 'live') return log.info('nothing is cleaned up while the inventory is not live')
    const workers = await this.#workers(signal)
    if (platform.inventory.state.kind !== 'live') return log.info('nothing is cleaned up while the inventory is not live')
    // What is marked was decided on before: it goes whether or not CDS can be asked.
    for (const each of fleet.own()) if (this.#isMarked(each)) this.#remove(each, workers, 'it was marked for removal', signal)
    if (workers === undefined) return
    this.#forgetGone(fleet.own())
    const candidates = this.#candidates()
    const judge = async (each: FleetVm) => {
      const fate = await this.#fate(each, workers.has(each.vm.name), signal)
      const isStillSo = platform.inventory.state.kind === 'live' && !underWay.has(each.vm) && this.#isAsSeen(each.vm)
      const isOver = isDue(fate, clock.now())
      if (isOver && isStillSo) this.#remove(each, workers, fate.why, signal)
      // Until then it counts as a worker, because it may be about to be switched on.
      if (!isOver && each.vm.power === 'off' && fate.expires !== undefined) this.#awol.requestAt(fate.expires + 1)
    }
    const lost = this.#options.pool.lost().map(worker => afterLoss(this.#options, worker, signal))
    await Promise.allSettled([...candidates.map(judge), ...lost, ...this.#afterVanishing(workers, signal)])
  }

  /** Marks the VMs of workers that are disabled; the next pass over all VMs removes them. */
  async killDisabled(signal: AbortSignal): Promise<void> {
    const { platform, fleet, pool, underWay, log } = this.#options
    if ((await this.#workers(signal)) === undefined || platform.inventory.state.kind !== 'live') return
    const isTaken = this.#taken()
    let marked = 0
    for (const { name, status } of pool.workers()) {
      const found = status === 'Disabled' ? fleet.ownNamed(name) : undefined
      if (found === undefined || found.vm.template || found.note.model || isProvisionName(name) || isTaken(found.vm)) continue
      // By its id: a VM that is renamed in between is still the same.
      underWay.doomed.add(found.vm.id)
      marked++
      log.info('the VM of a disabled worker is marked for removal', { worker: name, vm: found.vm.id })
    }
    if (marked > 0) this.request()
  }

  /** A worker that has just gone off is done: its room is needed before the next interval is over. One that vanished leaves a job. */
  #expect(change: VmChange): void {
    const { old, now: vm } = change
    if (vm === undefined) return this.#expectVanished(change)
    if (old?.power !== 'on' || vm.power !== 'off') return
    const { settings, clock } = this.#options
    const note = readWorkerNote(vm)
    if (note === undefined || note.hatcheryName !== settings.name || note.provisioning || note.model) return
    this.#awol.requestAt(clock.now() + lookAfterOff)
  }

  /** Somebody else removed the VM of a worker, perhaps before CDS heard of it: then nobody but us knows that its job has none. */
  #expectVanished({ old }: VmChange): void {
    const { settings, clock, removal, underWay } = this.#options
    const note = old === undefined ? undefined : readWorkerNote(old)
    if (old === undefined || note === undefined || note.hatcheryName !== settings.name) return
    if (note.jobId === '' || note.provisioning || note.model) return
    if (removal.isGoing(old.id) || this.#removing.has(old.id) || underWay.has(old)) return
    this.#vanished.set(old.id, { vm: old, note })
    this.#awol.requestAt(clock.now() + lookAfterOff)
  }

  /** Gives back the jobs of VMs that others removed, where that is right. One that is there again was never gone. */
  #afterVanishing(workers: Workers, signal: AbortSignal): readonly Promise<void>[] {
    const { platform } = this.#options
    const gone = Array.from(this.#vanished.values()).filter(({ vm }) => platform.inventory.byId(vm.id) === undefined)
    this.#vanished.clear()
    return gone.map(each => afterRemoval(this.#options, each, workers.get(each.vm.name), signal))
  }

  /** The workers that CDS has at this moment, by name; undefined, and said once, if either list cannot be read. */
  async #workers(signal: AbortSignal): Promise<Workers | undefined> {
    const { pool, log } = this.#options
    try {
      await pool.refresh(signal, 0)
      const workers = new Map(pool.registered().map(worker => [worker.name, worker]))
      if (this.#isCdsAway) log.info('it is known again which workers CDS has')
      this.#isCdsAway = false
      return workers
    } catch (error) {
      signal.throwIfAborted()
      // Both loops meet the same outage again and again.
      log[this.#isCdsAway ? 'debug' : 'warn']('workers are not cleaned up, because it is not known which ones CDS has', { error })
      this.#isCdsAway = true
      return undefined
    }
  }

  #isMarked({ vm }: FleetVm): boolean {
    const { underWay, removal } = this.#options
    return underWay.doomed.has(vm.id) && !underWay.has(vm) && !removal.isGoing(vm.id) && !this.#removing.has(vm.id)
  }

  /** Own VMs that are workers, or were, and that nobody works on. Those that stand ready are the provisioner's. */
  #candidates(): readonly FleetVm[] {
    const { fleet, underWay } = this.#options
    const isTaken = this.#taken()
    const isOfPool = ({ vm, note }: FleetVm) => isProvisionName(vm.name) && note.provisioning
    return fleet.own().filter(each => !isOfPool(each) && !underWay.doomed.has(each.vm.id) && !isTaken(each.vm))
  }

  /** Tells whether this program works on a VM, or its last run did and nobody has taken that up yet. */
  #taken(): (vm: Vm) => boolean {
    const { underWay, records, clock } = this.#options
    const spawns = vmsOfSpawns(records.all(), clock.now())
    return vm => underWay.has(vm) || spawns.has(vm)
  }

  /** Whether a VM that was judged is still what it was then. */
  #isAsSeen(vm: Vm): boolean {
    const now = this.#options.platform.inventory.byId(vm.id)
    return now !== undefined && now.name === vm.name && now.annotation === vm.annotation && now.power === vm.power
  }

  async #fate({ vm, note }: FleetVm, isRegistered: boolean, signal: AbortSignal): Promise<Fate> {
    const { settings, log, fleet } = this.#options
    if (!isRegistered && fleet.hasFinished(vm)) return finished
    if (note.workerStartTime !== undefined) return fateByStart(vm.power, isRegistered, note.workerStartTime, settings)
    let events: readonly PlatformEvent[]
    try {
      events = await this.#events(vm.id, signal)
    } catch (error) {
      log.warn('a VM is kept, because what happened to it could not be read', { vm: vm.name, error })
      return { expires: undefined, why: '' }
    }
    const told = fateByEvents(events, isRegistered, settings)
    return told ?? fateByStart(vm.power, isRegistered, note.created ?? this.#seenFirst(vm), settings)
  }

  async #events(id: string, signal: AbortSignal): Promise<readonly PlatformEvent[]> {
    const { platform, clock } = this.#options
    using deadline = clock.deadline(eventsLimit, signal)
    return await platform.events(id, deadline.signal)
  }

  #seenFirst({ id }: Vm): number {
    const now = this.#options.clock.now()
    const seen = this.#firstSeen.get(id) ?? now
    this.#firstSeen.set(id, seen)
    return seen
  }

  #forgetGone(there: readonly FleetVm[]): void {
    const ids = new Set(there.map(({ vm }) => vm.id))
    const isThere = ([id]: readonly [string, unknown]) => ids.has(id)
    this.#firstSeen = new Map(Array.from(this.#firstSeen).filter(isThere))
    this.#reasons = new Map(Array.from(this.#reasons).filter(isThere))
    this.#reported = this.#reported.intersection(ids)
  }

  #remove(each: FleetVm, workers: Workers | undefined, given: string, signal: AbortSignal): void {
    const { removal, underWay, log, onRemoved } = this.#options
    const { id, name } = each.vm
    const why = this.#reasons.get(id) ?? given
    this.#reasons.set(id, why)
    underWay.doomed.add(id)
    const work = async () => {
      // Once: CDS counts each report against the model, and leaves it alone after a few.
      if (!this.#reported.has(id) && (await beforeRemoval(this.#options, each, why, signal))) this.#reported.add(id)
      await removal.remove(each.vm, why, signal)
      onRemoved?.()
      // Without the list nobody knows whether its worker finished, and so what is right for its job.
      if (workers !== undefined) await afterRemoval(this.#options, each, workers.get(name), signal)
    }
    const ended = work().catch((error: unknown) => {
      if (!signal.aborted) log.warn('a VM could not be removed; the next pass tries again', { vm: name, error })
    })
    this.#removing.set(
      id,
      ended.finally(() => this.#removing.delete(id)),
    )
  }
}
