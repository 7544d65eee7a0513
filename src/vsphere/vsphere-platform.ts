import {
  NotThere,
  readNote,
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
import { answered, carryOut } from './operations/carry-out.ts'
import { claimVm } from './operations/claim.ts'
import { cloneVm } from './operations/clone.ts'
import { CloneMemory } from './operations/clone-memory.ts'
import { destroyVm } from './operations/destroy.ts'
import { growDisk, readDisk } from './operations/disk.ts'
import { guestExit, guestPrograms, runInGuest } from './operations/guest.ts'
import { markAsTemplate } from './operations/mark-as-template.ts'
import { OneAtATime } from './operations/one-at-a-time.ts'
import { setPower, shutDownGuest } from './operations/power.ts'
import { renameVm } from './operations/rename.ts'
import { platformError } from './operations/translate.ts'
import { knownVm, readVm, vmRef, wrote } from './operations/vm-access.ts'
import { queryEvents } from './vim/events.ts'
import { retrieveOne } from './vim/property-collector.ts'
import { capacityOf, poolPaths } from './watch/pool-feed.ts'

const taskTimeout = 5 * 60_000
const waitTimeout = 30 * 60_000

/** How long the capacity of a pool that is not watched may be told from memory. */
const capacityAge = 10_000

/** A vCenter as a platform. Operations on one VM go one after another; the caller's signal and a limit of its own end each. */
export class VspherePlatform implements Platform {
  readonly name: string
  readonly inventory: Inventory
  readonly #connection: VsphereConnection
  readonly #memory: CloneMemory
  readonly #queue = new OneAtATime()
  readonly #capacities = new Map<string, { readonly at: number; readonly capacity: Promise<Capacity> }>()
  readonly #taskTimeout: number

  constructor(connection: VsphereConnection) {
    this.#connection = connection
    this.name = connection.name
    this.inventory = connection.inventory
    this.#memory = new CloneMemory(connection)
    this.#taskTimeout = connection.settings.taskTimeout ?? taskTimeout
  }

  clone(request: CloneRequest, signal: AbortSignal): Promise<Vm> {
    const { diskGB } = request
    return this.#do('clone', request.name, `name:${request.name}`, signal, async () => {
      const vm = await cloneVm(this.#connection, this.#memory, request, signal)
      return diskGB === undefined ? vm : growDisk(this.#connection, vm, diskGB, signal, this.#taskTimeout)
    })
  }

  claim(request: ClaimRequest, signal: AbortSignal): Promise<Vm> {
    return this.#do('claim', request.name, request.id, signal, () => claimVm(this.#connection, request, signal, this.#taskTimeout))
  }

  diskGB(id: string, signal: AbortSignal): Promise<number | undefined> {
    return this.#do('read the disk of', id, `read:${id}`, signal, async () => {
      await this.#connection.live(signal)
      knownVm(this.#connection, id)
      return (await readDisk(this.#connection, id, signal))?.sizeGB
    })
  }

  rename(id: string, name: string, signal: AbortSignal): Promise<Vm> {
    return this.#do('rename', id, id, signal, () => renameVm(this.#connection, id, name, signal, this.#taskTimeout))
  }

  annotate(id: string, annotation: string, signal: AbortSignal): Promise<Vm> {
    return this.#do('annotate', id, id, signal, async () => {
      const connection = this.#connection
      await connection.live(signal)
      const known = knownVm(connection, id)
      if (known.annotation === annotation) return known
      const change = { annotation, note: readNote(annotation) }
      return carryOut(
        connection,
        {
          method: 'ReconfigVM_Task',
          on: vmRef(id),
          args: { spec: { annotation } },
          target: `${known.name} (${id})`,
          timeout: this.#taskTimeout,
          shows: () => connection.inventory.byId(id)?.annotation === annotation,
          done: (_, limit) => wrote(connection, id, change, limit),
          look: async limit =>
            (await readVm(connection, id, limit))?.annotation === annotation ? wrote(connection, id, change, limit) : undefined,
        },
        signal,
      )
    })
  }

  powerOn(id: string, signal: AbortSignal): Promise<Vm> {
    return this.#do('power on', id, id, signal, () => setPower(this.#connection, id, 'on', signal, this.#taskTimeout))
  }

  powerOff(id: string, signal: AbortSignal): Promise<Vm> {
    return this.#do('power off', id, id, signal, () => setPower(this.#connection, id, 'off', signal, this.#taskTimeout))
  }

  shutDown(id: string, signal: AbortSignal): Promise<void> {
    return this.#do('shut down', id, id, signal, () => shutDownGuest(this.#connection, id, signal))
  }

  waitForAddress(id: string, accept: (address: string) => boolean, signal: AbortSignal): Promise<string> {
    return this.#wait(id, vm => vm.addresses.find(accept), signal)
  }

  async waitForGuest(id: string, signal: AbortSignal): Promise<void> {
    await this.#wait(id, vm => vm.guestReady || undefined, signal)
  }

  runInGuest(id: string, command: GuestCommand, signal: AbortSignal): Promise<number> {
    return this.#do('run a program in', id, id, signal, () => runInGuest(this.#connection, id, command, signal))
  }

  guestExit(
    id: string,
    process: number,
    credentials: Pick<GuestCommand, 'user' | 'password'>,
    signal: AbortSignal,
  ): Promise<number | undefined> {
    return this.#do('read a program of', id, `read:${id}`, signal, () => guestExit(this.#connection, id, process, credentials, signal))
  }

  guestPrograms(id: string, credentials: Pick<GuestCommand, 'user' | 'password'>, signal: AbortSignal): Promise<readonly GuestProgram[]> {
    return this.#do('read the programs of', id, `read:${id}`, signal, () => guestPrograms(this.#connection, id, credentials, signal))
  }

  destroy(id: string, signal: AbortSignal): Promise<void> {
    return this.#do('destroy', id, id, signal, () => destroyVm(this.#connection, id, signal, this.#taskTimeout))
  }

  markAsTemplate(id: string, signal: AbortSignal): Promise<Vm> {
    return this.#do('make a template of', id, id, signal, () => markAsTemplate(this.#connection, id, signal))
  }

  async capacity(resourcePool?: string): Promise<Capacity> {
    const { inventory, pool, settings } = this.#connection
    if (inventory.state.kind !== 'live') throw Unreachable({ target: this.name, why: inventory.state.why, sent: false })
    const wanted = resourcePool ?? settings.resourcePool
    if (wanted === settings.resourcePool && pool.capacity !== undefined) return pool.capacity
    return this.#readCapacity(wanted)
  }

  tasks(): readonly PlatformTask[] {
    return this.#connection.tasks.list()
  }

  events(id: string, signal: AbortSignal): Promise<readonly PlatformEvent[]> {
    return this.#do('read the events of', id, `read:${id}`, signal, () =>
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
    using limit = this.#connection.clock.deadline(waitTimeout, parent)
    await this.#connection.live(limit.signal)
    return await waitForVm(this.inventory, id, find, limit.signal)
  }

  /** Queues what is done to one VM, and gives errors their meaning. */
  async #do<T>(what: string, name: string, queue: string, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    try {
      return await this.#queue.run(queue, () => {
        signal.throwIfAborted()
        return work()
      })
    } catch (error) {
      throw platformError(error, { what, name: this.#connection.inventory.lastKnown(name)?.name ?? name })
    }
  }
}
