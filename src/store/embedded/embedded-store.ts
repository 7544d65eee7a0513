import type { Chance, Clock } from '../../ports/index.ts'
import type { Draft, Kind, Resource } from '../../kinds/index.ts'
import { closed, notFound } from '../errors.ts'
import type {
  DeleteOptions,
  Deletion,
  Key,
  ListOptions,
  Page,
  Store,
  UpdateOptions,
  WatchEvent,
  WatchOptions,
  WriteOptions,
} from '../store.ts'
import { deepFreeze } from '../stored.ts'
import { create } from '../writes/create.ts'
import { type Deleted, remove } from '../writes/delete.ts'
import { update } from '../writes/update.ts'
import { Batch } from './batch.ts'
import type { Change } from './change.ts'
import type { Journal } from './journal.ts'
import { listPage } from './list-page.ts'
import type { State } from './state.ts'
import { keyOf } from './version.ts'
import { WatchHub } from './watch-hub.ts'
import { WriteQueue } from './write-queue.ts'

/** What an embedded store is made of. */
export interface EmbeddedStoreParts {
  readonly state: State
  readonly clock: Clock
  readonly chance: Chance
  /** Without one nothing outlives the program. */
  readonly journal?: Journal
  /** Calls back when it is time to flush the writes that wait. */
  readonly schedule: (flush: () => void) => void
}

/**
 * The store inside this process: all reads from memory, all writes through one queue. The engines differ only in the journal.
 */
export class EmbeddedStore implements Store {
  readonly #state: State
  readonly #clock: Clock
  readonly #chance: Chance
  readonly #journal: Journal | undefined
  readonly #hub: WatchHub
  readonly #queue: WriteQueue
  #closing: Promise<void> | undefined

  constructor({ state, clock, chance, journal, schedule }: EmbeddedStoreParts) {
    this.#state = state
    this.#clock = clock
    this.#chance = chance
    this.#journal = journal
    this.#hub = new WatchHub(state, clock)
    this.#queue = new WriteQueue({
      schedule,
      begin: () => new Batch(state, { at: clock.monotonic(), keepText: journal !== undefined }),
      commit: batch => this.#commit(batch),
    })
  }

  /** How many watches are open. */
  get watches(): number {
    return this.#hub.size
  }

  async get<R extends Resource>(kind: Kind<R>, key: Key): Promise<R> {
    this.checkOpen()
    const version = this.#state.collectionOf(kind).get(keyOf(kind, key))
    if (version === undefined) throw notFound(kind, key.name)
    return version.stored.object as R
  }

  async list<R extends Resource>(kind: Kind<R>, options: ListOptions = {}): Promise<Page<R>> {
    this.checkOpen()
    return listPage(this.#state, kind, options) as Page<R>
  }

  async create<R extends Resource>(kind: Kind<R>, draft: Draft<R>, options: WriteOptions = {}): Promise<R> {
    this.checkOpen()
    const run = create(this.#state.collectionOf(kind), draft, options, { clock: this.#clock, chance: this.#chance })
    return deepFreeze(await this.#queue.add(run, options.signal)) as Resource as R
  }

  async update<R extends Resource>(kind: Kind<R>, object: Draft<R>, options: UpdateOptions = {}): Promise<R> {
    this.checkOpen()
    const run = update(this.#state.collectionOf(kind), object, options)
    return deepFreeze(await this.#queue.add(run, options.signal)) as Resource as R
  }

  async delete<R extends Resource>(kind: Kind<R>, key: Key, options: DeleteOptions = {}): Promise<Deletion<R>> {
    this.checkOpen()
    const run = remove(this.#state.collectionOf(kind), key, options, this.#clock)
    return deepFreeze(await this.#queue.add<Deleted>(run, options.signal)) as Deletion<Resource> as Deletion<R>
  }

  watch<R extends Resource>(kind: Kind<R>, options: WatchOptions): AsyncIterable<readonly WatchEvent<R>[]> {
    return this.#hub.watch(kind, options) as AsyncIterable<readonly WatchEvent<R>[]>
  }

  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  async #close(): Promise<void> {
    await this.#queue.drained()
    this.#hub.close()
    await this.#journal?.close()
  }

  /** Durable first, then visible: to readers, to watchers, and by the answer to whoever wrote. */
  #commit({ changes }: Batch): Promise<void> | void {
    const durable = this.#journal?.append(changes)
    return durable === undefined ? this.#publish(changes) : durable.then(() => this.#publish(changes))
  }

  #publish(changes: readonly Change[]): void {
    this.#state.publish(changes)
    this.#hub.publish(changes)
    const dropped = this.#state.trim(this.#clock.monotonic())
    if (dropped.length > 0) this.#journal?.forget(dropped, this.#state.compacted)
  }

  /** Throws ServiceUnavailable once the store is closed. */
  protected checkOpen(): void {
    if (this.#closing !== undefined) throw closed()
  }
}
