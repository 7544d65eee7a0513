import { type Clock, type Deadline, type Log, silentLog, unlessAborted } from '../../ports/index.ts'
import type { Cds, RegisteredWorker } from '../cds/cds.ts'
import { WorkersNotKnown } from '../errors.ts'
import type { Fleet } from '../fleet/fleet.ts'
import { isRegisterName } from '../fleet/tally.ts'
import type { UnderWay } from '../fleet/under-way.ts'
import type { HatcherySettings } from '../settings.ts'
import { countKnown, countPool, type KnownWorkers, type PoolCounts } from './pool-counts.ts'

/** What a pool of workers is made of. */
export interface WorkerPoolOptions {
  readonly settings: { readonly provision: Pick<HatcherySettings['provision'], 'maxWorker'> }
  readonly cds: Cds
  readonly fleet: Fleet
  readonly underWay: UnderWay
  readonly clock: Clock
  readonly log?: Log
}

/** A worker, from whichever side it is known. */
export interface PoolWorker {
  readonly name: string
  /** Checking, Waiting, Building or Disabled as CDS says; Pending or Registering if CDS does not know it yet. */
  readonly status: string
  /** Undefined if CDS does not know it yet. */
  readonly registered: RegisteredWorker | undefined
}

/** How old the lists of CDS may be for a decision. */
const usualAge = 3_000

/** How long a worker must have been without a VM before it is taken for lost. */
const shortestSuspicion = 3_000

/** How long both lists may take together. */
const longestRead = 10_000

/** How long a call that disables a worker may take. */
const longestDisable = 5_000

/**
 * All workers: those that CDS knows, and those that are started and not known there yet (hatchery §6.4.1). Both lists of CDS must be
 * readable, or nothing is known. Whoever needs the pool calls `refresh`; several at a time share one reading.
 *
 * A worker that CDS knows but that has no VM is disabled (V1), or only spoken of (V2, for which CDS has no such call). Not at the
 * first sight: its VM may have been removed while the list was on its way, so it must be missing at all readings for some seconds.
 * And never unless the inventory is live: otherwise a lost vCenter would disable everybody.
 */
export class WorkerPool {
  readonly #options: WorkerPoolOptions
  readonly #log: Log
  #registered: readonly RegisteredWorker[] | undefined
  /** What they come to; undefined if that is to be added up anew. */
  #known: KnownWorkers | undefined
  /** The names of the workers that CDS knows, and of those of which it said that they had ended. */
  #names: ReadonlySet<string> = new Set()
  /** Workers that CDS listed as disabled, as long as their VMs are there: those may go off only after CDS has forgotten the worker. */
  #ended: ReadonlySet<string> = new Set()
  #readAt = Number.NEGATIVE_INFINITY
  #why = 'it has not been asked yet'
  #reading: Promise<void> | undefined
  /** Workers without a VM at the last reading, by key, with the moment of the first reading that showed it. */
  #suspects = new Map<string, number>()
  /** Workers that were disabled here, or of which it was said; as long as CDS lists them. */
  #settled = new Set<string>()

  constructor(options: WorkerPoolOptions) {
    this.#options = options
    this.#log = options.log ?? silentLog
  }

  /** Reads both lists, unless they are younger than `within` milliseconds. Rejects if either cannot be read. */
  async refresh(signal: AbortSignal, within = usualAge): Promise<void> {
    if (this.#options.clock.monotonic() - this.#readAt < within) return
    this.#reading ??= this.#read().finally(() => {
      this.#reading = undefined
    })
    await unlessAborted(this.#reading, signal)
  }

