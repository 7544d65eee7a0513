import {
  type Capacity,
  ClaimLost,
  type ClaimRequest,
  type CloneRequest,
  type GuestCommand,
  type GuestProgram,
  IndexedInventory,
  NameTaken,
  type Platform,
  PlatformFault,
  type PlatformEvent,
  type PlatformTask,
  type Vm,
  waitForVm,
  WrongPower,
} from '../../platform/index.ts'
import { type Chance, type Clock, Unreachable } from '../../ports/index.ts'
import { exitOf, programsOf, shutDownGuest, startProgram } from './guest.ts'
import { Link } from './link.ts'
import { Reaching, type Step } from './reaching.ts'
import type { SimulatedWorld } from './world.ts'

const minute = 60_000

/** How long a call as a whole may take, waits and retries included. */
const limits = { task: 5 * minute, clone: 30 * minute, guest: 15 * minute, call: minute }

/** Who connects to which world. */
export interface SimulatedPlatformOptions {
  readonly world: SimulatedWorld
  readonly chance: Chance
  readonly name?: string
}

/** Connects to a simulated world. Several may be connected to one; each sees the others' VMs as foreign. */
export function simulatedPlatform(options: SimulatedPlatformOptions): SimulatedPlatform {
  return new SimulatedPlatform(options)
}

/** A platform that is simulated on the level of the Platform interface: the client's side of it. */
export class SimulatedPlatform implements Platform {
  readonly name: string
  readonly inventory: IndexedInventory
  readonly #world: SimulatedWorld
  readonly #clock: Clock
  readonly #chance: Chance
  readonly #link: Link
  readonly #reaching: Reaching

  constructor({ world, chance, name = 'simulated' }: SimulatedPlatformOptions) {
    this.name = name
    this.inventory = new IndexedInventory(name, world.clock)
    this.#world = world
    this.#clock = world.clock
    this.#chance = chance
    this.#link = new Link(name, world, this.inventory)
    this.#reaching = new Reaching(this.#link, world, chance)
  }

  clone(request: CloneRequest, signal: AbortSignal): Promise<Vm> {
    const world = this.#world
    const look = () => {
      const there = world.byName(request.name)
      if (there !== undefined && !request.isOurs(there)) throw NameTaken({ name: request.name })
      return there
    }
    const start = (key: string) => {
      world.templateNamed(request.template)
      world.freeName(request.name)
      const span = world.canLink(request) ? world.timings.linkedClone : world.timings.fullClone
      return world.begin('clone', request.name, key, span, () => world.makeClone(request))
    }
    return this.#reach({ operation: 'clone', target: request.name, limit: limits.clone, busyFor: limits.clone, look, start }, signal)
  }

  claim(request: ClaimRequest, signal: AbortSignal): Promise<Vm> {
    const world = this.#world
    const { id, expectedName, name, annotation } = request
    const look = () => {
      const { vm } = world.mustFind(id)
      const { cpus = vm.cpus, memoryMB = vm.memoryMB } = request
      if (vm.name === name && vm.annotation === annotation && vm.cpus === cpus && vm.memoryMB === memoryMB) return vm
      if (vm.name !== expectedName && vm.name !== name) throw ClaimLost({ name: expectedName, why: `it is now named "${vm.name}"` })
      if (vm.power !== 'off') throw ClaimLost({ name: expectedName, why: `it is powered ${vm.power}` })
      if (vm.template) throw ClaimLost({ name: expectedName, why: 'it is a template now' })
      return undefined
    }
    const effect = () => {
      const done = look()
      if (done !== undefined) return done
      const { vm } = world.mustFind(id)
      const { cpus = vm.cpus, memoryMB = vm.memoryMB, diskGB } = request
      if (diskGB !== undefined) world.growDisk(id, diskGB)
      return world.changeVm(id, { name, annotation, cpus, memoryMB })
    }
    const start = (key: string) => {
      if (world.mustFind(id).vm.name !== name) world.freeName(name)
      return world.begin('claim', id, key, world.timings.change, effect)
    }
    return this.#reach({ operation: 'claim', target: id, limit: limits.task, look, start }, signal)
  }

  async diskGB(id: string, signal: AbortSignal): Promise<number | undefined> {
    return await this.#read('diskGB', () => this.#world.mustFind(id).disk.sizeGB, signal)
  }

  rename(id: string, name: string, signal: AbortSignal): Promise<Vm> {
    const world = this.#world
    const isCalled = (vm: Vm) => {
      if (vm.name !== name) world.freeName(name)
      return vm.name === name
    }
    return this.#change(id, 'rename', isCalled, () => world.changeVm(id, { name }), signal)
  }

