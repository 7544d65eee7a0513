import { setCondition } from '../../control/index.ts'
import { Spawn } from '../../kinds/index.ts'
import { type Clock, isoTime, type Log } from '../../ports/index.ts'
import { fieldSelectorValue, type Store, StoreError, undefinedIf } from '../../store/index.ts'
import { slug } from './worker-name.ts'

/** What a record is about. */
export type SpawnSpec = Omit<Spawn['spec'], 'hatchery'>

type Status = NonNullable<Spawn['status']>

/** What is to be written down. What is undefined is taken out; what is not named stays. */
export type SpawnChange = { readonly [F in Exclude<keyof Status, 'conditions' | 'since'>]?: Status[F] | undefined } & {
  /** Why it is not there yet, for people: what `why` prints. */
  readonly why?: SpawnReason
}

/** What a record no longer tells once an attempt is taken back. */
export const nothingBegun = {
  worker: undefined,
  vm: undefined,
  vmId: undefined,
  address: undefined,
  network: undefined,
} satisfies SpawnChange

/** Why something waits, or what is being done. */
export interface SpawnReason {
  /** One word in CamelCase. */
  readonly reason: string
  readonly message: string
  /** Milliseconds since 1970. */
  readonly until?: number | undefined
  readonly then?: string | undefined
  readonly unblock?: string | undefined
}

/** What records are kept with. */
export interface SpawnRecordsOptions {
  readonly store: Store
  /** The name of the hatchery; records of others are not touched. */
  readonly hatchery: string
  readonly clock: Clock
  readonly log: Log
}

/** Milliseconds between looks at a record of which it is not known whether it is there. */
const lookAgainAfter = 5_000

/** It is gone, or somebody made another in its place. */
const ignoreGone = undefinedIf('NotFound', 'Conflict')

/** The record of a job. */
export const jobRecord = (jobId: string): string => `job-${jobId}`

/**
 * The hatchery's records of what it is about to do, in the store and, for whoever decides something, in memory. Only this hatchery
 * writes them; a person may remove one, and it is written again if it is still needed.
 */
export class SpawnRecords {
  readonly #options: SpawnRecordsOptions
  readonly #records = new Map<string, Spawn>()
  /** Writes of one record one after another, whoever asks for them. */
  readonly #turns = new Map<string, Promise<unknown>>()
  /** Records that were being created or deleted when the store did not answer: they may be in the store, and are no longer needed. */
  readonly #inDoubt = new Set<string>()
  /** Records that somebody looks for: one for each, however often they come into doubt. */
  readonly #lookedFor = new Set<string>()
  #stop: AbortSignal | undefined

  constructor(options: SpawnRecordsOptions) {
    this.#options = options
  }

  /**
   * Reads what an earlier run left. What has no status was made and nothing done about it: that goes at once. With the signal ends,
   * too, whatever is still done about records.
   */
  async load(signal: AbortSignal): Promise<void> {
    const { store, hatchery } = this.#options
    this.#stop = signal
    const { items } = await store.list(Spawn, { fieldSelector: `spec.hatchery=${fieldSelectorValue(hatchery)}`, signal })
    for (const { object } of items) this.#records.set(this.nameOf(object), object)
    const empty = Array.from(this.#records.values()).filter(({ status }) => status?.phase === undefined)
    await Promise.all(empty.map(spawn => this.remove(this.nameOf(spawn))))
  }

  all(): Iterable<Spawn> {
    return this.#records.values()
  }

  get(name: string): Spawn | undefined {
    return this.#records.get(name)
  }

  /** Under which name a record is kept here. */
  nameOf({ metadata }: Spawn): string {
    return this.#plainName(metadata.name ?? '')
  }

  ofJob(jobId: string): Spawn | undefined {
    return this.get(jobRecord(jobId))
  }

  /** Writes down how far something is; makes the record if it is not there. Resolves when it is durable. */
  write(name: string, spec: SpawnSpec, change: SpawnChange): Promise<void> {
    return this.#inTurn(name, async () => {
      this.#inDoubt.delete(name)
      try {
        await this.#write(name, spec, change)
      } catch (error) {
        // Perhaps it was made, and says nothing that anybody could go by.
        if (this.#records.get(name)?.status?.phase === undefined) this.#doubt(name)
        throw error
      }
    })
  }

