import { addressRivals, firstRival, InventoryNotLive, type Inventory, type Platform, type Size, type Vm } from '../../platform/index.ts'
import type { HatcherySettings } from '../settings.ts'
import { Finished } from './finished.ts'
import { type FleetVm, fleetIndex, fleetKey, fleetKeys, isProvisionName, isWhole, provisionVersion } from './fleet-index.ts'
import { Shelves } from './shelves.ts'
import { isRegisterName, type Sum, Tally } from './tally.ts'
import type { UnderWay } from './under-way.ts'
import { readWorkerNote, type WorkerNote } from './worker-note.ts'

/** What a fleet is seen through. */
export interface FleetOptions {
  readonly settings: Pick<HatcherySettings, 'name' | 'countForeignVms'>
  readonly platform: Pick<Platform, 'name' | 'inventory'>
  readonly underWay: UnderWay
}

/** The sums that metrics show. */
export interface FleetTotals {
  /** VMs of this hatchery, workers and those that stand ready, on or off. */
  readonly own: Sum
  /** Of these, those that stand ready or are being made so. */
  readonly provisions: Sum
  /** Templates of worker models that this hatchery made. */
  readonly templates: Sum
  /** Everything on the platform, whoever's, templates included. */
  readonly pool: Sum
}

/** How many workers are started, and how many of these only register a model. */
export interface StartedCount {
  readonly all: number
  readonly registering: number
}

/**
 * The live inventory as a hatchery sees it. Everything is answered from memory and from indexes: no answer looks at all VMs but the
 * ones that say so. Every answer throws InventoryNotLive unless the picture is live, so that "not known" is never taken for "none".
 * "Own" is what carries this hatchery's name in its note.
 */
export class Fleet {
  readonly name: string
  readonly #platform: FleetOptions['platform']
  readonly #inventory: Inventory
  readonly #underWay: UnderWay
  readonly #countForeignVms: boolean
  readonly #forget: () => void
  /** Undefined until the picture was live for the first time and somebody asked. */
  #tally: Tally | undefined
  /** The same. */
  #shelves: Shelves | undefined
  readonly #finished: Finished
  #known: ReadonlySet<string> = new Set()
  /** What was read from annotations, as long as they are what they were. */
  readonly #notes = new WeakMap<object, WorkerNote>()

