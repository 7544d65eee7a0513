import {
  Busy,
  type Capacity,
  type CloneRequest,
  DiskNotGrown,
  NameTaken,
  NoCapacity,
  noteOf,
  NotThere,
  type PlatformEvent,
  type PlatformTask,
  type Vm,
} from '../../platform/index.ts'
import type { Chance, Clock } from '../../ports/index.ts'
import { boot, stopGuest } from './guest.ts'
import type { GuestProgram } from './guest-process.ts'
import { Hosts } from './hosts.ts'
import { LinkFaults } from './link-faults.ts'
import { TaskList } from './task-list.ts'
import { type Span, usualHosts, usualTimings, type WorldOptions, type WorldPool, type WorldTimings } from './world-options.ts'
import type { WorldTask } from './world-task.ts'
import type { WorldVm } from './world-vm.ts'

/** What a VM that somebody else makes is like. */
export type ForeignVm = { readonly name: string } & Partial<
  Pick<Vm, 'annotation' | 'power' | 'cpus' | 'memoryMB' | 'template' | 'addresses'>
>

/** What the world tells its clients. */
export interface WorldListener {
  changed(id: string, vm: Vm | undefined): void
  /** Sessions ended, or the platform no longer answers, or answers again. */
  disturbed(): void
}

/** GiB of a disk of which nobody said how large it is. */
const usualDisk = 20

/** How many events are kept; older ones age out. */
const mostEvents = 1_000

/**
 * A simulated platform's outside: hosts, templates, VMs, guests, tasks and events, which are there whether or not anybody is
 * connected. Clients come and go (`simulatedPlatform`); a crash of the program drops the client and keeps the world.
 * Whatever is left to chance comes from the seed, so that a run repeats itself.
 */
export class SimulatedWorld {
  readonly clock: Clock
  readonly chance: Chance
  readonly timings: WorldTimings
  /** What goes wrong between clients and this world. */
  readonly faults = new LinkFaults()
  readonly #hosts: Hosts
  readonly #pools: readonly WorldPool[]
  readonly #mostVms: number
  readonly #vms = new Map<string, WorldVm>()
  readonly #names = new Map<string, WorldVm>()
  readonly #tasks: TaskList
  readonly #listeners = new Set<WorldListener>()
  #events: PlatformEvent[] = []
  #programHook: ((program: GuestProgram) => void) | undefined
  #nextId = 1
  #session = 1
  #reachable = true
  #refusesSignIn = false

  constructor(options: WorldOptions) {
    this.clock = options.clock
    this.chance = options.chance
    this.timings = { ...usualTimings, ...options.timings }
    this.#tasks = new TaskList(options.clock)
    this.#hosts = new Hosts(options.hosts ?? usualHosts)
    this.#pools = options.pools ?? [{ name: 'Resources' }]
    this.#mostVms = options.mostVms ?? Infinity
    for (const template of options.templates ?? []) this.#insert({ ...template, template: true, power: 'off' }, { template })
  }

