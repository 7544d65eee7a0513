import { NotSynced } from '../../control/index.ts'
import { generateVmName, sizeProblem, type VmChange } from '../../platform/index.ts'
import type { Chance } from '../../ports/index.ts'
import { type FleetVm, isProvisionName } from '../fleet/fleet-index.ts'
import type { ModelBook } from '../models/model-book.ts'
import { Rounds } from '../rounds.ts'
import type { HatcherySettings } from '../settings.ts'
import { causeOf } from '../spawn/cause.ts'
import { type Leftover, leftoverNames, leftovers } from './leftovers.ts'
import { bootOnce, makeProvision, mustBeAlone, standsReady } from './make-provision.ts'
import { type Making, Makings, type MakingsOptions } from './makings.ts'
import { type Pool, type PoolReport, poolReport, poolsOf, unknownPool } from './pool.ts'
import { type KnownModel, type PoolSource, type PoolWait, sourceOf } from './pool-source.ts'
import { Setbacks } from './setbacks.ts'
import { missing, nothing, type Stock, surplus, takeStock } from './stock.ts'
import { Turns } from './turns.ts'

export type { PoolReport } from './pool.ts'

/** What a provisioner works with. Its records are loaded. */
export interface ProvisionerOptions extends MakingsOptions {
  readonly settings: HatcherySettings
  readonly models: Pick<ModelBook, 'v1ByPath'>
  readonly chance: Chance
}

type Sources = ReadonlyMap<string, PoolSource>

/** How long nobody asks for an address again when none is free, unless a VM goes. */
const addressPause = 30_000

/** How long nobody looks again whether the limits leave room, unless something changes. */
const roomPause = 30_000

/** How long a VM that is being made keeps a place of the pool size. No sound template takes longer. */
const stuckAfter = 4 * 60_000

/** After how long somebody looks again whether a VM that an earlier run asked for has come. */
const lookAgainAfter = 15_000

/**
 * Keeps as many VMs ready as the configuration says (hatchery §6.3). A round counts, finishes what an earlier run left half made,
 * removes what is too much, and begins what is missing; the VMs are made beside the rounds, at most `provisioningPoolSize` at a time,
 * each pool in its turn. It decides nothing unless the inventory is live.
 */
export class Provisioner {
  readonly #options: ProvisionerOptions
  readonly #pools: readonly Pool[]
  readonly #rounds: Rounds
  readonly #turns = { 1: new Turns(), 2: new Turns() }
  readonly #setbacks: Setbacks
  readonly #makings: Makings
  readonly #stop = new AbortController()
  #waits: ReadonlyMap<string, PoolWait> = new Map()
  #noAddressUntil = 0
  #forget = () => {}

