import { allKinds } from '../../kinds/index.ts'
import { type Clock, seededChance, simulatedHttp, VirtualClock } from '../../ports/index.ts'
import { type ModelV1, SimulatedCds, SimulatedWorld, workerPrograms } from '../../simulation/index.ts'
import { memoryStore, type Store } from '../../store/index.ts'
import { defaultModel, images, missingImage, v1Model } from './hatchery-scene.ts'
import type { JobScene } from './job-scene.ts'
import { missingModel } from './job-scene.ts'
import type { Mishaps, Scene, Weather } from './scene.ts'
import { Trace } from './trace.ts'

/** A job that somebody started, as CDS keeps it. */
export interface StagedJob {
  readonly scene: JobScene
  readonly id: string
  readonly status: () => string
}

/** How often each sort of fault happens, whatever part it strikes. */
type Rates = Weather['cds'] & Weather['store']

const region = 'eu'
const v1Commands = {
  pre_cmd: 'curl {{.API}}/download',
  cmd: './worker --config={{.Config}}',
  post_cmd: 'sudo shutdown -h now',
  user: 'root',
  password: 'guest',
}

/** What outlives every run of a program: time, a vCenter, CDS with workers, and stores. */
export class Stage {
  static readonly cdsUrl = 'http://cds.simulated'
  readonly scene: Scene
  readonly clock = new VirtualClock()
  readonly trace = new Trace(this.clock)
  readonly vcenter: SimulatedWorld
  readonly cds: SimulatedCds
  readonly jobs: StagedJob[] = []
  /** The V1 worker model. */
  readonly model: ModelV1
  /** VMs of others, by id, as they must stay. */
  readonly foreign = new Map<string, string>()
  /** VMs, by id, that a person switched on and that are still on: no limit of a hatchery holds for them. */
  readonly switchedOn = new Set<string>()
  isStormy = true
  isCdsAway = false
  readonly #stores = new Map<string, Store>()
  #storesMade = 0

  constructor(scene: Scene) {
    this.scene = scene
    const { clock } = this
    const { seed } = scene
    const timings = { linkedClone: [6_000, 20_000], boot: [10_000, 40_000], address: [10_000, 50_000] } as const
    this.vcenter = new SimulatedWorld({ clock, chance: seededChance(`${seed} world`), templates: images, timings })
    this.vcenter.faults.atRandom(seededChance(`${seed} messages`), this.rates('messages'))
    this.cds = new SimulatedCds({ clock, chance: seededChance(`${seed} cds`), url: Stage.cdsUrl })
    this.cds.listen(({ what, time: _, ...about }) => {
      if (what !== 'heartbeat') this.trace.tell('CDS', what, about)
    })
    this.vcenter.onProgram(this.#workers(clock))
    this.model = this.#furnish()
  }

  /** The storm is over: everything answers again. */
  endStorm(): void {
    this.trace.tell('weather', 'the storm is over')
    this.isStormy = false
    this.setCdsAway(false)
    this.vcenter.setReachable(true)
  }

  /** From now on nobody reaches CDS, or everybody again. */
  setCdsAway(isAway: boolean): void {
    this.isCdsAway = isAway
    this.cds.setReachable(!isAway)
  }

  /** Does something after a while, unless the storm is over by then. */
  later(milliseconds: number, act: () => void): void {
    this.clock.after(milliseconds, () => {
      if (this.isStormy) act()
    })
  }

  /** The store of a hatchery. */
  storeOf(hatchery: string): Store {
    const owner = this.scene.sharedStore ? '' : hatchery
    const known = this.#stores.get(owner)
    if (known !== undefined) return known
    const store = memoryStore({
      kinds: allKinds,
      clock: this.clock,
      chance: seededChance(`${this.scene.seed} store ${++this.#storesMade}`),
    })
    this.#stores.set(owner, store)
    return store
  }

  /** Everything in the store of a hatchery is gone. */
  loseStore(hatchery: string): void {
    this.#stores.delete(this.scene.sharedStore ? '' : hatchery)
  }

  /** How often things go wrong, now: when the storm is over, never. */
  rates(part: keyof Weather, only?: keyof Rates): Rates {
    const rates: Rates = {}
    for (const fault of ['before', 'after', 'hang', 'refused', 'conflict'] as const) {
      const given = only === undefined || only === fault ? ((this.scene.weather[part] as Rates)[fault] ?? 0) : 0
      Object.defineProperty(rates, fault, { get: () => (this.isStormy ? given : 0) })
    }
    return rates
  }

  /** An operator registers a hatchery with CDS. */
  tokensFor(name: string): { readonly tokenV1: string; readonly tokenV2: string } {
    return { tokenV1: this.cds.addHatcheryV1({ name }), tokenV2: this.cds.addHatcheryV2({ name, region }) }
  }

  /** Somebody starts a job. */
  addJob(scene: JobScene): void {
    const { project, announced, flavor, model } = scene
    const job = scene.version === 1 ? this.#addV1(scene) : this.cds.addJobV2({ project, announced, flavor, region, model: v2Model(model) })
    const id = String(job.id)
    this.jobs.push({ scene, id, status: () => job.status })
    if (scene.stoppedAfter !== undefined) this.clock.after(scene.stoppedAfter, () => this.cds.stopJob(id))
  }

  #addV1({ project, announced, model, flavor }: JobScene) {
    const requirements = [
      ...(model === '' ? [{ name: 'git', type: 'binary', value: 'git' }] : [{ name: model, type: 'model', value: model }]),
      ...(flavor === '' ? [] : [{ name: flavor, type: 'flavor', value: flavor }]),
    ]
    return this.cds.addJobV1({ project, announced, requirements })
  }

