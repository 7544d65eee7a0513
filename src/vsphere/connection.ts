import { DeadlineExceeded, Unreachable, type Chance, type Clock, type HttpClient, type Log } from '../ports/index.ts'
import { IndexedInventory, InventoryNotLive } from '../platform/index.ts'
import { CloneMemory } from './operations/clone-memory.ts'
import { OneAtATime } from './operations/one-at-a-time.ts'
import { StartedPrograms } from './operations/started-programs.ts'
import { containerView, Places } from './places.ts'
import { sdkUrl, type VcenterAccess } from './settings.ts'
import { Session } from './soap/session.ts'
import { SoapClient } from './soap/soap-client.ts'
import { GuestOperations } from './vim/guest-operations.ts'
import { PoolFeed } from './watch/pool-feed.ts'
import { PropertyWatch } from './watch/property-watch.ts'
import { TaskBook } from './watch/task-book.ts'
import { VmFeed } from './watch/vm-feed.ts'
import type { Ref } from './xml/writer.ts'

/** How long a call waits for the inventory when it is being read (again). */
const patience = 60_000

/** What a connection is made of. */
export interface ConnectionOptions {
  readonly settings: VcenterAccess & {
    /** The pool whose capacity is watched; that of others is asked for. */
    readonly resourcePool?: string
  }
  /** Its trust must be that of the settings. */
  readonly http: HttpClient
  readonly clock: Clock
  readonly chance: Chance
  readonly log: Log
  /** A connection of the same account, whose session is used instead of one of our own: for another datacenter of one vCenter. */
  readonly beside?: VsphereConnection
}

/** One session with one vCenter and everything that rests on it, shared by all who use that vCenter. */
export class VsphereConnection {
  readonly name: string
  readonly clock: Clock
  readonly chance: Chance
  readonly log: Log
  readonly session: Session
  readonly places: Places
  readonly inventory: IndexedInventory
  readonly tasks: TaskBook
  readonly vms: VmFeed
  readonly pool: PoolFeed
  /** The name of the pool that `pool` shows; undefined if it is the only one. */
  readonly watchedPool: string | undefined
  readonly guests: GuestOperations
  readonly started: StartedPrograms
  readonly clones: CloneMemory
  /** Who may do something with a VM: one at a time. */
  readonly turns = new OneAtATime()
  readonly watch: PropertyWatch
  readonly #over = new AbortController()
  readonly #ownsSession: boolean

  constructor({ settings, http, clock, chance, log, beside }: ConnectionOptions) {
    const url = sdkUrl(settings)
    this.name = `vCenter ${new URL(url).host}`
    this.clock = clock
    this.chance = chance
    this.log = log.with({ vcenter: new URL(url).host })
    const { user, password, datacenter, resourcePool } = settings
    this.session =
      beside?.session ?? new Session({ soap: new SoapClient(url, http), name: this.name, user, password, clock, log: this.log })
    this.#ownsSession = beside === undefined
    this.places = new Places(this.session, datacenter)
    this.inventory = new IndexedInventory(this.name, clock, this.log)
    this.tasks = new TaskBook(this.session, clock, this.log)
    this.vms = new VmFeed(this.inventory, () => this.#vmView())
    this.watchedPool = resourcePool
    this.pool = new PoolFeed(() => this.places.find('resourcePool', resourcePool))
    this.guests = new GuestOperations(this.session)
    this.started = new StartedPrograms(this.inventory)
    this.clones = new CloneMemory(this)
    this.watch = new PropertyWatch({
      session: this.session,
      watched: [this.tasks, this.vms, this.pool],
      clock,
      chance,
      log: this.log,
      onDoubt: (why, hopeless) => {
        this.places.forget()
        if (hopeless === undefined) return this.inventory.syncing(why)
        this.inventory.lost(why)
        this.#over.abort(hopeless)
      },
    })
  }

  /** Aborted when nothing will come of the connection any more: it was closed, or vCenter refuses to sign us in. */
  get over(): AbortSignal {
    return this.#over.signal
  }

  /** Resolves when the inventory is live. Rejects with InventoryNotLive after a while, or with the reason why it never will be. */
  async live(signal: AbortSignal): Promise<void> {
    using limit = this.clock.deadline(patience, AbortSignal.any([signal, this.#over.signal]))
    try {
      await this.inventory.whenLive(limit.signal)
    } catch (error) {
      const { state } = this.inventory
      if (!DeadlineExceeded.is(error) || signal.aborted || state.kind === 'live') throw error
      throw InventoryNotLive({ platform: this.name, why: state.why })
    }
  }

  /** Signs in and begins to watch. Does not wait: `inventory.whenLive` does. */
  start(): this {
    this.inventory.syncing('the first listing has not arrived yet')
    this.watch.start()
    return this
  }

  /** Ends the watch, and signs out if the session is its own. Tasks under way go on. */
  async close(): Promise<void> {
    this.#over.abort(Unreachable({ target: this.name, why: 'the connection was closed', sent: false }))
    await this.watch.close()
    if (this.#ownsSession) await this.session.close()
    this.inventory.lost('the connection was closed')
  }

  async #vmView(): Promise<Ref> {
    const { folders } = await this.places.datacenter()
    return containerView(this.session, folders.get('vmFolder') as Ref, ['VirtualMachine'])
  }
}
