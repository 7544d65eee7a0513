import {
  NotThere,
  waitForVm,
  type Capacity,
  type ClaimRequest,
  type CloneRequest,
  type GuestCommand,
  type GuestProgram,
  type Inventory,
  type Platform,
  type PlatformEvent,
  type PlatformTask,
  type Vm,
} from '../platform/index.ts'
import { Unreachable } from '../ports/index.ts'
import type { VsphereConnection } from './connection.ts'
import { annotateVm } from './operations/annotate.ts'
import { answered } from './operations/carry-out.ts'
import { claimVm } from './operations/claim.ts'
import { cloneVm } from './operations/clone.ts'
import { destroyVm } from './operations/destroy.ts'
import { growDisk, readDisk } from './operations/disk.ts'
import { guestExit, guestPrograms, runInGuest } from './operations/guest.ts'
import { markAsTemplate } from './operations/mark-as-template.ts'
import { setPower, shutDownGuest } from './operations/power.ts'
import { renameVm } from './operations/rename.ts'
import { platformError } from './operations/translate.ts'
import { knownVm, vmRef } from './operations/vm-access.ts'
import type { VsphereHome } from './settings.ts'
import { queryEvents } from './vim/events.ts'
import { retrieveOne } from './vim/property-collector.ts'
import { capacityOf, poolPaths } from './watch/pool-feed.ts'

const usualCloneTimeout = 30 * 60_000
const usualTaskTimeout = 5 * 60_000
const waitTimeout = 30 * 60_000

/** What a call may take besides its tasks: the questions before, between and after them, asked again while vCenter does not answer. */
const askingTimeout = 2 * 60_000

/** How long the capacity of a pool that is not watched may be told from memory. */
const capacityAge = 10_000

/** What is done to a VM, for limits, queues and error texts. */
interface Doing {
  /** `clone`, `power on`, … */
  readonly what: string
  /** The VM's id, or the name that it is to have. */
  readonly target: string
  /** Those with the same go one after another. Default: the target. */
  readonly turn?: string
  /** How long its tasks may take in all. Default: none has any. */
  readonly tasks?: number
}

/** A vCenter as a platform. Operations on one VM go one after another; the caller's signal and a limit of its own end each. */
export class VspherePlatform implements Platform {
  readonly name: string
  readonly inventory: Inventory
  readonly #connection: VsphereConnection
  readonly #home: VsphereHome
  readonly #capacities = new Map<string, { readonly at: number; readonly capacity: Promise<Capacity> }>()
  readonly #cloneTimeout: number
  readonly #taskTimeout: number

  /** Several may stand on one connection, each with a home of its own. */
  constructor(connection: VsphereConnection, home: VsphereHome = {}) {
    this.#connection = connection
    this.#home = home
    this.name = connection.name
    this.inventory = connection.inventory
    this.#cloneTimeout = home.cloneTimeout ?? usualCloneTimeout
    this.#taskTimeout = home.taskTimeout ?? usualTaskTimeout
  }

  clone(request: CloneRequest, parent: AbortSignal): Promise<Vm> {
    const { name, diskGB } = request
    const tasks = this.#cloneTimeout + this.#taskTimeout
    return this.#do({ what: 'clone', target: name, turn: `name:${name}`, tasks }, parent, async signal => {
      const vm = await cloneVm(this.#connection, withHome(request, this.#home), signal, this.#cloneTimeout)
      return diskGB === undefined ? vm : growDisk(this.#connection, vm, diskGB, signal, this.#taskTimeout)
    })
  }

  claim(request: ClaimRequest, parent: AbortSignal): Promise<Vm> {
    const { id: turn, name: target } = request
    return this.#do({ what: 'claim', target, turn, tasks: this.#taskTimeout }, parent, signal =>
      claimVm(this.#connection, request, signal, this.#taskTimeout),
    )
  }