  annotate(id: string, annotation: string, signal: AbortSignal): Promise<Vm> {
    const world = this.#world
    return this.#change(
      id,
      'annotate',
      vm => vm.annotation === annotation,
      () => world.changeVm(id, { annotation }),
      signal,
    )
  }

  powerOn(id: string, signal: AbortSignal): Promise<Vm> {
    const world = this.#world
    const isOn = (vm: Vm) => {
      if (vm.template) throw PlatformFault({ what: `powering on "${vm.name}"`, fault: 'it is a template' })
      return vm.power === 'on'
    }
    return this.#change(id, 'powerOn', isOn, () => world.switchPower(id, 'on'), signal)
  }

  powerOff(id: string, signal: AbortSignal): Promise<Vm> {
    const world = this.#world
    return this.#change(
      id,
      'powerOff',
      vm => vm.power === 'off',
      () => world.switchPower(id, 'off'),
      signal,
    )
  }

  markAsTemplate(id: string, signal: AbortSignal): Promise<Vm> {
    const world = this.#world
    const isTemplate = (vm: Vm) => {
      if (!vm.template && vm.power !== 'off') throw WrongPower({ name: vm.name, power: vm.power, wanted: 'off' })
      return vm.template
    }
    return this.#change(id, 'markAsTemplate', isTemplate, () => world.changeVm(id, { template: true }), signal)
  }

  async shutDown(id: string, signal: AbortSignal): Promise<void> {
    using deadline = this.#clock.deadline(limits.call, signal)
    let asked = false
    await this.#reaching.persist(deadline.signal, async () => {
      const ask = () => {
        const record = this.#world.mustFind(id)
        // A reply was lost, and the guest did what it was asked.
        if (asked && (record.shuttingDown || record.vm.power === 'off')) return
        shutDownGuest(this.#world, record)
      }
      try {
        await this.#link.send('shutDown', ask, deadline.signal)
      } catch (error) {
        if (Unreachable.is(error) && error.details.sent) asked = true
        throw error
      }
    })
  }

  async waitForAddress(id: string, accept: (address: string) => boolean, signal: AbortSignal): Promise<string> {
    using deadline = this.#clock.deadline(limits.guest, signal)
    await this.inventory.whenLive(deadline.signal)
    return await waitForVm(this.inventory, id, vm => vm.addresses.find(accept), deadline.signal)
  }

  async waitForGuest(id: string, signal: AbortSignal): Promise<void> {
    using deadline = this.#clock.deadline(limits.guest, signal)
    await this.inventory.whenLive(deadline.signal)
    await waitForVm(this.inventory, id, vm => vm.guestReady || undefined, deadline.signal)
  }

  async runInGuest(id: string, command: GuestCommand, signal: AbortSignal): Promise<number> {
    using deadline = this.#clock.deadline(limits.call, signal)
    // The guest knows a program that was started by an unanswered call by its key.
    const key = this.#chance.uuid()
    const start = () => startProgram(this.#world, this.#world.mustFind(id), command, key)
    return await this.#reaching.persist(deadline.signal, () => this.#link.send('runInGuest', start, deadline.signal))
  }

  async guestExit(
    id: string,
    process: number,
    credentials: Pick<GuestCommand, 'user' | 'password'>,
    signal: AbortSignal,
  ): Promise<number | undefined> {
    return await this.#read('guestExit', () => exitOf(this.#world.mustFind(id), process, credentials), signal)
  }

  async guestPrograms(
    id: string,
    credentials: Pick<GuestCommand, 'user' | 'password'>,
    signal: AbortSignal,
  ): Promise<readonly GuestProgram[]> {
    return await this.#read('guestPrograms', () => programsOf(this.#world.mustFind(id), credentials), signal)
  }

  async destroy(id: string, signal: AbortSignal): Promise<void> {
    const world = this.#world
    const look = () => (world.find(id) === undefined ? { gone: true } : undefined)
    const start = (key: string) =>
      world.begin('destroy', id, key, world.timings.destroy, () => {
        world.removeVm(id)
        return { gone: true }
      })
    await this.#reach({ operation: 'destroy', target: id, limit: limits.task, look, start }, signal)
    this.inventory.removed(id)
  }

  async capacity(resourcePool?: string): Promise<Capacity> {
    const { state } = this.inventory
    if (state.kind !== 'live') throw Unreachable({ target: this.name, why: state.why, sent: false })
    return this.#world.capacity(resourcePool)
  }

  tasks(): readonly PlatformTask[] {
    return this.#world.tasks()
  }

  async events(id: string, signal: AbortSignal): Promise<readonly PlatformEvent[]> {
    return await this.#read('events', () => this.#world.events(id), signal)
  }

  async close(): Promise<void> {
    this.#link.close()
  }

  /** The program that used this client is gone from one moment to the next; the world goes on. No call is ever answered again. */
  crash(): void {
    this.#link.crash()
  }

  /** Changes one VM in a task of its own, unless it is as wanted. */
  #change(id: string, operation: string, isDone: (vm: Vm) => boolean, effect: () => Vm, signal: AbortSignal): Promise<Vm> {
    const world = this.#world
    const look = () => {
      const { vm } = world.mustFind(id)
      return isDone(vm) ? vm : undefined
    }
    const span = operation.startsWith('power') ? world.timings.power : world.timings.change
    const start = (key: string) => world.begin(operation, id, key, span, () => look() ?? effect())
    return this.#reach({ operation, target: id, limit: limits.task, look, start }, signal)
  }

  async #reach<T>(step: Step<T>, signal: AbortSignal): Promise<T> {
    const reached = await this.#reaching.reach(step, signal)
    if (isVm(reached)) this.inventory.wrote(reached)
    return reached
  }

  #read<T>(operation: string, read: () => T, signal: AbortSignal): Promise<T> {
    return this.#reaching.persist(signal, () => this.#link.ask(operation, read, signal))
  }
}

function isVm(value: unknown): value is Vm {
  return typeof value === 'object' && value !== null && 'annotation' in value
}