  /** The workers that CDS knows, as last read. Throws WorkersNotKnown if they never could be, or not the last time. */
  registered(): readonly RegisteredWorker[] {
    if (this.#registered === undefined) throw WorkersNotKnown({ why: this.#why })
    return this.#registered
  }

  /** V2 workers whose VM is gone for certain and that CDS takes for alive. Throws InventoryNotLive and WorkersNotKnown. */
  lost(): readonly RegisteredWorker[] {
    const isLost = (worker: RegisteredWorker) => worker.version === 2 && worker.status !== 'Disabled' && this.#settled.has(keyOf(worker))
    return this.registered().filter(worker => isLost(worker) && !this.#options.fleet.hasWorker(worker.name))
  }

  /** How many workers there are, by status, with what is under way. Throws InventoryNotLive and WorkersNotKnown. */
  counts(): PoolCounts {
    const { fleet, underWay } = this.#options
    const registered = this.registered()
    this.#known ??= countKnown(registered, this.#names, worker => this.#statusOf(worker))
    return countPool(this.#known, fleet, underWay)
  }

  /** Every worker; those that CDS does not know yet come last. Throws InventoryNotLive and WorkersNotKnown. */
  workers(): readonly PoolWorker[] {
    const known = this.registered().map(worker => ({ name: worker.name, status: this.#statusOf(worker), registered: worker }))
    const started = new Set([...this.#options.fleet.startedNames(), ...this.#namesUnderWay()])
    const unknown = Array.from(started.difference(this.#names), name => ({
      name,
      status: isRegisterName(name) ? 'Registering' : 'Pending',
      registered: undefined,
    }))
    return [...known, ...unknown]
  }

  /** As CDS and people read it: `7/10`, or `7/unlimited` (hatchery §6.4.7). Throws as `counts` does. */
  line(): string {
    const { maxWorker } = this.#options.settings.provision
    return `${this.counts().size}/${maxWorker > 0 ? maxWorker : 'unlimited'}`
  }

  async #read(): Promise<void> {
    const { cds, clock, fleet } = this.#options
    const askedAt = clock.monotonic()
    using deadline: Deadline = clock.deadline(longestRead)
    try {
      const lists = await Promise.all([cds.v1?.workers(deadline.signal), cds.v2?.workers(deadline.signal)])
      this.#registered = lists.flatMap(list => list ?? [])
      this.#known = undefined
      this.#readAt = askedAt
      this.#ended = this.#endedBy(this.#registered)
      this.#names = new Set([...this.#registered.map(({ name }) => name), ...this.#ended])
      fleet.know(this.#names)
    } catch (error) {
      this.#registered = undefined
      this.#readAt = Number.NEGATIVE_INFINITY
      this.#why = (error as Error).message
      throw WorkersNotKnown({ why: this.#why }, { cause: error })
    }
    this.#lookForVms(this.#registered)
  }

  #endedBy(registered: readonly RegisteredWorker[]): ReadonlySet<string> {
    const { fleet } = this.#options
    const disabled = registered.flatMap(({ name, status }) => (status === 'Disabled' ? [name] : []))
    try {
      return new Set([...Array.from(this.#ended).filter(name => fleet.hasWorker(name)), ...disabled])
    } catch {
      // What is on the platform is not known, and so not which of them are gone.
      return new Set([...this.#ended, ...disabled])
    }
  }

  /** The consistency check. */
  #lookForVms(registered: readonly RegisteredWorker[]): void {
    const { fleet, underWay } = this.#options
    if (this.#settled.size > 0) this.#settled = this.#settled.intersection(new Set(registered.map(keyOf)))
    const missing = new Map<string, RegisteredWorker>()
    try {
      for (const worker of registered) {
        if (worker.status === 'Disabled' || fleet.hasWorker(worker.name) || underWay.hasName(worker.name)) continue
        if (!this.#settled.has(keyOf(worker))) missing.set(keyOf(worker), worker)
      }
    } catch {
      // What is on the platform is not known. Nobody is suspected of anything until it is.
      this.#suspects.clear()
      return
    }
    const now = this.#options.clock.monotonic()
    const before = this.#suspects
    this.#suspects = new Map(Array.from(missing.keys(), key => [key, before.get(key) ?? now]))
    for (const [key, worker] of missing) if (now - (this.#suspects.get(key) ?? now) >= shortestSuspicion) void this.#settle(key, worker)
  }

  async #settle(key: string, worker: RegisteredWorker): Promise<void> {
    const { cds, clock } = this.#options
    const fields = { worker: worker.name, status: worker.status, job: worker.jobId }
    this.#settled.add(key)
    this.#known = undefined
    if (worker.version === 2 || cds.v1 === undefined) {
      this.#log.warn('a worker that CDS knows has no VM', fields)
      return
    }
    using deadline = clock.deadline(longestDisable)
    try {
      await cds.v1.disableWorker(worker.id, deadline.signal)
      this.#log.warn('a worker that CDS knows has no VM and was disabled', fields)
    } catch (error) {
      this.#log.warn('a worker that CDS knows has no VM and could not be disabled', { ...fields, error })
      this.#settled.delete(key)
      this.#known = undefined
    }
  }

  #statusOf(worker: RegisteredWorker): string {
    return worker.version === 1 && this.#settled.size > 0 && this.#settled.has(keyOf(worker)) ? 'Disabled' : worker.status
  }

  #namesUnderWay(): readonly string[] {
    const isWorker = ({ purpose }: { readonly purpose: string }) => purpose === 'Job' || purpose === 'Registration'
    return Array.from(this.#options.underWay.all()).flatMap(each => (isWorker(each) && each.vmName !== '' ? [each.vmName] : []))
  }
}

function keyOf({ version, id }: RegisteredWorker): string {
  return `${version} ${id}`
}
