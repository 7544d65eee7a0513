import { AddressAuthority, type Vm } from '../../platform/index.ts'
import { recordingLog, seededChance, VirtualClock } from '../../ports/index.ts'
import { memoryStore, type Store } from '../../store/index.ts'
import { AddressLease, Spawn } from '../../kinds/index.ts'
import { type SimulatedPlatform, simulatedPlatform, SimulatedWorld, type WorldOptions } from '../../simulation/index.ts'
import { Removal } from '../cleanup/removal.ts'
import { Fleet } from '../fleet/fleet.ts'
import { UnderWay } from '../fleet/under-way.ts'
import { readWorkerNote, type WorkerNote, workerNote, writeWorkerNote } from '../fleet/worker-note.ts'
import { WorkerPool } from '../gates/worker-pool.ts'
import { ModelBook } from '../models/model-book.ts'
import type { HatcherySettings } from '../settings.ts'
import { SpawnRecords } from '../spawn/spawn-records.ts'
import type { Cds } from '../cds/cds.ts'
import { plainSettings } from './plain-settings.ts'
import { ScriptedCds } from './scripted-cds.ts'

/** What a bench begins with. */
export interface BenchOptions {
  readonly seed?: number | string
  readonly settings?: Partial<HatcherySettings>
  readonly world?: Partial<WorldOptions>
}

/** The outside of a hatchery: time, a vCenter, a CDS and a store, which outlive every run of the program. */
export class Bench {
  readonly clock = new VirtualClock()
  readonly log = recordingLog()
  readonly cds = new ScriptedCds()
  readonly world: SimulatedWorld
  store: Store
  settings: HatcherySettings
  readonly #seed: string
  #runs = 0

  constructor({ seed = 1, settings = {}, world = {} }: BenchOptions = {}) {
    this.#seed = String(seed)
    this.settings = plainSettings(settings)
    this.world = new SimulatedWorld({
      clock: this.clock,
      chance: seededChance(`${this.#seed} world`),
      templates: [{ name: 'debian12' }, { name: 'debian13' }, { name: 'rocky9' }],
      ...world,
    })
    this.store = this.newStore()
  }

  newStore(): Store {
    return memoryStore({ kinds: [AddressLease, Spawn], clock: this.clock, chance: seededChance(`${this.#seed} store`) })
  }

  /** The program starts: everything that it has in memory is new. */
  async run(): Promise<Run> {
    const chance = seededChance(`${this.#seed} run ${++this.#runs}`)
    const { clock, log, settings, world } = this
    let isDead = false
    const store = untilDeath(this.store, () => isDead)
    const cds: Cds = {
      v1: untilDeath(this.cds.v1, () => isDead),
      v2: untilDeath(this.cds.v2, () => isDead),
      workerToken: () => this.cds.workerToken(),
    }
    const platform = simulatedPlatform({ world, chance })
    const crash = () => {
      isDead = true
      platform.crash()
    }
    const underWay = new UnderWay()
    const fleet = new Fleet({ settings, platform, underWay })
    const addresses = new AddressAuthority({ store, platform, networks: settings.networks, clock, chance, log })
    addresses.start()
    const records = new SpawnRecords({ store, hatchery: settings.name, clock, log })
    await records.load(new AbortController().signal)
    const pool = new WorkerPool({ settings, cds, fleet, underWay, clock, log })
    const models = new ModelBook({ cds, clock, log })
    const removal = new Removal({ platform, underWay, clock, log })
    return { settings, platform, underWay, fleet, addresses, records, pool, models, removal, cds, store, clock, chance, log, crash }
  }

  /** Moves time on by so many minutes. */
  async pass(minutes: number): Promise<void> {
    await this.clock.advance(minutes * 60_000)
  }

  /** A VM of this hatchery, or of another. */
  addVm(name: string, note: Partial<WorkerNote>, more: Partial<Pick<Vm, 'power' | 'template' | 'cpus' | 'memoryMB'>> = {}): Vm {
    const full = workerNote({ hatcheryName: this.settings.name, workerName: name, created: this.clock.now(), ...note })
    return this.world.addVm({ name, annotation: writeWorkerNote(full), ...more })
  }

  /** VMs that stand ready by their names and notes, whatever became of them, with their power. */
  provisions(model?: string): readonly Vm[] {
    return this.world.vms().filter(vm => {
      const note = readWorkerNote(vm)
      return vm.name.startsWith('provision-') && (model === undefined || note?.vmwareModelPath === model || note?.workerModelPath === model)
    })
  }

  /** Everything with this hatchery's mark that is neither template nor provision. */
  others(): readonly Vm[] {
    return this.world
      .vms()
      .filter(vm => !vm.template && !vm.name.startsWith('provision-') && readWorkerNote(vm)?.hatcheryName === this.settings.name)
  }

  async spawns(): Promise<readonly Spawn[]> {
    const { items } = await this.store.list(Spawn)
    return items.map(({ object }) => object)
  }
}

/** What one run of the program has in memory. */
export interface Run {
  readonly settings: HatcherySettings
  readonly platform: SimulatedPlatform
  readonly underWay: UnderWay
  readonly fleet: Fleet
  readonly addresses: AddressAuthority
  readonly records: SpawnRecords
  readonly pool: WorkerPool
  readonly models: ModelBook
  readonly removal: Removal
  readonly cds: Cds
  readonly store: Store
  /** Ends the program from one moment to the next: nothing that it waits for ever comes, nothing that it does arrives. */
  readonly crash: () => void
  readonly clock: VirtualClock
  readonly chance: ReturnType<typeof seededChance>
  readonly log: ReturnType<typeof recordingLog>
}

/** The same back end, for a program that may die: from then on it is not heard, and hears nothing. */
function untilDeath<T extends object>(target: T, isDead: () => boolean): T {
  return new Proxy(target, {
    get(_, name) {
      const value = Reflect.get(target, name, target) as unknown
      if (typeof value !== 'function') return value
      return (...args: readonly unknown[]) => {
        if (isDead()) return new Promise(() => {})
        const result = value.apply(target, args) as unknown
        if (!(result instanceof Promise)) return result
        return new Promise((resolve, reject) => {
          const unlessDead = (settle: (outcome: unknown) => void) => (outcome: unknown) => {
            if (!isDead()) settle(outcome)
          }
          result.then(unlessDead(resolve), unlessDead(reject))
        })
      }
    },
  })
}
