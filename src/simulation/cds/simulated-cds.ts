import type { KeyObject } from 'node:crypto'
import type { Chance, Clock, HttpHandler, WebSocketHandler } from '../../ports/index.ts'
import { LinkFaults } from '../platform/link-faults.ts'
import { about } from './about.ts'
import { Accounts } from './accounts.ts'
import { allHatcheries } from './all-hatcheries.ts'
import { Groups, sharedInfra } from './basics.ts'
import { Front, type FrontOptions } from './front.ts'
import { hatcheriesV1 } from './hatcheries-v1.ts'
import { hatcheriesV2 } from './hatcheries-v2.ts'
import { stranger } from './introduction.ts'
import { apiKey } from './json-web-token.ts'
import { Models, type ModelV1Request } from './models.ts'
import type { CdnConfig, Parts } from './parts.ts'
import { type JobV1Request, QueueV1 } from './queue-v1.ts'
import { type JobV2Request, QueueV2 } from './queue-v2.ts'
import type { BuiltinConsumer, Hatchery, HatcheryConsumer, JobV1, JobV2, ModelV1, ModelV2, WorkerV1, WorkerV2 } from './records.ts'
import { Router } from './router.ts'
import { signingIn } from './signing-in.ts'
import { Sockets } from './sockets.ts'
import { Sweeper } from './sweeper.ts'
import { workerRoutes } from './worker-routes.ts'
import { WorkersV1 } from './workers-v1.ts'
import { WorkersV2 } from './workers-v2.ts'
import { type CdsEvent, Witness, type Wrongs } from './witness.ts'

/** What a simulated CDS is made of. Everything but clock and chance has a default. */
export interface SimulatedCdsOptions {
  readonly clock: Clock
  readonly chance: Chance
  /** As it calls itself in answers. */
  readonly url?: string
  /** Milliseconds from a client to the API and back, from and to. Default 2 to 30. */
  readonly call?: FrontOptions['call']
  /** Where workers send their logs; null: nobody has said so yet. */
  readonly cdn?: CdnConfig | null
}

/** What an operator of V1 asks of CDS for a hatchery. Whatever is given here the hatchery must say at its sign-in. */
export interface HatcheryV1Request {
  readonly name: string
  readonly region?: string
  readonly ignoreJobWithNoRegion?: boolean
  /** Default: `shared.infra`. */
  readonly groups?: readonly string[]
  /** Milliseconds for which the token is good. Default: for ever. */
  readonly validFor?: number
}

const usualCdn: CdnConfig = { tcp_url: 'cdn.simulated:8090', tcp_url_enable_tls: false, http_url: 'http://cdn.simulated:8089' }

/**
 * A CDS API as strict as the real one: it checks every token and signature, refuses what that refuses in the same words, and does by
 * itself, in the time of its clock, what that does. It is there whether or not anybody is connected: `handler` and
 * `webSocketHandler` are its two doors, for a simulated client or for a real port.
 */
export class SimulatedCds {
  /** What goes wrong between clients and this API, by the names of its calls: `take v2`, `book v1`. */
  readonly faults = new LinkFaults()
  readonly handler: HttpHandler
  readonly webSocketHandler: WebSocketHandler
  readonly #parts: Parts
  readonly #front: Front
  readonly #sockets: Sockets
  readonly #sweeper: Sweeper
  readonly #consumersV2 = new Map<string, HatcheryConsumer>()
  readonly #consumersV1 = new Map<string, BuiltinConsumer>()

