import { type Capacity, IndexedInventory, readNote, type Vm } from '../../platform/index.ts'
import { recordingLog, Secret, seededChance, VirtualClock } from '../../ports/index.ts'
import { CdsRefused } from '../cds/errors.ts'
import type { Cds, CdsV1, CdsV2, RegisteredWorker, V1Model } from '../cds/cds.ts'
import { modelPath as modelReferencePath } from '../cds/model-reference.ts'
import { Fleet } from '../fleet/fleet.ts'
import { UnderWay } from '../fleet/under-way.ts'
import { type WorkerNote, workerNote, writeWorkerNote } from '../fleet/worker-note.ts'
import { Attempts } from '../gates/attempts.ts'
import { Gates } from '../gates/gates.ts'
import type { Verdict } from '../gates/verdict.ts'
import { WorkerPool } from '../gates/worker-pool.ts'
import { bareJob } from '../jobs/bare-job.ts'
import type { Job, V2Model } from '../jobs/job.ts'
import { ModelBook } from '../models/model-book.ts'
import { modelPath } from '../models/starter-models.ts'
import { RegistrationWaits } from '../registration/registration-waits.ts'
import type { HatcherySettings, ProvisionSettings } from '../settings.ts'
import { plainSettings } from './plain-settings.ts'
import { v1Model } from './scripted-cds.ts'

/** What a world of gates begins with. */
export interface GateWorldOptions {
  readonly settings?: Partial<HatcherySettings>
  readonly provision?: Partial<ProvisionSettings>
  /** Which tokens there are. Default: both. */
  readonly tokens?: readonly (1 | 2)[]
}

type GivenVm = Partial<Omit<Vm, 'note' | 'annotation'>> & { readonly name: string; readonly note?: Partial<WorkerNote> | string }

/** Everything that gates look at, in memory: an inventory, addresses, a resource pool and a CDS that a test moves by hand. */
export class GateWorld {
  readonly clock = new VirtualClock({ start: 1_700_000_000_000 })
  readonly log = recordingLog()
  readonly inventory = new IndexedInventory('vCenter', this.clock)
  readonly underWay = new UnderWay()
  readonly settings: HatcherySettings
  readonly fleet: Fleet
  readonly pool: WorkerPool
  readonly models: ModelBook
  readonly registrations: RegistrationWaits
  readonly attempts: Attempts
  readonly gates: Gates
  /** Addresses that nobody has; and names of VMs that one is held for. */
  readonly addresses = {
    free: Infinity,
    held: new Set<string>(),
    hasFree: (count = 1) => this.addresses.free >= count,
    isHeldFor: (name: string) => this.addresses.held.has(name),
  }
  /** What the resource pool has; undefined: it cannot be asked. */
  capacity: Capacity | undefined = plenty
  readonly jobs = new Map<string, Job>()
  readonly workers: RegisteredWorker[] = []
  readonly v1Models: V1Model[] = []
  readonly v2Models = new Map<string, V2Model>()
  readonly secrets = new Map<string, Secret>()
  /** Every call to CDS, as `v1.job 42`. */
  readonly calls: string[] = []
  /** Calls that fail, by name: `v1.workers`. */
  readonly failing = new Set<string>()
  /** Calls to which CDS answers that something is wrong, by name and what they are about, with the status: `v1.job 42`. */
  readonly refusing = new Map<string, number>()
  /** How long CDS takes for every answer. */
  delay = 0
  readonly #cds: Cds
  #nextId = 1

