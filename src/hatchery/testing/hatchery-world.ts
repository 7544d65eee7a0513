import { AddressLease, allKinds, Spawn } from '../../kinds/index.ts'
import { AddressAuthority, addressNetwork, aroundCalls, type Platform, type Vm } from '../../platform/index.ts'
import {
  type HttpClient,
  prometheusMetrics,
  recordingLog,
  Secret,
  seededChance,
  simulatedHttp,
  Unreachable,
  VirtualClock,
} from '../../ports/index.ts'
import {
  type CdsEvent,
  connectToCds,
  type JobV1,
  type JobV2,
  type ModelV2,
  SimulatedCds,
  simulatedPlatform,
  SimulatedWorld,
  type WorkerProgramsOptions,
  workerPrograms,
  type WorldOptions,
} from '../../simulation/index.ts'
import { memoryStore, type Store } from '../../store/index.ts'
import { connectCds } from '../cds/connect.ts'
import { readWorkerNote, type WorkerNote, workerNote, writeWorkerNote } from '../fleet/worker-note.ts'
import { Hatchery } from '../hatchery.ts'
import type { HatcherySettings } from '../settings.ts'
import { testRsaKey } from './operator-file.ts'
import { plainSettings } from './plain-settings.ts'

/** How a V1 model of tests is started. */
export const v1Machine = {
  image: 'debian12',
  pre_cmd: 'curl {{.API}}/download',
  cmd: './worker --config={{.Config}}',
  post_cmd: 'sudo shutdown -h now',
  user: 'root',
  password: 'secret-of-guest',
} as const

/** What a test wants to be different. */
export interface HatcheryWorldOptions {
  readonly seed?: number | string
  readonly settings?: Partial<HatcherySettings>
  readonly provision?: Partial<HatcherySettings['provision']>
  readonly world?: Partial<WorldOptions>
  readonly workers?: Partial<WorkerProgramsOptions>
  /** False: what is started in guests ends by itself and signs in nowhere. */
  readonly playWorkers?: boolean
}

/** One run of the program. */
export interface ProgramRun {
  readonly hatchery: Hatchery
  readonly platform: Platform
  readonly addresses: AddressAuthority
  /** From one moment to the next it is gone: no call is answered, nothing is written any more. */
  crash(): void
}

/** The name under which the hatchery of these tests is known. */
export const hatcheryName = 'hv1'

/** Settings for tests that need no world: documented defaults, named `hv1`. */
export function testSettings(given: Partial<HatcherySettings> = {}): HatcherySettings {
  const plain = plainSettings()
  const worker = { ...plain.provision.worker, apiUrl: 'http://cds.test' }
  return { ...plain, name: hatcheryName, provision: { ...plain.provision, worker }, ...given }
}

const region = 'eu'
const cdsUrl = 'http://cds.simulated'

/**
 * The outside of a hatchery: time, a vCenter, CDS with workers, and a store, which outlive every run of the program; and the runs
 * themselves, which can crash at any moment.
 */
export class HatcheryWorld {
  readonly clock = new VirtualClock()
  readonly log = recordingLog()
  readonly vcenter: SimulatedWorld
  readonly cds: SimulatedCds
  readonly events: CdsEvent[] = []
  /** How often a call of the hatchery to CDS goes wrong, between 0 and 1. Those of workers do not: they may die of it. */
  cdsFaults = 0
  /** Whether the hatchery, and it alone, reaches CDS by no call. */
  cdsAway = false
  readonly settings: HatcherySettings
  store: Store
  readonly #seed: string
  #runs = 0

  constructor(options: HatcheryWorldOptions = {}) {
    const { seed = 1, world = {}, workers = {}, playWorkers = true } = options
    const { clock } = this
    this.#seed = String(seed)
    const chance = seededChance(`${this.#seed} world`)
    this.vcenter = new SimulatedWorld({ clock, chance, templates: [{ name: 'debian12', cpus: 2, memoryMB: 4096 }], ...world })
    this.cds = new SimulatedCds({ clock, chance: seededChance(`${this.#seed} cds`), url: cdsUrl })
    this.cds.listen(event => this.events.push(event))
    this.settings = this.#settings(options)
    this.store = this.#newStore()
    const http = simulatedHttp(this.cds.handler, { clock })
    const programs = workerPrograms({ clock, chance: seededChance(`${this.#seed} workers`), http, work: [20_000, 60_000], ...workers })
    if (playWorkers) this.vcenter.onProgram(programs)
  }