  constructor(options: SimulatedCdsOptions) {
    const { clock, chance, url = 'http://cds.simulated' } = options
    const key: KeyObject = apiKey()
    const basics = { clock, chance, witness: new Witness(clock), groups: new Groups() }
    const queueV1 = new QueueV1(basics)
    const queueV2 = new QueueV2(basics)
    this.#parts = {
      ...basics,
      url,
      key,
      accounts: new Accounts({ clock, chance, key, issuer: 'api1' }),
      queueV1,
      queueV2,
      workersV1: new WorkersV1(basics, queueV1),
      workersV2: new WorkersV2(basics, queueV2),
      models: new Models(basics),
      regions: new Set(),
      hatcheries: new Map(),
      services: new Map(),
      cdn: { current: options.cdn === null ? undefined : (options.cdn ?? usualCdn) },
    }
    const parts = this.#parts
    const router = new Router(parts, [
      ...about,
      ...signingIn(parts),
      ...allHatcheries(parts),
      ...hatcheriesV1(parts),
      ...hatcheriesV2(parts),
      ...workerRoutes(parts),
    ])
    this.#sockets = new Sockets(parts)
    this.#sweeper = new Sweeper(parts)
    this.#front = new Front({ clock, chance, url, router, sockets: this.#sockets, faults: this.faults, call: options.call ?? [2, 30] })
    this.handler = request => this.#front.answer(request)
    this.webSocketHandler = (request, socket) => this.#front.accept(request, socket)
  }

  /** An operator makes a V1 consumer for a hatchery and gets the token for its configuration. */
  addHatcheryV1(request: HatcheryV1Request): string {
    const { name, region, ignoreJobWithNoRegion, groups = [sharedInfra], validFor } = request
    const { consumer, token } = this.#parts.accounts.addBuiltin({
      name: `${name}-v1`,
      groups: groups.map(each => this.#parts.groups.named(each)),
      bound: {
        name,
        type: 'hatchery',
        ...(region !== undefined && { region }),
        ...(ignoreJobWithNoRegion !== undefined && { ignoreJobWithNoRegion }),
      },
      ...(validFor !== undefined && { validFor }),
    })
    this.#consumersV1.set(name, consumer)
    return token
  }

  /** An operator makes a V2 hatchery and gets the token for its configuration. Without a region it cannot sign in. */
  addHatcheryV2({ name, region }: { readonly name: string; readonly region?: string }): string {
    const { accounts, chance, hatcheries } = this.#parts
    const hatchery: Hatchery = { ...stranger, id: chance.uuid(), name, region: undefined, modelType: '' }
    hatcheries.set(name, hatchery)
    const { consumer, token } = accounts.addHatchery(hatchery)
    this.#consumersV2.set(name, consumer)
    if (region !== undefined) this.grantRegion(name, region)
    return token
  }

  /** An operator lets a V2 hatchery work in a region; it works in one only. */
  grantRegion(hatchery: string, region: string): void {
    this.addRegion(region)
    const found = this.#parts.hatcheries.get(hatchery)
    if (found !== undefined) found.region = region
  }

  addRegion(region: string): void {
    this.#parts.regions.add(region)
  }

  /** An operator replaces the tokens of a hatchery: the old ones are no longer good, sessions stay. */
  renewTokens(name: string): { readonly v1: string | undefined; readonly v2: string | undefined } {
    const [v1, v2] = [this.#consumersV1.get(name), this.#consumersV2.get(name)]
    const renew = (consumer: BuiltinConsumer | HatcheryConsumer | undefined) =>
      consumer === undefined ? undefined : this.#parts.accounts.renew(consumer)
    return { v1: renew(v1), v2: renew(v2) }
  }

  /** Every session of hatcheries and workers ends: they must sign in again, as a worker cannot. */
  endSessions(): void {
    this.#parts.accounts.closeAll()
  }

  /** Every session of hatcheries ends; workers keep theirs. */
  endHatcherySessions(): void {
    for (const consumer of [...this.#consumersV1.values(), ...this.#consumersV2.values()]) this.#parts.accounts.closeAll(consumer)
  }

  /** Somebody starts a V1 job. */
  addJobV1(request: JobV1Request = {}): JobV1 {
    return this.#parts.queueV1.add(request)
  }

  /** Somebody starts a V2 job. */
  addJobV2(request: JobV2Request): JobV2 {
    return this.#parts.queueV2.add(request)
  }

  /** Somebody stops a job. A worker that is at it is not told; it finds out when it sends its result. */
  stopJob(id: string): void {
    const v2 = this.#parts.queueV2.find(id)
    if (v2 !== undefined && v2.ended === undefined) this.#parts.queueV2.end(v2, 'Stopped')
    const v1 = this.#parts.queueV1.find(Number(id))
    if (v1 !== undefined) this.#parts.queueV1.end(v1, 'Stopped')
  }

  addModelV1(request: ModelV1Request): ModelV1 {
    return this.#parts.models.addV1(request)
  }

  /** Somebody edits a V1 model. */
  changeModelV1(model: ModelV1): void {
    this.#parts.models.touchV1(model)
  }

  /** A V2 model that V1 jobs may name: `PROJ/VCS/REPO/MODEL`. */
  addModelV2(reference: string, model: ModelV2, branch?: string): ModelV2 {
    return this.#parts.models.addV2(reference, model, branch)
  }

  setCdn(cdn: CdnConfig | undefined): void {
    this.#parts.cdn.current = cdn
  }

  /** From now on nobody reaches it, or everybody again. It goes on with its own work meanwhile. */
  setReachable(reachable: boolean): void {
    this.#front.setReachable(reachable)
  }

  /** Ends all web sockets: with a goodbye, without one, or so that nobody notices. */
  endWebSockets(how: 'close' | 'breakOff' | 'fallSilent'): void {
    this.#sockets.endAll(how)
  }

  webSockets(): { readonly v1: number; readonly v2: number } {
    return this.#sockets.connected()
  }

  jobsV1(): readonly JobV1[] {
    return this.#parts.queueV1.all()
  }

  jobsV2(): readonly JobV2[] {
    return this.#parts.queueV2.all()
  }

  jobV1(id: number): JobV1 | undefined {
    return this.jobsV1()[id - 1]
  }

  jobV2(id: string): JobV2 | undefined {
    return this.#parts.queueV2.find(id)
  }

  workers(): readonly (WorkerV1 | WorkerV2)[] {
    return [...this.#parts.workersV1.all(), ...this.#parts.workersV2.all()]
  }

  /** What a hatchery said in its latest heartbeat, V1 and V2. */
  statusOf(name: string): { readonly v1: readonly unknown[]; readonly v2: readonly unknown[] } {
    const { services, hatcheries } = this.#parts
    return { v1: services.get(name)?.service?.status ?? [], v2: hatcheries.get(name)?.status ?? [] }
  }

  /** Jobs that a hatchery has taken or booked and that no worker has begun. None may be left when all is done. */
  heldJobs(): readonly string[] {
    const { queueV1, queueV2 } = this.#parts
    const v1 = Array.from(queueV1.live()).filter(job => job.status === 'Waiting' && queueV1.bookedBy(job) !== undefined)
    const v2 = Array.from(queueV2.live()).filter(job => job.status === 'Scheduling')
    return [...v1.map(job => String(job.id)), ...v2.map(job => job.id)]
  }

  /** What no hatchery may ever bring about. */
  wrongs(): Wrongs {
    return this.#parts.witness.wrongs()
  }

  /** How often each call was made, answered or not. */
  calls(): ReadonlyMap<string, number> {
    return this.#front.calls
  }

  listen(listener: (event: CdsEvent) => void): () => void {
    return this.#parts.witness.listen(listener)
  }

  /** Ends what it does by itself. */
  stop(): void {
    this.#sweeper.stop()
    this.#sockets.endAll('close')
  }
}