  diskGB(id: string, parent: AbortSignal): Promise<number | undefined> {
    return this.#read('read the disk of', id, parent, async signal => {
      await this.#connection.live(signal)
      knownVm(this.#connection, id)
      return (await readDisk(this.#connection, id, signal))?.sizeGB
    })
  }

  rename(id: string, name: string, parent: AbortSignal): Promise<Vm> {
    return this.#change('rename', id, parent, signal => renameVm(this.#connection, id, name, signal, this.#taskTimeout))
  }

  annotate(id: string, annotation: string, parent: AbortSignal): Promise<Vm> {
    return this.#change('annotate', id, parent, signal => annotateVm(this.#connection, id, annotation, signal, this.#taskTimeout))
  }

  powerOn(id: string, parent: AbortSignal): Promise<Vm> {
    return this.#change('power on', id, parent, signal => setPower(this.#connection, id, 'on', signal, this.#taskTimeout))
  }

  powerOff(id: string, parent: AbortSignal): Promise<Vm> {
    return this.#change('power off', id, parent, signal => setPower(this.#connection, id, 'off', signal, this.#taskTimeout))
  }

  shutDown(id: string, parent: AbortSignal): Promise<void> {
    return this.#do({ what: 'shut down', target: id }, parent, signal => shutDownGuest(this.#connection, id, signal))
  }

  waitForAddress(id: string, accept: (address: string) => boolean, signal: AbortSignal): Promise<string> {
    return this.#wait(id, vm => vm.addresses.find(accept), signal)
  }

  async waitForGuest(id: string, signal: AbortSignal): Promise<void> {
    await this.#wait(id, vm => vm.guestReady || undefined, signal)
  }

  runInGuest(id: string, command: GuestCommand, parent: AbortSignal): Promise<number> {
    return this.#do({ what: 'run a program in', target: id }, parent, signal => runInGuest(this.#connection, id, command, signal))
  }

  guestExit(
    id: string,
    process: number,
    credentials: Pick<GuestCommand, 'user' | 'password'>,
    parent: AbortSignal,
  ): Promise<number | undefined> {
    return this.#read('read a program of', id, parent, signal => guestExit(this.#connection, id, process, credentials, signal))
  }

  guestPrograms(id: string, credentials: Pick<GuestCommand, 'user' | 'password'>, parent: AbortSignal): Promise<readonly GuestProgram[]> {
    return this.#read('read the programs of', id, parent, signal => guestPrograms(this.#connection, id, credentials, signal))
  }

  destroy(id: string, parent: AbortSignal): Promise<void> {
    // It may have to be powered off first.
    const tasks = 2 * this.#taskTimeout
    return this.#do({ what: 'destroy', target: id, tasks }, parent, signal => destroyVm(this.#connection, id, signal, this.#taskTimeout))
  }

  markAsTemplate(id: string, parent: AbortSignal): Promise<Vm> {
    return this.#do({ what: 'make a template of', target: id }, parent, signal => markAsTemplate(this.#connection, id, signal))
  }

  async capacity(resourcePool?: string): Promise<Capacity> {
    const { inventory, pool, watchedPool } = this.#connection
    if (inventory.state.kind !== 'live') throw Unreachable({ target: this.name, why: inventory.state.why, sent: false })
    const wanted = resourcePool ?? this.#home.resourcePool
    if (wanted === watchedPool && pool.capacity !== undefined) return pool.capacity
    return this.#readCapacity(wanted)
  }

  tasks(): readonly PlatformTask[] {
    return this.#connection.tasks.list()
  }

  events(id: string, parent: AbortSignal): Promise<readonly PlatformEvent[]> {
    return this.#read('read the events of', id, parent, signal =>
      answered(this.#connection, () => queryEvents(this.#connection.session, vmRef(id), signal), signal),
    )
  }

  close(): Promise<void> {
    return this.#connection.close()
  }

  #readCapacity(pool: string | undefined): Promise<Capacity> {
    const { clock, places, session } = this.#connection
    const key = pool ?? ''
    const before = this.#capacities.get(key)
    if (before !== undefined && clock.monotonic() - before.at < capacityAge) return before.capacity
    const capacity = (async () => {
      const properties = await retrieveOne(session, await places.find('resourcePool', pool), poolPaths)
      const read = properties === undefined ? undefined : capacityOf(properties)
      if (read === undefined) throw NotThere({ what: 'resource pool', name: key })
      return read
    })()
    capacity.catch(() => this.#capacities.delete(key))
    this.#capacities.set(key, { at: clock.monotonic(), capacity })
    return capacity
  }

  async #wait<T>(id: string, find: (vm: Vm) => T | undefined, parent: AbortSignal): Promise<T> {
    const { clock, over } = this.#connection
    using limit = clock.deadline(waitTimeout, AbortSignal.any([parent, over]))
    await this.#connection.live(limit.signal)
    return await waitForVm(this.inventory, id, find, limit.signal)
  }

  /** Asks about a VM. Questions wait for each other, but not for what is being done to it. */
  #read<T>(what: string, target: string, parent: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    return this.#do({ what, target, turn: `read:${target}` }, parent, work)
  }

  /** Changes a VM by one task. */
  #change<T>(what: string, target: string, parent: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    return this.#do({ what, target, tasks: this.#taskTimeout }, parent, work)
  }

  /** Queues what is done to one VM, sees that it comes to an end, and gives errors their meaning. */
  async #do<T>(
    { what, target, turn = target, tasks = 0 }: Doing,
    parent: AbortSignal,
    work: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const { clock, turns, inventory } = this.#connection
    const begin = async () => {
      // A little more than the tasks have, so that what one of them could not do is told as that, not as a call that took too long.
      using limit = clock.deadline(tasks + askingTimeout, parent)
      return await work(limit.signal)
    }
    try {
      return await turns.run(turn, begin, parent)
    } catch (error) {
      throw platformError(error, { what, name: inventory.lastKnown(target)?.name ?? target })
    }
  }
}

/** A request with what it leaves to the home. */
function withHome(request: CloneRequest, { folder, resourcePool, datastore, network, card }: VsphereHome): CloneRequest {
  const settings = network === undefined ? card && { card } : { network, card: card ?? 'vmxnet3' }
  return {
    ...(folder !== undefined && { folder }),
    ...(resourcePool !== undefined && { resourcePool }),
    ...(datastore !== undefined && { datastore }),
    ...(settings !== undefined && { network: settings }),
    ...request,
  }
}
