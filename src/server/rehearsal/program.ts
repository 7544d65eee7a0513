import { type ControllerContext, type RunningController } from '../../control/index.ts'
import { connectCds, Hatchery, type HatcherySettings } from '../../hatchery/index.ts'
import { AddressAuthority, type Around, aroundCalls, governed, Governor, operationRows } from '../../platform/index.ts'
import { seededChance } from '../../ports/index.ts'
import { connectToCds, simulatedPlatform, withFaults } from '../../simulation/index.ts'
import { HatcheryHost, type HatcheryWithGround } from '../hatchery/hatchery-host.ts'
import { faultyHttp } from './faulty-http.ts'
import { faultyStore } from './faulty-store.ts'
import { MortalClock } from './mortal-clock.ts'
import { mortalStore } from './mortal-store.ts'
import { silentMetrics } from './silent-metrics.ts'
import type { Stage } from './stage.ts'

/** What a program is, besides what it stands on. */
export interface ProgramOptions {
  readonly name: string
  readonly stage: Stage
  /** Told of each call to the platform before it is made. */
  readonly onCall: (call: { readonly hatchery: string; readonly operation: string; readonly target: string }) => void
}

interface Run {
  readonly host: HatcheryHost
  readonly running: RunningController
  readonly since: number
  die(): void
}

/** One hatchery's program: runs one after another, each of which begins with nothing but what the store and the outside know. */
export class Program {
  readonly name: string
  readonly #options: ProgramOptions
  #runs = 0
  #run: Run | undefined
  #stopping: Promise<void> | undefined

  constructor(options: ProgramOptions) {
    this.name = options.name
    this.#options = options
  }

  get isUp(): boolean {
    return this.#run !== undefined
  }

  /** Undefined while none works. */
  get hatchery(): Hatchery | undefined {
    return this.#run?.host.current
  }

  /** Since when it runs; undefined if it does not. */
  get since(): number | undefined {
    return this.#run?.since
  }

  /** Begins a run, as soon as the one before has ended. Does nothing if one goes on. */
  async start(settings: HatcherySettings): Promise<void> {
    await this.#stopping
    this.#run ??= this.#begin(settings)
  }

  /** From one moment to the next it is gone. Nothing is told to stop. */
  crash(): void {
    this.#run?.die()
    this.#run = undefined
  }

  /** It is asked to end, and ends in good order. If it takes too long it is killed. */
  async stop(patience = 60_000): Promise<void> {
    const run = this.#run
    if (run === undefined) return
    this.#run = undefined
    const { clock } = this.#options.stage
    this.#stopping = Promise.race([run.running.stop({ within: patience }), clock.sleep(patience)]).finally(() => {
      run.die()
      this.#stopping = undefined
    })
    await this.#stopping
  }

  #begin(settings: HatcherySettings): Run {
    const { stage, name } = this.#options
    const { trace } = stage
    const run = ++this.#runs
    const chanceOf = (what: string) => seededChance(`${stage.scene.seed} ${name} ${what} ${run}`)
    const chance = chanceOf('run')
    let isAlive = true
    const clock = new MortalClock(stage.clock)
    const log = trace.log(name, () => isAlive)
    const store = mortalStore(faultyStore(stage.storeOf(name), { chance: chanceOf('store'), rates: stage.rates('store') }))
    const deaths = [() => clock.die(), () => store.die()]
    const make = async ({ store: kept }: ControllerContext): Promise<HatcheryWithGround> => {
      const connection = connectToCds(stage.cds, clock)
      const client = simulatedPlatform({ world: stage.vcenter, chance, name: 'vcenter' })
      deaths.push(
        () => connection.crash(),
        () => client.crash(),
      )
      const faults = { clock, chance: chanceOf('faults'), rates: stage.rates('platform') }
      // What comes from memory never hangs.
      const faulty = {
        ...withFaults(client, faults),
        capacity: withFaults(client, { ...faults, rates: stage.rates('platform', 'before') }).capacity,
      }
      const limits = stage.scene.hatcheries.find(each => each.name === name)?.limits ?? {}
      const governor = new Governor({ platform: client.name, clock, limits })
      const watched = aroundCalls(faulty, this.#watched())
      const platform = governed(watched, governor, 'hatchery')
      const background = governed(watched, governor, 'hatchery', { canWait: true })
      const addresses = new AddressAuthority({ store: kept, platform, networks: settings.networks, clock, chance, log })
      addresses.start()
      const http = faultyHttp(connection.http, { clock, chance: chanceOf('cds'), rates: stage.rates('cds') })
      const cds = connectCds({ settings, http, webSockets: connection.webSockets, clock, chance, log, hostname: 'rehearsal' })
      const hatchery = new Hatchery({
        settings,
        platform,
        background,
        addresses,
        store: kept,
        cds,
        clock,
        chance,
        log,
        metrics: silentMetrics,
      })
      return {
        hatchery,
        operations: () => operationRows(governor, id => client.inventory.lastKnown(id)?.name),
        start: () => hatchery.start(),
        [Symbol.asyncDispose]: async () => {
          await addresses.stop()
          await client.close()
        },
      }
    }
    const host = new HatcheryHost(make)
    const running = host.controller.start({ store: store.store, clock, log } as unknown as ControllerContext)
    trace.tell(name, 'the program starts')
    const die = () => {
      isAlive = false
      for (const death of deaths) death()
    }
    return { host, running, since: stage.clock.now(), die }
  }

  #watched(): Around {
    const { onCall, name } = this.#options
    return ({ operation, target }, next) => {
      onCall({ hatchery: name, operation, target })
      return next()
    }
  }
}