  constructor(options: ProvisionerOptions) {
    const { settings, clock, chance, log } = options
    this.#options = options
    this.#pools = poolsOf(settings.provisioning)
    this.#setbacks = new Setbacks(clock, chance)
    this.#makings = new Makings(options, {
      succeeded: pool => this.#setbacks.succeeded(pool),
      failed: (pool, error) => this.#setbacks.failed(pool, error),
      lackedAddress: () => (this.#noAddressUntil = clock.now() + addressPause),
      ended: () => this.#rounds.request(),
    })
    const round = (signal: AbortSignal) => this.#round(signal)
    this.#rounds = new Rounds({
      name: 'hatchery-vsphere-provisioning',
      every: settings.provisioningInterval,
      atOnce: true,
      clock,
      log,
      round,
    })
  }

  /** Begins, as soon as the inventory is live. What an earlier run left half made is nobody's to claim from here on. */
  start(): void {
    const { platform, underWay } = this.#options
    for (const name of leftoverNames(this.#options)) underWay.unfinished.add(name)
    this.#forget = platform.inventory.onChange(change => this.#changed(change))
    this.#rounds.start()
  }

  /** Ends it. VMs that are being made stay as they are; the next run finishes them. */
  async stop(): Promise<void> {
    this.#forget()
    this.#stop.abort()
    await this.#rounds.stop()
    await this.#makings.stop()
  }

  /** Something changed: a VM was claimed, or is gone. However often it is called, one round follows. */
  request(): void {
    this.#rounds.request()
  }

  /** Whether its rounds are alive, by the name that CDS's status shows. */
  get health(): ReadonlyMap<string, boolean> {
    return new Map([[this.#rounds.name, this.#rounds.isHealthy]])
  }

  /** How all pools stand, those that are no longer configured included. Throws InventoryNotLive. */
  pools(): readonly PoolReport[] {
    const stocks = this.#stocks(leftovers(this.#options))
    const configured = new Set(this.#pools.map(({ key }) => key))
    const others = Array.from(stocks.keys()).filter(key => !configured.has(key))
    return [...this.#pools, ...others.map(unknownPool)].map(pool =>
      poolReport(pool, stocks.get(pool.key) ?? nothing, this.#waits.get(pool.key)),
    )
  }

  async #round(signal: AbortSignal): Promise<void> {
    const { platform } = this.#options
    await platform.inventory.whenLive(signal)
    const models = await this.#readModels()
    // From here on to the end nothing waits, so that no decision rests on what was true a moment ago.
    if (platform.inventory.state.kind !== 'live') return this.#rounds.request()
    const sources = new Map(this.#pools.map(pool => [pool.key, sourceOf(this.#options, pool, models.get(pool.key))]))
    const left = leftovers(this.#options)
    const stocks = this.#stocks(left)
    const heldBack = this.#finishHalfMade(stocks)
    this.#takeDown(stocks, sources)
    const names = this.#clearRecords(left, stocks)
    this.#makeMissing(stocks, sources, names, heldBack)
  }

  /** What CDS says of the V1 models that VMs are to stand ready for. */
  async #readModels(): Promise<ReadonlyMap<string, KnownModel>> {
    const { models } = this.#options
    const read = async ({ key, model }: Pool): Promise<[string, KnownModel]> => {
      const found = await models.v1ByPath(model).catch((error: unknown) => ({ problem: `CDS could not be asked: ${causeOf(error, [])}` }))
      return [key, found]
    }
    return new Map(await Promise.all(this.#pools.filter(({ version }) => version === 1).map(read)))
  }

  /**
   * VMs that an earlier run left before they were ready are booted once, or removed if they were to go. Returns the pools of which some
   * are held back, because the limits leave no room to boot them.
   */
  #finishHalfMade(stocks: ReadonlyMap<string, Stock>): ReadonlySet<string> {
    const { records, underWay, fleet, settings } = this.#options
    const heldBack = new Set<string>()
    for (const [key, { halfMade }] of stocks) {
      const pool = this.#pools.find(each => each.key === key) ?? unknownPool(key)
      for (const { vm, note } of halfMade) {
        const { id, name, cpus, memoryMB } = vm
        const phase = records.get(name)?.status?.phase
        const address = note.ipAddress === '' ? undefined : note.ipAddress
        underWay.unfinished.add(name)
        // It was switched off for the last time: only its record is still there.
        const isDone = vm.power === 'off' && phase === 'Stopping'
        const isUnwanted = pool.wanted === 0 || phase === 'TearingDown'
        const isToBoot = vm.power === 'off' && !isDone && !isUnwanted
        if (isToBoot && sizeProblem({ cpus, memoryMB }, fleet.allocated(), settings) !== undefined) {
          heldBack.add(key)
          continue
        }
        const undertaking = underWay.begin({
          purpose: 'Provision',
          jobId: '',
          vmName: name,
          vmId: id,
          size: { cpus, memoryMB },
          model: key,
        })
        this.#makings.begin(undertaking, async signal => {
          if (isDone) return await standsReady(this.#options, name)
          if (isUnwanted) return await this.#makings.discard(name, id, 'it was never finished', signal)
          const made = { name, pool, id, address }
          await mustBeAlone(this.#options, made, signal)
          return await bootOnce(this.#options, made, signal)
        })
      }
    }
    return heldBack
  }

  /**
   * Removes what stands ready and is too much, no longer wanted, made of a template that was replaced since, or has an address that it
   * must leave to another VM. Nobody claims it while another one has its address, whichever of them is to go.
   */
  #takeDown(stocks: ReadonlyMap<string, Stock>, sources: Sources): void {
    for (const [key, stock] of stocks) {
      const source = sources.get(key)
      const isOld = ({ note }: FleetVm) =>
        source?.kind === 'template' && source.lastModified !== '' && note.workerModelLastModified !== source.lastModified
      const mustYield = (each: FleetVm) => this.#options.fleet.mustYield(each)
      for (const vm of stock.ready.filter(isOld)) this.#remove(vm, 'it was made of an older template of its worker model')
      for (const vm of stock.ready.filter(mustYield)) this.#remove(vm, 'another VM has its address, or is to have it')
      const wanted = this.#pools.find(pool => pool.key === key)?.wanted ?? 0
      const current = { ...stock, ready: stock.ready.filter(vm => !isOld(vm) && !mustYield(vm)) }
      for (const vm of surplus(wanted, current)) this.#remove(vm, 'more VMs stand ready than are wanted')
    }
  }

  #remove({ vm }: FleetVm, why: string): void {
    const { removal, log } = this.#options
    const { signal } = this.#stop
    removal.remove(vm, why, signal).then(
      () => this.request(),
      (error: unknown) => {
        if (!signal.aborted) log.warn('a VM that stood ready could not be removed; it is tried again', { vm: vm.name, error })
      },
    )
  }

  /**
   * Removes the records of VMs that are not there and will not come. Returns the names, by pool, of those that can still be used:
   * they have their record, and perhaps their address.
   */
  #clearRecords(left: readonly Leftover[], stocks: ReadonlyMap<string, Stock>): ReadonlyMap<string, string[]> {
    const { records, underWay, clock } = this.#options
    const names = new Map<string, string[]>()
    for (const { name, key, isDoomed, vm } of left) {
      if (vm === 'coming') this.#rounds.requestAt(clock.now() + lookAgainAfter)
      if (vm !== 'none') continue
      const pool = this.#pools.find(each => each.key === key)
      const usable = names.get(key) ?? []
      if (!isDoomed && pool !== undefined && usable.length < missing(pool.wanted, stocks.get(key) ?? nothing)) {
        names.set(key, [...usable, name])
        continue
      }
      underWay.unfinished.delete(name)
      void records.remove(name)
    }
    return names
  }

  #makeMissing(
    stocks: ReadonlyMap<string, Stock>,
    sources: Sources,
    names: ReadonlyMap<string, string[]>,
    heldBack: ReadonlySet<string>,
  ): void {
    const { clock } = this.#options
    const lacking = new Map(this.#pools.map(({ key, wanted }) => [key, missing(wanted, stocks.get(key) ?? nothing)]))
    if (Array.from(lacking.values()).some(count => count > 0) && !this.#hasAddress()) this.#noAddressUntil = clock.now() + addressPause
    const canMake = ({ key }: Pool) => (lacking.get(key) ?? 0) > 0 && this.#whyNot(key, sources) === undefined
    for (let next = this.#next(canMake); next !== undefined; next = this.#next(canMake)) {
      lacking.set(next.key, (lacking.get(next.key) ?? 0) - 1)
      const source = sources.get(next.key)
      if (source?.kind === 'template') this.#make(next, source, names.get(next.key)?.shift())
    }
    for (const version of [1, 2] as const) {
      if (!this.#pools.some(pool => pool.version === version && (lacking.get(pool.key) ?? 0) > 0)) this.#turns[version].reset()
    }
    const waiting = this.#pools.flatMap(({ key }) => {
      const why = (lacking.get(key) ?? 0) > 0 || heldBack.has(key) ? this.#whyNot(key, sources) : undefined
      return why === undefined ? [] : [[key, why] as const]
    })
    this.#waits = new Map(waiting)
    const soonest = Math.min(...waiting.map(([, { until = Infinity }]) => until))
    if (soonest < Infinity) this.#rounds.requestAt(Math.max(soonest, clock.now()) + 1)
  }

  /** Whose turn it is: those that do not fail before those that do, V2 models before V1 models, and within each in their order. */
  #next(canMake: (pool: Pool) => boolean): Pool | undefined {
    for (const isSick of [false, true]) {
      for (const version of [2, 1] as const) {
        const pools = this.#pools.filter(pool => pool.version === version)
        const place = this.#turns[version].next(pools.map(pool => this.#setbacks.isSick(pool.key) === isSick && canMake(pool)))
        if (place !== undefined) return pools[place]
      }
    }
    return undefined
  }

  /** Why no VM is begun for a pool now. */
  #whyNot(key: string, sources: Sources): PoolWait | undefined {
    const { settings, clock, fleet } = this.#options
    const source = sources.get(key)
    if (source?.kind === 'none') return source.why
    const setback = this.#setbacks.of(key)
    if (setback !== undefined) {
      const times = setback.failures === 1 ? 'attempt' : `${setback.failures} attempts`
      return { reason: 'Failed', message: `the last ${times} failed: ${causeOf(setback.error, [])}`, until: setback.until }
    }
    if (this.#noAddressUntil > clock.now()) {
      const unblock = 'add a range of addresses, or ask for fewer VMs'
      return { reason: 'NoAddressFree', message: 'no address is free', until: this.#noAddressUntil, unblock }
    }
    const problem = source === undefined ? undefined : sizeProblem(source.size, fleet.allocated(), settings)
    if (problem !== undefined) {
      const message = `${problem}, and a VM must run once before it stands ready`
      return {
        reason: 'LimitReached',
        message,
        until: clock.now() + roomPause,
        unblock: 'raise maxCpus or maxMemoryMB, or ask for fewer VMs',
      }
    }
    const { provisioningPoolSize: most } = settings
    const ages = this.#agesBeside(key)
    if (most === 0 || ages.length < most) return undefined
    const message = `${ages.length} VMs are being made, ${most} may be at a time`
    const oldest = Math.max(...ages.filter(age => age < stuckAfter))
    return { reason: 'PoolSize', message, ...(oldest >= 0 && { until: clock.now() + stuckAfter - oldest }) }
  }

  /** The ages of VMs being made that take one of the places. Those of other pools that are sick or stuck keep nobody from going on. */
  #agesBeside(key: string): readonly number[] {
    const now = this.#options.clock.monotonic()
    const counts = ({ pool, since }: Making) => pool === key || (!this.#setbacks.isSick(pool) && now - since < stuckAfter)
    return Array.from(this.#makings.all()).flatMap(making => (counts(making) ? [now - making.since] : []))
  }

  #hasAddress(): boolean {
    try {
      return this.#options.addresses.hasFree()
    } catch (error) {
      // Leases are still being read. Whoever asks for an address waits for that.
      if (NotSynced.is(error)) return true
      throw error
    }
  }

  #make(pool: Pool, { template, lastModified, size, resize }: PoolSource & { readonly kind: 'template' }, known: string | undefined): void {
    const { fleet, underWay, chance, records } = this.#options
    const isTaken = (name: string) => fleet.named(name).length > 0 || underWay.hasName(name) || records.get(name) !== undefined
    const name = known ?? generateVmName(`provision-v${pool.version}`, chance, isTaken)
    const undertaking = underWay.begin({ purpose: 'Provision', jobId: '', vmName: name, size, model: pool.key })
    const provision = { name, pool, template, size: resize, lastModified }
    this.#makings.begin(undertaking, signal => makeProvision(this.#options, provision, undertaking, signal))
  }

  #stocks(left: readonly Leftover[]): ReadonlyMap<string, Stock> {
    const { fleet, underWay } = this.#options
    const onTheirWay = left.flatMap(({ key, vm }) => (vm === 'coming' ? [key] : []))
    return takeStock({ provisions: [...fleet.provisions(2), ...fleet.provisions(1)], underWay, onTheirWay })
  }

  /** A VM that stood ready was changed by others, or a template came: both are reasons to look. */
  #changed({ old, now }: VmChange): void {
    if (now?.template === true && old?.template !== true) return this.#rounds.request()
    if (old === undefined || !isProvisionName(old.name) || this.#options.underWay.has(old)) return
    if (now === undefined || now.power !== old.power || now.annotation !== old.annotation) this.#rounds.request()
  }
}