  constructor({ settings, platform, underWay }: FleetOptions) {
    this.name = settings.name
    this.#countForeignVms = settings.countForeignVms
    this.#platform = platform
    this.#inventory = platform.inventory
    this.#underWay = underWay
    this.#finished = new Finished(this.name)
    this.#inventory.index(fleetIndex, fleetKeys)
    this.#forget = this.#inventory.onChange(change => {
      this.#tally?.apply(change)
      this.#finished.apply(change)
      const { now } = change
      this.#shelves?.apply(change, now !== undefined && isProvisionName(now.name) ? this.#withNote(now) : undefined)
      if (change.now === undefined && change.old !== undefined) underWay.doomed.delete(change.old.id)
    })
  }

  /** Ends the counting. */
  stop(): void {
    this.#forget()
  }

  /** Every own VM that is neither a template nor meant to become one: workers, registrations, provisions. */
  own(): readonly FleetVm[] {
    return this.#by(fleetKey.owner(this.name))
  }

  /** Own workers and registrations: a claimed VM from its renaming on. Also those that are off or doomed. */
  workers(): readonly FleetVm[] {
    return this.own().filter(({ vm }) => !isProvisionName(vm.name))
  }

  /** Own VMs that stand ready or are being made so, whatever their state. For one model, or for all of a version. */
  provisions(version: 1 | 2, model?: string): readonly FleetVm[] {
    return this.#by(model === undefined ? fleetKey.provisions(this.name, version) : fleetKey.provision(this.name, version, model))
  }

  /**
   * Own VMs that stand ready for a model (V1 `group/name`, V2 the template), oldest first: powered off, whole, not under way, not
   * doomed, alone with its address. Of one flavor, or of none if it is empty; without it all of them. Each is looked at when it is
   * asked for. Whoever reads the Spawn records of an earlier run enters what is half made in `UnderWay.unfinished` before anything
   * is claimed.
   */
  ready(version: 1 | 2, model: string, flavor?: string): IteratorObject<FleetVm> {
    const shelves = this.#shelved()
    const shelf = flavor === undefined ? shelves.all(version, model) : shelves.of(version, model, flavor)
    return shelf.values().filter(each => this.isReady(each))
  }

  /**
   * Whether another VM has the address of this one, or is to have it: another hatchery made one at the same moment, or leases were
   * lost in the middle of a clone. Then it may not be started while the other is there.
   */
  isContested({ vm, note: { ipAddress } }: FleetVm): boolean {
    if (ipAddress === '') return false
    return addressRivals(this.#inventory, { id: vm.id, address: ipAddress }).length > 0
  }

  /** Whether a VM must leave its address to another one that has it, or is to have it. */
  mustYield({ vm, note: { ipAddress } }: FleetVm): boolean {
    if (ipAddress === '') return false
    return firstRival(vm.id, addressRivals(this.#inventory, { id: vm.id, address: ipAddress })) !== undefined
  }

  /** Whether an own VM can be claimed now. */
  isReady({ vm, note }: FleetVm): boolean {
    return (
      vm.power === 'off' &&
      note.hatcheryName === this.name &&
      provisionVersion({ vm, note }) !== undefined &&
      isWhole({ note }) &&
      !this.#underWay.has(vm) &&
      !this.#underWay.doomed.has(vm.id) &&
      !this.#underWay.unfinished.has(vm.name) &&
      !this.isContested({ vm, note })
    )
  }

  /** VMs of any owner that are there for a job. */
  holdersOfJob(jobId: string): readonly FleetVm[] {
    return this.#by(fleetKey.job(jobId))
  }

  /** A template of that name, whoever made it, with a note or without. */
  template(name: string): Vm | undefined {
    return this.#inventory.byName(name).find(vm => vm.template)
  }

  /** The template that was built for a worker model: one with `model: true`, an own one if there are several. */
  modelTemplate(name: string): FleetVm | undefined {
    const found = this.#by(fleetKey.modelTemplate(name))
    return found.find(({ note }) => note.hatcheryName === this.name) ?? found[0]
  }

  /** Templates of worker models that this hatchery made, and those that it is making. */
  modelTemplates(): readonly FleetVm[] {
    return this.#by(fleetKey.models(this.name))
  }

  /** VMs of any owner that register a V1 worker model, by its `group/name`. */
  registrationsOf(path: string): readonly FleetVm[] {
    return this.#by(fleetKey.registering(path))
  }

  /** VMs and templates of any owner by name. */
  named(name: string): readonly Vm[] {
    return this.#inventory.byName(name)
  }

  /** An own VM by name; undefined if there is none. */
  ownNamed(name: string): FleetVm | undefined {
    const isOwn = ({ note }: FleetVm) => note.hatcheryName === this.name
    return this.#withNotes(this.#inventory.byName(name)).find(isOwn)
  }

  /**
   * Whether the VM of a worker is there: an own one of that name, or one without any hatchery's note. With `countForeignVms` any.
   */
  hasWorker(name: string): boolean {
    const tally = this.#counted()
    if (tally.hasWorker('own', name)) return true
    if (!tally.hasWorker('foreign', name)) return false
    return this.#countForeignVms || this.#inventory.byName(name).some(vm => !vm.template && (readWorkerNote(vm)?.hatcheryName ?? '') === '')
  }

  /**
   * How many workers are started by what the platform shows: own VMs but templates and `provision-…`, registered in CDS or not, that
   * are on or may be about to be switched on. What this process does is not among the latter: it counts in `UnderWay` until it is on.
   * With `countForeignVms` all VMs of others besides, on or off, as the original counts. Of all, `registering` begin with `register-`.
   */
  startedCount(): StartedCount {
    const tally = this.#counted()
    return this.#withOthers(whose => tally.startedCount(whose), this.#awaited(tally))
  }

  /** How many of them CDS does not know, by what `know` was last told. */
  unknownCount(): StartedCount {
    const tally = this.#counted()
    const awaited = this.#awaited(tally).filter(name => !this.#known.has(name))
    return this.#withOthers(whose => tally.unknownCount(whose), awaited)
  }

  /** Tells the names of the workers that CDS knows. The pool of workers does so whenever it has read them. */
  know(names: ReadonlySet<string>): void {
    this.#known = names
    this.#tally?.know(names)
  }

  /** Whether the VM of a worker that is being started is on, so that it counts here and no longer as under way. */
  isStarted(name: string): boolean {
    const tally = this.#counted()
    return tally.isStarted('own', name) || (this.#countForeignVms && tally.isStarted('foreign', name))
  }

  /** Their names. With `countForeignVms` this looks at every VM. */
  startedNames(): readonly string[] {
    const tally = this.#counted()
    const foreign = this.#countForeignVms ? tally.startedNames('foreign') : []
    return [...tally.startedNames('own'), ...this.#awaited(tally), ...foreign]
  }

  /** Whether this process saw an own worker's VM go off, and not on again: it is done. */
  hasFinished({ id }: Pick<Vm, 'id'>): boolean {
    return this.#finished.has(id)
  }

  /**
   * What own VMs take that are not off, templates aside, and what is under way and not on yet.
   * Off VMs take neither CPU nor memory: those that stand ready must not keep jobs from running.
   */
  allocated(coming = this.coming()): Size {
    const running = this.#counted().sum('running')
    return { cpus: running.cpus + coming.cpus, memoryMB: running.memoryMB + coming.memoryMB }
  }

  /** What is under way and will take CPUs and memory, but does not yet. */
  coming(): Size {
    const tally = this.#counted()
    let [cpus, memoryMB] = [0, 0]
    for (const { vmId, vmName, size } of this.#underWay.all()) {
      // Once its VM is on it counts itself.
      if (vmId === undefined ? tally.isRunning(vmName) : isOn(this.#inventory.byId(vmId))) continue
      cpus += size.cpus
      memoryMB += size.memoryMB
    }
    return { cpus, memoryMB }
  }

  /** What metrics show. */
  totals(): FleetTotals {
    const tally = this.#counted()
    return { own: tally.sum('own'), provisions: tally.sum('provisions'), templates: tally.sum('models'), pool: tally.sum('all') }
  }

  /**
   * Names of own workers' VMs that are off and may be about to be switched on, though not by this process: an earlier run claimed or
   * made them right before its end. What went off before our eyes is done, and what is doomed never comes.
   */
  #awaited(tally: Tally): readonly string[] {
    const { doomed } = this.#underWay
    const mayCome = (vm: Vm) => !this.#finished.has(vm.id) && !doomed.has(vm.id) && !this.#underWay.has(vm)
    return Iterator.from(tally.offWorkers())
      .filter(mayCome)
      .map(({ name }) => name)
      .toArray()
  }

  /** Adds what is awaited, and what is foreign if that counts. */
  #withOthers(count: (whose: 'own' | 'foreign') => StartedCount, awaited: readonly string[]): StartedCount {
    const coming = { all: awaited.length, registering: awaited.filter(isRegisterName).length }
    const own = sumOf(count('own'), coming)
    return this.#countForeignVms ? sumOf(own, count('foreign')) : own
  }

  #by(key: string): readonly FleetVm[] {
    return this.#withNotes(this.#inventory.by(fleetIndex, key))
  }

  #withNotes(vms: readonly Vm[]): readonly FleetVm[] {
    return vms.flatMap(vm => this.#withNote(vm) ?? [])
  }

  #withNote(vm: Vm): FleetVm | undefined {
    const note = this.#noteOf(vm)
    return note === undefined ? undefined : { vm, note }
  }

  #noteOf(vm: Vm): WorkerNote | undefined {
    if (typeof vm.note !== 'object' || vm.note === null) return undefined
    const known = this.#notes.get(vm.note)
    if (known !== undefined) return known
    const note = readWorkerNote(vm)
    if (note !== undefined) this.#notes.set(vm.note, note)
    return note
  }

  #counted(): Tally {
    this.#mustBeLive()
    return (this.#tally ??= new Tally(this.name, this.#inventory.all(), this.#known))
  }

  #shelved(): Shelves {
    this.#mustBeLive()
    return (this.#shelves ??= new Shelves(this.name, [...this.provisions(1), ...this.provisions(2)]))
  }

  #mustBeLive(): void {
    const { state } = this.#inventory
    if (state.kind !== 'live') throw InventoryNotLive({ platform: this.#platform.name, why: state.why })
  }
}

function sumOf(one: StartedCount, other: StartedCount): StartedCount {
  return { all: one.all + other.all, registering: one.registering + other.registering }
}

function isOn(vm: Vm | undefined): boolean {
  return vm !== undefined && !vm.template && vm.power !== 'off'
}
