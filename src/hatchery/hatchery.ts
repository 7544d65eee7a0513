import type { AddressAuthority, AddressCounts, Platform } from '../platform/index.ts'
import type { Chance, Clock, HttpHandler, Log, Metrics } from '../ports/index.ts'
import type { Store } from '../store/index.ts'
import { CdnAddress } from './cdn-address.ts'
import type { JobSource, StatusLine } from './cds/cds.ts'
import type { ConnectedCds } from './cds/connect.ts'
import { signInPatiently } from './cds/patient-sign-in.ts'
import { Cleaner } from './cleanup/cleaner.ts'
import { Removal } from './cleanup/removal.ts'
import { Dispatcher } from './dispatch/dispatcher.ts'
import { HatcheryRejected } from './errors.ts'
import { Fleet } from './fleet/fleet.ts'
import { UnderWay } from './fleet/under-way.ts'
import { Attempts } from './gates/attempts.ts'
import { Gates } from './gates/gates.ts'
import { WorkerPool } from './gates/worker-pool.ts'
import { Heartbeats } from './heartbeats.ts'
import { jobSource } from './jobs/job-source.ts'
import { ModelBook } from './models/model-book.ts'
import { HappeningCounters } from './monitoring/happening-counters.ts'
import { Monitoring } from './monitoring/monitoring.ts'
import { Provisioner } from './provisioning/provisioner.ts'
import { Registrar } from './registration/registrar.ts'
import { RegistrationWaits } from './registration/registration-waits.ts'
import type { HatcherySettings } from './settings.ts'
import { type JobRow, jobRows, type WorkerRow, workerRows } from './snapshot.ts'
import { adoptSpawns } from './spawn/adoption.ts'
import { SpawnRecords } from './spawn/spawn-records.ts'
import { Spawner } from './spawn/spawner.ts'
import type { SpawnerOptions } from './spawn/spawner-options.ts'
import { type StartWait, startLine } from './start-wait.ts'

/** What a hatchery works with. The platform's connection and addresses belong to whoever hands them over, and outlive it. */
export interface HatcheryOptions {
  readonly settings: HatcherySettings
  readonly platform: Platform
  /** The same platform for work that no job waits for, which is to leave room for all other. Default: `platform`. */
  readonly background?: Platform
  /** Started. */
  readonly addresses: AddressAuthority
  readonly store: Store
  readonly cds: ConnectedCds
  readonly clock: Clock
  readonly chance: Chance
  readonly log: Log
  /** The hatchery's own: everything in it is shown to anybody at `/mon/metrics`. */
  readonly metrics: Metrics
  /** What CDS compares with its own version. */
  readonly version?: string
  /** What the status shows; default the machine's. */
  readonly hostname?: string
}

/** How old the list of workers may be in a heartbeat. */
const workersMayBe = 20_000

/** How long saying goodbye to CDS may take. */
const goodbyeLimit = 5_000

/**
 * A hatchery: hears of jobs that wait in CDS, decides which may start, and starts workers for them on VMs; keeps VMs ready, removes
 * those that are done, registers worker models. This is where its parts are put together; each of them can be read alone.
 */
export class Hatchery {
  readonly fleet: Fleet
  readonly pool: WorkerPool
  readonly underWay = new UnderWay()
  /** Rejects with HatcheryRejected when CDS does not let it go on, and resolves when it is stopped. */
  readonly ended: Promise<void>
  readonly #options: HatcheryOptions
  readonly #log: Log
  readonly #records: SpawnRecords
  readonly #spawning: SpawnerOptions
  readonly #provisioner: Provisioner
  readonly #cleaner: Cleaner
  readonly #registrar: Registrar
  readonly #monitoring: Monitoring
  readonly #dispatcher: Dispatcher
  readonly #jobs: JobSource
  readonly #heartbeats: Heartbeats
  readonly #cdn: CdnAddress
  readonly #stop = new AbortController()
  #adoption: Promise<void> = Promise.resolve()
  /** What it waits for before it works. */
  #startWait: StartWait | undefined
  #end: (error?: Error) => void = () => {}
  #stopping: Promise<void> | undefined