  /**
   * Removes a record: when this resolves, no decision of this process rests on it any more. If the store does not answer, the record
   * is deleted from the store in the background, unless it is written again before.
   */
  remove(name: string): Promise<void> {
    const { store, log } = this.#options
    return this.#inTurn(name, async () => {
      const there = this.#records.get(name)
      if (there === undefined) return
      try {
        await store.delete(Spawn, { name: there.metadata.name ?? '' }).catch(ignoreGone)
      } catch (error) {
        log.warn('record not deleted from the store yet; retrying in the background', { record: name, error })
        this.#doubt(name)
      }
      this.#records.delete(name)
    })
  }

  async #write(name: string, spec: SpawnSpec, change: SpawnChange): Promise<void> {
    for (;;) {
      const there = this.#records.get(name) ?? (await this.#make(name, spec))
      const status = this.#changed(there.status ?? {}, change)
      if (status === there.status) return
      try {
        this.#records.set(name, await this.#options.store.update(Spawn, { ...there, status }, { subresource: 'status' }))
        return
      } catch (error) {
        if (!StoreError.is(error, 'Conflict', 'NotFound')) throw error
        await this.#readAgain(name, there)
      }
    }
  }

  /** Makes a record, or finds the one that an unanswered call made. */
  async #make(name: string, spec: SpawnSpec): Promise<Spawn> {
    const { store, hatchery } = this.#options
    for (const stored of [name, this.#ownName(name)]) {
      const draft = { apiVersion: Spawn.apiVersion, kind: Spawn.name, metadata: { name: stored }, spec: { ...spec, hatchery } }
      const made = await store.create(Spawn, draft).catch(async (error: unknown) => {
        if (!StoreError.is(error, 'AlreadyExists')) throw error
        return await store.get(Spawn, { name: stored })
      })
      if (made.spec.hatchery !== hatchery) continue
      this.#records.set(name, made)
      return made
    }
    throw new StoreError('AlreadyExists', `spawns "${name}" belongs to other hatcheries`)
  }

  async #readAgain(name: string, old: Spawn): Promise<void> {
    const fresh = await this.#options.store.get(Spawn, { name: old.metadata.name ?? '' }).catch(ignoreGone)
    if (fresh === undefined) this.#records.delete(name)
    else this.#records.set(name, fresh)
  }

  /** The store did not answer: the record is deleted from it in the background, unless it is written before that. */
  #doubt(name: string): void {
    this.#inDoubt.add(name)
    if (!this.#lookedFor.has(name)) void this.#endDoubt(name)
  }

  /** Retries until the record is certainly not in the store, or is written again. */
  async #endDoubt(name: string): Promise<void> {
    const { clock, log } = this.#options
    this.#lookedFor.add(name)
    while (this.#inDoubt.has(name)) {
      await clock.sleep(lookAgainAfter, this.#stop).catch(() => {})
      if (this.#stop?.aborted === true) return
      await this.#inTurn(name, () => this.#removeDoubtful(name)).catch((error: unknown) =>
        log.debug('record not deleted from the store yet', { record: name, error }),
      )
    }
    this.#lookedFor.delete(name)
  }

  async #removeDoubtful(name: string): Promise<void> {
    const { store, hatchery } = this.#options
    if (!this.#inDoubt.has(name)) return
    for (const stored of [name, this.#ownName(name)]) {
      const there = await store.get(Spawn, { name: stored }).catch(ignoreGone)
      if (there?.spec.hatchery !== hatchery) continue
      await store.delete(Spawn, { name: stored }, { uid: there.metadata.uid ?? '' }).catch(ignoreGone)
    }
    this.#records.delete(name)
    this.#inDoubt.delete(name)
  }

  /** The status with a change in it; the very same one if nothing changes. */
  #changed(old: Status, { why, ...change }: SpawnChange): Status {
    const now = this.#options.clock.now()
    const conditions =
      why === undefined ? old.conditions : setCondition(old.conditions ?? [], { type: 'Ready', status: 'False', ...why }, { now })
    const fields = Object.entries(change) as readonly (readonly [keyof typeof change, unknown])[]
    if (conditions === old.conditions && fields.every(([field, value]) => old[field] === value)) return old
    const since = change.phase !== undefined && change.phase !== old.phase ? isoTime(now) : old.since
    const merged = { ...old, ...change, since, ...(conditions !== undefined && { conditions: [...conditions] }) }
    return Object.fromEntries(Object.entries(merged).filter(([, value]) => value !== undefined))
  }

  /** Two hatcheries may keep one store, and both may have something to say about one job. */
  #ownName(name: string): string {
    return `${name}.${slug(this.#options.hatchery)}`
  }

  #plainName(stored: string): string {
    const ending = `.${slug(this.#options.hatchery)}`
    return stored.endsWith(ending) ? stored.slice(0, -ending.length) : stored
  }

  #inTurn<T>(name: string, act: () => Promise<T>): Promise<T> {
    const before = this.#turns.get(name) ?? Promise.resolve()
    const turn = before.then(act, act)
    this.#turns.set(name, turn)
    const end = () => {
      if (this.#turns.get(name) === turn) this.#turns.delete(name)
    }
    turn.then(end, end)
    return turn
  }
}