  /** What is there before any hatchery is: worker models, and VMs of others. */
  #furnish(): ModelV1 {
    const { cds, vcenter, scene } = this
    cds.addModelV2(defaultModel, v2Model('ubuntu22'))
    const isReady = scene.model === 'stands ready'
    const model = cds.addModelV1({ name: v1Model.name, needRegistration: !isReady, machine: { image: v1Model.image, ...v1Commands } })
    const noTime = '0001-01-01T00:00:00Z'
    if (isReady) {
      const note = {
        hatchery_name: scene.hatcheries[0]?.name,
        worker_model_path: v1Model.path,
        worker_model_last_modified: String(Math.floor(model.userLastModified / 1000)),
        model: true,
        created: noTime,
        worker_start_time: noTime,
      }
      vcenter.addVm({ name: v1Model.name, template: true, annotation: JSON.stringify(note) })
    }
    for (const { id } of vcenter.vms().filter(({ name }) => name !== v1Model.name)) this.#keep(id)
    // Each of them looks like one of ours in one respect, and is not.
    const others = { hatchery_name: 'others', created: noTime, worker_start_time: noTime }
    for (const foreign of [
      { name: 'database', addresses: ['10.0.1.3'], power: 'on' as const },
      {
        name: 'provision-v2-gull',
        annotation: JSON.stringify({
          ...others,
          worker_name: 'provision-v2-gull',
          provisioning: true,
          vmware_model_path: 'debian12',
          ip_address: '10.0.1.4',
        }),
      },
      { name: 'worker-heron', annotation: JSON.stringify({ ...others, worker_name: 'worker-heron', job_id: '99' }), power: 'on' as const },
      { name: 'register-wren', annotation: 'not JSON, and nobody’s business', addresses: [] },
      { name: 'debian-tmp-of-somebody', annotation: JSON.stringify({ ...others, model: true, worker_model_path: v1Model.path }) },
    ])
      this.#keep(vcenter.addVm(foreign).id)
    return model
  }

  #keep(id: string): void {
    this.foreign.set(id, JSON.stringify(this.vcenter.find(id)?.vm))
  }

  #workers(clock: Clock) {
    const { seed, mishaps } = this.scene
    const faults = seededChance(`${seed} worker faults`)
    const http = simulatedHttp(
      async request => {
        const rates = this.rates('workers')
        const drawn = faults.fraction()
        if (drawn >= (rates.before ?? 0) + (rates.after ?? 0)) return await this.cds.handler(request)
        if (drawn >= (rates.before ?? 0)) await this.cds.handler(request)
        return { status: 502 }
      },
      { clock },
    )
    const report = (line: string, program: { readonly vm: () => { readonly name: string } | undefined }) =>
      this.trace.tell('guest', line, { vm: program.vm()?.name })
    const often = (mishap: keyof Mishaps) => (this.isStormy ? mishaps[mishap] : 0)
    const now = {
      get silent() {
        return often('silent')
      },
      get freezes() {
        return often('freezes')
      },
      get fails() {
        return often('fails')
      },
    }
    return workerPrograms({ clock, chance: seededChance(`${seed} workers`), http, work: [10_000, 60_000], mishaps: now, report })
  }
}

function v2Model(image: string) {
  return { name: `model-${image}`, osarch: 'linux/amd64', type: 'vsphere', spec: { image: image === missingModel ? missingImage : image } }
}