  constructor({ settings = {}, provision = {}, tokens = [1, 2] }: GateWorldOptions = {}) {
    const plain = plainSettings({ networks: [], ...settings })
    this.settings = { ...plain, provision: { ...plain.provision, ...provision } }
    const { clock, log, inventory, underWay } = this
    const cds = (this.#cds = {
      v1: tokens.includes(1) ? this.#v1() : undefined,
      v2: tokens.includes(2) ? this.#v2() : undefined,
      workerToken: () => new Secret('token'),
    })
    const capacity = async () => {
      if (this.capacity === undefined) throw new Error('the resource pool is not there')
      return this.capacity
    }
    const platform = { name: 'vCenter', inventory, capacity }
    this.fleet = new Fleet({ settings: this.settings, platform, underWay })
    this.pool = new WorkerPool({ settings: this.settings, cds, fleet: this.fleet, underWay, clock, log })
    this.models = new ModelBook({ cds, clock, log })
    this.attempts = new Attempts({ max: this.settings.provision.maxAttempts, clock, chance: seededChance(1) })
    this.registrations = new RegistrationWaits(this.settings.provision)
    const { fleet, pool, models, attempts, addresses, registrations } = this
    const known = { fleet, underWay, addresses, pool, models, registrations, attempts }
    this.gates = new Gates({ settings: this.settings, platform, cds, ...known, clock, log })
    inventory.replace([])
  }

  get cds(): Cds {
    return this.#cds
  }

  /** Somebody makes a VM, or changes the one of that id. The note of a hatchery named `aviary`, unless it says otherwise. */
  vm({ note, ...given }: GivenVm): Vm {
    const annotation =
      typeof note === 'object' ? writeWorkerNote(workerNote({ hatcheryName: 'aviary', created: 1, ...note })) : (note ?? '')
    const vm: Vm = Object.freeze({
      id: given.id ?? `vm-${this.#nextId++}`,
      template: false,
      power: 'on',
      cpus: 2,
      memoryMB: 4096,
      addresses: [],
      guestReady: false,
      bootedAt: undefined,
      host: undefined,
      ...given,
      annotation,
      note: readNote(annotation),
    })
    this.inventory.put(vm)
    return vm
  }

  /** A VM that stands ready for V2 models of an image. */
  provision(name: string, image = 'debian12', given: Partial<GivenVm> = {}, note: Partial<WorkerNote> = {}): Vm {
    const whole = { workerName: name, provisioning: true, vmwareModelPath: image, ...note }
    return this.vm({ name, power: 'off', ...given, note: whole })
  }

  /** A template that was built for a V1 model. */
  modelTemplate(model: V1Model, given: Partial<GivenVm> = {}): Vm {
    const note = { model: true, workerModelPath: modelPath(model), workerModelLastModified: String(model.userLastModified) }
    return this.vm({ name: model.name, template: true, power: 'off', note, ...given })
  }

  /** A worker signs in to CDS. */
  register(name: string, given: Partial<RegisteredWorker> = {}): RegisteredWorker {
    const worker = { version: 2 as const, id: `id-of-${name}`, name, status: 'Building', jobId: '', modelName: '', raw: { name } }
    this.workers.push({ ...worker, ...given })
    return { ...worker, ...given }
  }

  /** A V2 job comes into the queue. */
  v2Job(id: string, given: Partial<Job> = {}): Job {
    const model = aV2Model({})
    return this.#queue(bareJob({ version: 2, id, project: 'KEY', model, runsOn: { model: 'debian', flavor: '' }, ...given }))
  }

  /** A V1 job comes into the queue; requirements as `type:value`. */
  v1Job(id: string, requirements: readonly string[] = [], given: Partial<Job> = {}): Job {
    const read = requirements.map(text => {
      const [type = '', ...value] = text.split(':')
      return { type, name: value.join(':'), value: value.join(':') }
    })
    return this.#queue(bareJob({ version: 1, id, project: 'KEY', requirements: read, ...given }))
  }

  /** A V1 model that is registered and has its template. */
  v1Model(given: Partial<V1Model> = {}): V1Model {
    const model = aV1Model(given)
    this.v1Models.push(model)
    if (!this.fleet.modelTemplate(model.name)) this.modelTemplate(model)
    return model
  }

  decide(job: Job): Promise<Verdict> {
    return this.gates.decide(job, new AbortController().signal)
  }

  decideRegistration(model: V1Model): Promise<Verdict> {
    return this.gates.decideRegistration(model, new AbortController().signal)
  }

  /** The verdict in one word: its kind, and the reason if there is one. */
  async verdict(job: Job): Promise<string> {
    return inShort(await this.decide(job))
  }

  refresh(): Promise<void> {
    return this.pool.refresh(new AbortController().signal, 0)
  }

  #queue(job: Job): Job {
    this.jobs.set(job.id, job)
    return job
  }

  #v1(): CdsV1 {
    return {
      ...this.#both(1),
      book: async () => true,
      release: async () => {},
      spawnInfo: async () => {},
      fail: async () => {},
      disableWorker: id => this.#answer('v1.disableWorker', id, () => {}),
      models: () => this.#answer('v1.models', '', () => [...this.v1Models]),
      model: async () => undefined,
      modelSecrets: path => this.#answer('v1.modelSecrets', path, () => this.secrets),
      bookModel: async () => true,
      modelError: async () => {},
      signOut: async () => {},
    }
  }

  #v2(): CdsV2 {
    return {
      ...this.#both(2),
      region: 'eu',
      take: async () => true,
      release: async () => {},
      info: async () => {},
      model: reference =>
        this.#answer('v2.model', reference, () => {
          // As the real one: whoever cannot be asked for is not asked for.
          modelReferencePath(reference)
          return this.v2Models.get(reference)
        }),
    }
  }

  #both(version: 1 | 2) {
    return {
      signIn: async () => {},
      heartbeat: async () => {},
      cdn: async () => undefined,
      waitingJobs: async () => [],
      job: (id: string) => this.#answer(`v${version}.job`, id, () => this.jobs.get(id)),
      workers: () => this.#answer(`v${version}.workers`, '', () => this.workers.filter(worker => worker.version === version)),
    }
  }

  async #answer<T>(call: string, what: string, answer: () => T): Promise<T> {
    this.calls.push(what === '' ? call : `${call} ${what}`)
    if (this.delay > 0) await this.clock.sleep(this.delay)
    if (this.failing.has(call)) throw new Error(`${call} fails`)
    const status = this.refusing.get(`${call} ${what}`)
    if (status !== undefined) throw CdsRefused({ call, status, id: 1, why: 'something is wrong' })
    return answer()
  }
}

/** `go`, `drop`, `fail`, or the reason of a wait. */
export function inShort(verdict: Verdict): string {
  return verdict.kind === 'wait' ? verdict.refusal.reason : verdict.kind
}

/** More than any test asks for. */
const plenty: Capacity = {
  cpuMHz: { limit: undefined, unreserved: 1e9, used: 0 },
  memoryMB: { limit: undefined, unreserved: 1e9, used: 0 },
}

/** A V2 model of image debian12. */
export function aV2Model(given: Partial<V2Model>): V2Model {
  return {
    name: 'debian',
    type: 'vsphere',
    osArch: 'linux/amd64',
    image: 'debian12',
    flavor: '',
    user: 'root',
    password: 'plain',
    ...given,
  }
}

/** A V1 model that may run whatever it is asked to. */
export function aV1Model(given: Partial<V1Model> = {}): V1Model {
  const own = { id: 7, name: 'debian-v1', userLastModified: 1_600_000_000, capabilities: ['bash', 'git'], preCmd: 'echo before' }
  return v1Model({ ...own, password: 'plain', ...given })
}