  /** Starts the program, and moves time on until it works. */
  async start(run = this.begin()): Promise<ProgramRun> {
    let works = false
    let problem: unknown
    run.hatchery.start().then(
      () => (works = true),
      (error: unknown) => (problem = error),
    )
    for (let tries = 0; !works && tries < 600; tries++) {
      if (problem !== undefined) throw problem
      await this.clock.advance(1_000)
    }
    if (!works) throw new Error('the hatchery did not start')
    return run
  }

  /** Puts the program together without starting it. `onCall` is told of each call to the outside, before it is made. */
  begin(onCall: (call: string) => void = () => {}): ProgramRun {
    const { clock, log, settings, vcenter } = this
    const chance = seededChance(`${this.#seed} run ${++this.#runs}`)
    const [store, crashStore] = crashable(this.store, onCall)
    const client = simulatedPlatform({ world: vcenter, chance })
    const platform = aroundCalls(client, ({ operation, target }, next) => {
      onCall(`${operation} ${target}`)
      return next()
    })
    const connection = connectToCds(this.cds, clock)
    const faults = seededChance(`${this.#seed} faults ${this.#runs}`)
    const http: HttpClient = {
      ...connection.http,
      send: async request => {
        onCall(`${request.method} ${new URL(request.url).pathname}`)
        if (this.cdsAway) throw Unreachable({ target: cdsUrl, why: 'simulated outage', sent: false })
        const isFaulty = faults.fraction() < this.cdsFaults
        const kind = faults.pick(['before', 'after', 'hang'] as const)
        if (!isFaulty) return await connection.http.send(request)
        if (kind === 'before') throw Unreachable({ target: cdsUrl, why: 'simulated', sent: false })
        const answer = kind === 'after' || faults.fraction() < 0.5 ? await connection.http.send(request) : undefined
        if (kind === 'hang') await clock.sleep(request.timeout ?? 10_000, request.signal)
        throw Unreachable({ target: cdsUrl, why: `simulated ${answer?.status}`, sent: true })
      },
    }
    const addresses = new AddressAuthority({ store, platform, networks: settings.networks, clock, chance, log })
    addresses.start()
    const cds = connectCds({ settings, http, webSockets: connection.webSockets, clock, chance, log, hostname: 'test' })
    const hatchery = new Hatchery({ settings, platform, addresses, store, cds, clock, chance, log, metrics: prometheusMetrics() })
    const crash = () => {
      crashStore()
      connection.crash()
      client.crash()
    }
    return { hatchery, platform, addresses, crash }
  }

  /** Ends the program in good order, and moves time on until it has. */
  async stop({ hatchery, addresses }: ProgramRun): Promise<void> {
    let isOver = false
    const end = () => (isOver = true)
    Promise.all([hatchery.stop(), addresses.stop()]).then(end, end)
    await this.until(() => isOver, 60)
  }

  /** Everything that was in the store is lost. */
  loseStore(): void {
    this.store = this.#newStore()
  }

  seconds(count: number): Promise<void> {
    return this.clock.advance(count * 1_000)
  }

  minutes(count: number): Promise<void> {
    return this.clock.advance(count * 60_000)
  }

  /** Moves time on, a second at a time, until something is so; fails after `seconds`. */
  async until(isSo: () => boolean | Promise<boolean>, seconds = 1_200): Promise<void> {
    for (let passed = 0; passed <= seconds; passed++) {
      if (await isSo()) return
      await this.seconds(1)
    }
    throw new Error(`it did not come about within ${seconds} s`)
  }

  /** A V2 job on the model of these tests. */
  addJob(given: { readonly flavor?: string; readonly spec?: ModelV2['spec']; readonly project?: string } = {}): JobV2 {
    const { spec = {}, ...rest } = given
    const model = { name: 'debian-model', osarch: 'linux/amd64', type: 'vsphere', spec: { image: 'debian12', ...spec } }
    return this.cds.addJobV2({ region, model, ...rest })
  }

  /** A V1 job on the V1 model `shared.infra/debian`, whose template stands ready. */
  addV1Job(given: Parameters<SimulatedCds['addJobV1']>[0] = {}): JobV1 {
    return this.cds.addJobV1({ requirements: [{ name: 'debian', type: 'model', value: 'shared.infra/debian' }], ...given })
  }

