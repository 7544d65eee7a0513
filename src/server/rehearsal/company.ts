import type { PoolScene } from './hatchery-scene.ts'
import { operatorSettings } from './operator-settings.ts'
import { Program } from './program.ts'
import { Stage } from './stage.ts'
import type { Watch } from './watch.ts'

/** A crash that waits for its moment. */
interface Fuse {
  calls: number
  readonly lasts: number
}

/** The programs of a rehearsal, and how they come and go. */
export class Company {
  readonly programs: readonly Program[]
  /** What is to stand ready, by hatchery, as its configuration says now. */
  readonly pools: Map<string, readonly PoolScene[]>
  readonly #stage: Stage
  readonly #watch: Watch
  readonly #tokens: ReadonlyMap<string, { readonly tokenV1: string; readonly tokenV2: string }>
  readonly #fuses = new Map<string, Fuse>()

  constructor(stage: Stage, watch: Watch) {
    this.#stage = stage
    this.#watch = watch
    const { hatcheries } = stage.scene
    const onCall = (call: Parameters<Watch['called']>[0]) => {
      watch.called(call)
      this.#burn(call.hatchery)
    }
    this.programs = hatcheries.map(({ name }) => new Program({ name, stage, onCall }))
    this.pools = new Map(hatcheries.map(({ name, workerProvisioning }) => [name, workerProvisioning]))
    this.#tokens = new Map(hatcheries.map(({ name }) => [name, stage.tokensFor(name)]))
  }

  /** Starts whoever does not run. */
  async startAll(): Promise<void> {
    this.#fuses.clear()
    for (const { name } of this.programs) await this.#start(name)
  }

  /** A program is gone from one moment to the next, and is started again after a while. */
  crash(name: string, downFor: number): void {
    const program = this.#named(name)
    if (program?.isUp !== true) return
    this.#stage.trace.tell('trouble', `${name} crashes`)
    program.crash()
    this.#startLater(name, downFor)
  }

  /** The same, right before its so-and-so-many-th call to the platform from now. */
  crashAtCall(name: string, calls: number, downFor: number): void {
    this.#fuses.set(name, { calls, lasts: downFor })
  }

  /** A program is ended in good order, and started again after a while. */
  async restart(name: string, downFor: number): Promise<void> {
    await this.#named(name)?.stop()
    this.#startLater(name, downFor)
  }

  /** Everything in the store is gone, with whoever worked with it. */
  loseStore(name: string, downFor: number): void {
    const struck = this.#stage.scene.sharedStore ? this.programs.map(program => program.name) : [name]
    this.#stage.loseStore(name)
    this.#watch.storeLost(struck)
    for (const each of struck) this.crash(each, downFor)
  }

  /** Ends all of them in good order. Resolves to whether they did. */
  async stopAll(patience: number): Promise<boolean> {
    let isOver = false
    void Promise.all(this.programs.map(program => program.stop(patience))).then(() => (isOver = true))
    for (let passed = 0; !isOver && passed < 2 * patience; passed += 1_000) await this.#stage.clock.advance(1_000)
    return isOver
  }

  #named(name: string): Program | undefined {
    return this.programs.find(program => program.name === name)
  }

  #startLater(name: string, milliseconds: number): void {
    this.#stage.later(milliseconds, () => void this.#start(name))
  }

  async #start(name: string): Promise<void> {
    const { scene } = this.#stage
    const hatchery = scene.hatcheries.find(each => each.name === name)
    const tokens = this.#tokens.get(name)
    if (hatchery === undefined || tokens === undefined) return
    const range = scene.sharedStore || scene.sharedRange ? 1 : scene.hatcheries.indexOf(hatchery) + 1
    const network = scene.addresses === 'DHCP' ? undefined : range
    const settings = await operatorSettings({ hatchery, pools: this.pools.get(name) ?? [], network, ...tokens, cdsUrl: Stage.cdsUrl })
    void this.#named(name)?.start(settings)
  }

  #burn(name: string): void {
    const fuse = this.#fuses.get(name)
    if (fuse === undefined || fuse.calls-- > 0) return
    this.#fuses.delete(name)
    this.crash(name, fuse.lasts)
  }
}