  constructor(options: HatcheryOptions) {
    const { settings, platform, cds, store, clock, chance, addresses, metrics } = options
    const { underWay } = this
    this.#options = options
    const log = (this.#log = options.log.with({ hatchery: settings.name }))
    this.ended = new Promise((resolve, reject) => {
      this.#end = error => (error === undefined ? resolve() : reject(error))
    })
    this.ended.catch(() => {})
    const fleet = (this.fleet = new Fleet({ settings, platform, underWay }))
    const pool = (this.pool = new WorkerPool({ settings, cds, fleet, underWay, clock, log }))
    const models = new ModelBook({ cds, clock, log })
    const registrations = new RegistrationWaits(settings.provision)
    const attempts = new Attempts({ max: settings.provision.maxAttempts, clock, chance })
    const records = (this.#records = new SpawnRecords({ store, hatchery: settings.name, clock, log }))
    const removal = new Removal({ platform, underWay, clock, log })
    const counters = new HappeningCounters(metrics, settings.name)
    const outside = { settings, platform, cds, addresses, clock, chance, log, metrics }
    const shared = { ...outside, records, fleet, underWay, models, registrations, removal, pool, attempts, counters }
    this.#cdn = new CdnAddress({ settings, cds, clock, log })
    this.#provisioner = new Provisioner({ ...shared, platform: options.background ?? platform })
    const refill = () => this.#provisioner.request()
    this.#spawning = { ...shared, cdn: signal => this.#cdn.get(signal), onClaim: refill }
    const spawner = new Spawner(this.#spawning)
    this.#cleaner = new Cleaner({ ...shared, onRemoved: refill })
    const gates = new Gates(shared)
    this.#dispatcher = new Dispatcher({ ...shared, hatchery: settings.name, gates, spawner, inventory: platform.inventory })
    this.#registrar = new Registrar({ ...shared, gates, spawner })
    const onEvent = (version: 1 | 2) => {
      counters.count('jobs_websocket_count')
      counters.count(version === 1 ? 'job_received_in_queue_polling_ws_v1_count' : 'job_received_in_queue_polling_ws_v2_count')
    }
    this.#jobs = jobSource({ cds, settings, isPending: id => this.#dispatcher.isPending(id), clock, chance, log, onEvent })
    const { version, hostname } = options
    const about = { ...(version !== undefined && { version }), ...(hostname !== undefined && { hostname }) }
    this.#monitoring = new Monitoring({ ...shared, jobs: () => this.#dispatcher.jobs(), health: () => this.health, ...about })
    this.#heartbeats = new Heartbeats({
      cds,
      lines: signal => this.#status(signal),
      maxFailures: settings.api.maxHeartbeatFailures,
      clock,
      log,
      onRejected: why => this.#reject(why),
    })
  }

  /**
   * Signs in, takes up what an earlier run left, makes VMs ready, and then listens for jobs. Resolves when it works; rejects if CDS
   * does not sign it in within five minutes. Nothing is decided before the inventory is live.
   */
  async start(): Promise<void> {
    try {
      await this.#startAll(this.#stop.signal)
    } catch (error) {
      await this.stop()
      throw error
    }
  }

  /** Ends it. Workers, VMs and tasks stay as they are; whatever is half done is taken up at the next start. */
  stop(): Promise<void> {
    this.#stopping ??= this.#stopAll()
    return this.#stopping
  }

  /** Whether each of its loops is alive, by the names that CDS's status shows. */
  get health(): ReadonlyMap<string, boolean> {
    const parts = [this.#provisioner, this.#cleaner, this.#registrar, this.#dispatcher, this.#jobs]
    return new Map(parts.flatMap(({ health }) => Array.from(health)))
  }

  /** The `/mon/…` pages, to be put on the hatchery's port. */
  get pages(): HttpHandler {
    return this.#monitoring.handler
  }

  /** Workers, known to CDS or only to the platform. Throws InventoryNotLive and WorkersNotKnown. */
  workers(): readonly WorkerRow[] {
    return workerRows(this.pool, this.fleet)
  }

  /** How many VMs stand ready, and why not more. Throws InventoryNotLive. */
  pools(): ReturnType<Provisioner['pools']> {
    return this.#provisioner.pools()
  }

  /** Jobs that wait, or for which a worker is being started, and how far that is. */
  jobs(): readonly JobRow[] {
    return jobRows(this.#dispatcher.jobs(), this.#records)
  }

  /** What became of the addresses of each network. Throws InventoryNotLive. */
  addresses(): readonly AddressCounts[] {
    return this.#options.addresses.counts()
  }

  /** What keeps it from starting any worker, in a sentence; undefined once it works. Jobs that wait are not known before. */
  get startLine(): string | undefined {
    return this.#startWait === undefined ? undefined : startLine(this.#startWait)
  }

  /** Why a job has no worker yet; undefined if it is not known here. */
  why(jobId: string): JobRow | undefined {
    return this.jobs().find(({ job }) => job === jobId)
  }

  async #startAll(signal: AbortSignal): Promise<void> {
    const { cds, clock, platform } = this.#options
    this.#monitoring.start()
    this.#waitFor('CDS signs it in')
    await signInPatiently(cds, { clock, log: this.#log }, signal)
    this.#heartbeats.start()
    this.#waitFor('it has read its records and everything that is in the vCenter')
    await Promise.all([this.#records.load(signal), platform.inventory.whenLive(signal)])
    // Before anything is decided: what is half done is nobody else's.
    this.#adoption = adoptSpawns(this.#spawning, signal)
    this.#provisioner.start()
    this.#cleaner.start()
    // No worker could be told where its logs go before.
    this.#waitFor('CDS says where its CDN is, to which workers send their logs (a CDN must have signed in to CDS)')
    await this.#cdn.get(signal)
    this.#startWait = undefined
    this.#registrar.start()
    this.#dispatcher.start()
    this.#jobs.start(jobs => this.#dispatcher.heard(jobs))
    // The first heartbeat was sent before anything ran: CDS need not show that for half a minute.
    void this.pool
      .refresh(signal)
      .catch(() => {})
      .finally(() => this.#heartbeats.request())
    this.#log.info('the hatchery works')
  }

  #waitFor(what: string): void {
    this.#startWait = { what, since: this.#options.clock.now() }
  }

  /** The status that CDS is told. An idle hatchery asks for its workers only here. */
  async #status(signal: AbortSignal): Promise<readonly StatusLine[]> {
    await this.pool.refresh(signal, workersMayBe).catch(() => {})
    return this.#monitoring.status()
  }

  #reject(why: string): void {
    const error = HatcheryRejected({ hatchery: this.#options.settings.name, why })
    this.#log.error('the hatchery stops', { error })
    this.#end(error)
    void this.stop()
  }

  async #stopAll(): Promise<void> {
    const { cds, clock } = this.#options
    this.#stop.abort(new Error('the hatchery stops'))
    const parts = [this.#jobs, this.#dispatcher, this.#registrar, this.#provisioner, this.#cleaner, this.#heartbeats, this.#monitoring]
    await Promise.allSettled([...parts.map(part => part.stop()), this.#adoption])
    this.fleet.stop()
    using limit = clock.deadline(goodbyeLimit)
    await cds.v1?.signOut(limit.signal).catch((error: unknown) => this.#log.debug('CDS was not told that the hatchery stops', { error }))
    this.#end()
  }
}