  /** A V1 model that is registered, with the template that was built for it. */
  addV1Model(given: Partial<Parameters<SimulatedCds['addModelV1']>[0]> = {}): void {
    const model = this.cds.addModelV1({ name: 'debian', needRegistration: false, machine: v1Machine, ...given })
    const note = {
      model: true,
      workerModelPath: `shared.infra/${model.name}`,
      workerModelLastModified: String(Math.floor(model.userLastModified / 1000)),
    }
    this.vcenter.addVm({ name: model.name, template: true, annotation: writeWorkerNote(this.note(note)) })
  }

  /** A VM that stands ready, with an address of the range. */
  addProvision(name: string, given: Partial<WorkerNote> = {}, more: Partial<Pick<Vm, 'power' | 'cpus' | 'memoryMB'>> = {}): Vm {
    const note = this.note({ workerName: name, provisioning: true, vmwareModelPath: 'debian12', ...given })
    return this.vcenter.addVm({ name, annotation: writeWorkerNote(note), cpus: 2, memoryMB: 4096, ...more })
  }

  note(given: Partial<WorkerNote>): WorkerNote {
    return workerNote({ hatcheryName, created: this.clock.now(), ...given })
  }

  /** VMs but templates. */
  vms(): readonly Vm[] {
    return this.vcenter.vms().filter(({ template }) => !template)
  }

  /** Workers' VMs by what their notes say. */
  workerNotes(): readonly WorkerNote[] {
    return this.vms().flatMap(vm => readWorkerNote(vm) ?? [])
  }

  async spawns(): Promise<readonly Spawn[]> {
    return (await this.store.list(Spawn)).items.map(({ object }) => object)
  }

  async leases(): Promise<readonly AddressLease[]> {
    return (await this.store.list(AddressLease)).items.map(({ object }) => object)
  }

  /** What was told to whoever watches a V2 job, a line each. */
  told(job: JobV2): readonly string[] {
    return job.infos.map(({ level, message }) => `${level}: ${message}`)
  }

  #newStore(): Store {
    return memoryStore({ kinds: allKinds, clock: this.clock, chance: seededChance(`${this.#seed} store`) })
  }

  #settings({ settings = {}, provision = {} }: HatcheryWorldOptions): HatcherySettings {
    const plain = plainSettings()
    return {
      ...plain,
      name: hatcheryName,
      key: new Secret(testRsaKey()),
      api: {
        ...plain.api,
        url: cdsUrl,
        tokenV1: new Secret(this.cds.addHatcheryV1({ name: hatcheryName })),
        tokenV2: new Secret(this.cds.addHatcheryV2({ name: hatcheryName, region })),
      },
      provision: { ...plain.provision, worker: { ...plain.provision.worker, apiUrl: cdsUrl }, ...provision },
      networks: [addressNetwork({ name: 'workers', ranges: '10.0.0.0/28', gateway: '10.0.0.14', subnetMask: '255.255.255.240' })],
      credentials: [{ image: 'debian12', path: undefined, user: 'root', password: new Secret('secret-of-guest') }],
      ...settings,
    }
  }
}

/** The same store until the program that uses it crashes: then no call is answered any more, and none is carried out. */
function crashable(store: Store, onCall: (call: string) => void): readonly [store: Store, crash: () => void] {
  let crashed = false
  const never = () => new Promise<never>(() => {})
  const guard = <T>(act: () => Promise<T>): Promise<T> =>
    crashed
      ? never()
      : act().then(
          result => (crashed ? never() : result),
          (error: unknown) => (crashed ? never() : Promise.reject(error)),
        )
  const writing = <T>(call: string, act: () => Promise<T>): Promise<T> => {
    if (!crashed) onCall(call)
    return guard(act)
  }
  const guarded: Store = {
    get: (kind, key) => guard(() => store.get(kind, key)),
    list: (kind, options) => guard(() => store.list(kind, options)),
    create: (kind, draft, options) => writing(`create ${kind.name}`, () => store.create(kind, draft, options)),
    update: (kind, object, options) => writing(`update ${kind.name}`, () => store.update(kind, object, options)),
    delete: (kind, key, options) => writing(`delete ${kind.name}`, () => store.delete(kind, key, options)),
    watch: (kind, options) => ({
      [Symbol.asyncIterator]: () => {
        const source = store.watch(kind, options)[Symbol.asyncIterator]()
        return { next: () => guard(() => source.next()), return: async () => (await source.return?.()) ?? { done: true, value: undefined } }
      },
    }),
    close: () => guard(() => store.close()),
  }
  return [guarded, () => (crashed = true)]
}