  /** Everything there is, as somebody with eyes in the world sees it. */
  vms(): readonly Vm[] {
    return Array.from(this.#vms.values(), ({ vm }) => vm)
  }

  find(id: string): WorldVm | undefined {
    return this.#vms.get(id)
  }

  byName(name: string): Vm | undefined {
    return this.#names.get(name)?.vm
  }

  /** The VM, or NotThere. */
  mustFind(id: string): WorldVm {
    const found = this.#vms.get(id)
    if (found === undefined) throw NotThere({ what: 'VM', name: id })
    return found
  }

  /** Addresses that more than one guest has at this moment: what must never be. */
  addressConflicts(): readonly string[] {
    const seen = new Map<string, number>()
    for (const { vm } of this.#vms.values()) for (const address of vm.addresses) seen.set(address, (seen.get(address) ?? 0) + 1)
    return Array.from(seen).flatMap(([address, holders]) => (holders > 1 ? [address] : []))
  }

  /** Somebody else makes a VM. It is there at once. */
  addVm(given: ForeignVm): Vm {
    const { vm } = this.#insert(given, {})
    return vm
  }

  /** Somebody changes a VM. It is so at once. */
  changeVm(id: string, change: Partial<Omit<Vm, 'id' | 'note'>>): Vm {
    const record = this.mustFind(id)
    if (change.name !== undefined && change.name !== record.vm.name) this.freeName(change.name)
    const old = record.vm
    const annotation = change.annotation ?? old.annotation
    record.vm = Object.freeze({ ...old, ...change, note: noteOf(annotation, old) })
    this.#hosts.changed(old, record.vm)
    if (record.vm.name !== old.name) {
      this.#names.delete(old.name)
      this.#names.set(record.vm.name, record)
      this.#happened(record.vm, 'renamed', `${old.name} is now ${record.vm.name}`)
    }
    this.#tell(id, record.vm)
    return record.vm
  }

  /** Somebody switches a VM on or off. It starts on the host that it is on, or moves if that has no room; NoCapacity if none has. */
  switchPower(id: string, power: 'on' | 'off'): Vm {
    const record = this.mustFind(id)
    if (record.vm.power === power) return record.vm
    stopGuest(record)
    if (power === 'off') {
      this.#happened(record.vm, 'poweredOff', `${record.vm.name} is powered off`)
      return this.changeVm(id, { power: 'off', addresses: [], guestReady: false })
    }
    const host = this.#hosts.startFor(record.vm)
    if (host === undefined) throw NoCapacity({ what: record.vm.name, why: 'no host has enough free CPU or memory' })
    this.#happened(record.vm, 'started', `${record.vm.name} is powered on`)
    const vm = this.changeVm(id, { power: 'on', bootedAt: this.clock.now(), host })
    boot(this, record)
    return vm
  }

  /** Somebody removes a VM, running or not. */
  removeVm(id: string): void {
    const record = this.#vms.get(id)
    if (record === undefined) return
    stopGuest(record)
    this.#vms.delete(id)
    this.#names.delete(record.vm.name)
    this.#hosts.changed(record.vm, undefined)
    this.#happened(record.vm, 'removed', `${record.vm.name} is removed`)
    this.#tell(id, undefined)
  }

  /** Makes a VM of a template, at the end of a clone. */
  makeClone(request: CloneRequest): Vm {
    this.freeName(request.name)
    if (this.#vms.size >= this.#mostVms) throw NoCapacity({ what: request.name, why: 'the datastore is full' })
    const source = this.templateNamed(request.template)
    const { cpus = source.vm.cpus, memoryMB = source.vm.memoryMB, name, annotation, guest } = request
    const pool = this.#pool(request.resourcePool).name
    const disk = { sizeGB: Math.max(source.disk.sizeGB, request.diskGB ?? 0), linked: this.canLink(request) }
    return this.#insert({ name, annotation, cpus, memoryMB }, { template: source.template, pool, guest, disk }).vm
  }

  templateNamed(name: string): WorldVm {
    const found = this.#names.get(name)
    if (found === undefined || !found.vm.template) throw NotThere({ what: 'template', name })
    return found
  }

  /** Whether a clone may share the disk of its template: one that must be larger cannot. */
  canLink({ template, linked, diskGB = 0 }: CloneRequest): boolean {
    return linked !== false && diskGB <= this.templateNamed(template).disk.sizeGB
  }

  /** Somebody makes the disk of a VM larger. DiskNotGrown if it cannot grow; one that is large enough stays as it is. */
  growDisk(id: string, sizeGB: number): void {
    const record = this.mustFind(id)
    if (sizeGB <= record.disk.sizeGB) return
    if (record.disk.linked) {
      const why = 'a linked clone shares the disk of its template'
      throw DiskNotGrown({ name: record.vm.name, has: record.disk.sizeGB, wanted: sizeGB, why })
    }
    record.disk = { sizeGB, linked: false }
  }

  /** Throws NameTaken if somebody has the name. */
  freeName(name: string): void {
    if (this.byName(name) !== undefined) throw NameTaken({ name })
  }

  /** Begins a task; Busy if another one holds the VM. */
  begin<T>(operation: string, target: string, key: string, span: Span, effect: () => T): WorldTask<T> {
    if (this.#tasks.on(target) !== undefined) throw Busy({ name: this.#vms.get(target)?.vm.name ?? target })
    return this.#tasks.begin({ operation, target, key, milliseconds: this.draw(span), effect })
  }

  taskByKey(key: string): WorldTask | undefined {
    return this.#tasks.byKey(key)
  }

  /** Ends a task without its effect. */
  cancelTask(key: string): void {
    this.#tasks.cancel(key)
  }

  tasks(): readonly PlatformTask[] {
    return this.#tasks.view()
  }

  events(id: string): readonly PlatformEvent[] {
    return this.#events.filter(event => event.vm === id)
  }

  /** A guest could not be given what the clone asked for. */
  refuseCustomization(id: string): void {
    const record = this.find(id)
    if (record !== undefined) this.#happened(record.vm, 'notCustomized', 'the customization failed: no network card could be set up')
  }

  capacity(pool: string | undefined): Capacity {
    return this.#hosts.capacity(this.#pool(pool))
  }

  /** The next task of this sort takes so long; Infinity for ever. */
  slowNext(operation: string, milliseconds: number): void {
    this.#tasks.slowNext(operation, milliseconds)
  }

  /** Every session ends: clients must sign in again. */
  expireSessions(): void {
    this.#session++
    this.#disturb()
  }

  /** From now on the platform answers nobody, or everybody again. */
  setReachable(reachable: boolean): void {
    this.#reachable = reachable
    this.#session++
    this.#disturb()
  }

  /** From now on the account's password is wrong, or right again. */
  refuseSignIn(refuse: boolean): void {
    this.#refusesSignIn = refuse
  }

  get session(): number {
    return this.#session
  }

  get reachable(): boolean {
    return this.#reachable
  }

  get refusesSignIn(): boolean {
    return this.#refusesSignIn
  }

  /** Who plays the programs that are started in guests. Without one they end with 0 after a while. */
  onProgram(hook: ((program: GuestProgram) => void) | undefined): void {
    this.#programHook = hook
  }

  get programHook(): ((program: GuestProgram) => void) | undefined {
    return this.#programHook
  }

  listen(listener: WorldListener): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** A length of time out of a span. */
  draw([from, to]: Span): number {
    return from + Math.floor(this.chance.fraction() * (to - from + 1))
  }

  #insert(given: ForeignVm, more: Partial<Pick<WorldVm, 'template' | 'pool' | 'guest' | 'disk'>>): WorldVm {
    this.freeName(given.name)
    const { name, annotation = '', power = 'off', cpus = 2, memoryMB = 4096, template = false, addresses = [] } = given
    const vm: Vm = Object.freeze({
      id: `vm-${this.#nextId++}`,
      name,
      template,
      power,
      cpus,
      memoryMB,
      annotation,
      note: noteOf(annotation, undefined),
      addresses: Object.freeze([...addresses]),
      guestReady: false,
      bootedAt: power === 'on' ? this.clock.now() : undefined,
      host: this.#hosts.homeFor({ cpus, memoryMB }),
    })
    const record: WorldVm = {
      vm,
      guest: more.guest,
      pool: more.pool ?? this.#pool(undefined).name,
      template: more.template,
      disk: more.disk ?? { sizeGB: more.template?.diskGB ?? usualDisk, linked: false },
      boots: 0,
      shuttingDown: false,
      processes: new Map(),
    }
    this.#vms.set(vm.id, record)
    this.#names.set(vm.name, record)
    this.#hosts.changed(undefined, vm)
    this.#happened(vm, 'created', `${name} is there`)
    this.#tell(vm.id, vm)
    return record
  }

  #pool(name: string | undefined): WorldPool {
    const pool = name === undefined ? this.#pools[0] : this.#pools.find(each => each.name === name)
    if (pool === undefined) throw NotThere({ what: 'resource pool', name: name ?? '(the default)' })
    return pool
  }

  #happened(vm: Vm, type: PlatformEvent['type'], message: string): void {
    this.#events.push(Object.freeze({ type, vm: vm.id, name: vm.name, time: this.clock.now(), message }))
    if (this.#events.length > mostEvents) this.#events = this.#events.slice(-mostEvents)
  }

  #tell(id: string, vm: Vm | undefined): void {
    for (const listener of this.#listeners) listener.changed(id, vm)
  }

  #disturb(): void {
    for (const listener of this.#listeners) listener.disturbed()
  }
}
