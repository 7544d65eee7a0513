import { prometheusMetrics, recordingLog, seededChance, VirtualClock } from '../../ports/index.ts'
import { allKinds, ClusterClaim, ClusterDeployment, ClusterImageSet, ClusterPool, Namespace, Secret } from '../../kinds/index.ts'
import type { Draft, Kind, Resource } from '../../kinds/index.ts'
import { garbageCollector, namespaceController, startControllers } from '../../control/index.ts'
import type { RunningControllers } from '../../control/index.ts'
import { SimulatedInstaller, type SimulatedInstallerOptions } from '../../simulation/index.ts'
import { memoryStore, type Store } from '../../store/index.ts'
import { claimController } from '../claim/controller.ts'
import { clusterPools } from '../cluster-pools.ts'
import type { NameCheck } from '../dns/name-check.ts'
import { namespaceReaper } from '../reaper/controller.ts'

type Written = Draft<ClusterPool>['spec']
type Spec = { readonly [F in keyof Written]?: Written[F] | undefined }

/** What a test wants to be different. */
export interface WorldOptions extends Partial<Omit<SimulatedInstallerOptions, 'clock'>> {
  readonly seed?: number
  readonly wrap?: (store: Store) => Store
  readonly checkNames?: NameCheck
  readonly grants?: boolean
  /** False: clusters are not installed by anybody. */
  readonly install?: boolean
  /** Nobody but this one acts. */
  readonly only?: 'reaper' | 'claims' | 'pools'
}

/** The home of pools and claims in tests. */
export const home = 'team'

/** Pools, claims and clusters under a virtual clock on the memory store, with a simulated installer. */
export class PoolWorld {
  readonly clock = new VirtualClock()
  readonly log = recordingLog()
  readonly metrics = prometheusMetrics()
  readonly store: Store
  readonly installer: SimulatedInstaller
  readonly #options: WorldOptions
  readonly #chance: ReturnType<typeof seededChance>
  #running: RunningControllers[] = []

  private constructor(options: WorldOptions) {
    this.#options = options
    this.#chance = seededChance(options.seed ?? 1)
    this.store = memoryStore({ kinds: allKinds, clock: this.clock, chance: this.#chance })
    this.installer = new SimulatedInstaller({
      clock: this.clock,
      installSeconds: 60,
      deprovisionSeconds: 30,
      powerSeconds: 20,
      failEvery: 0,
      ...options,
    })
  }

  static async make(options: WorldOptions = {}): Promise<PoolWorld> {
    const world = new PoolWorld(options)
    for (const name of ['default', home]) await world.store.create(Namespace, { metadata: { name } })
    await world.store.create(ClusterImageSet, { metadata: { name: 'release' }, spec: { releaseImage: 'quay.io/ocp:4.20' } })
    await world.store.create(Secret, { metadata: { name: 'creds', namespace: home }, stringData: { username: 'u', password: 'p' } })
    return world
  }

  /** Makes a world in which the controllers are at work. */
  static async started(options: WorldOptions = {}): Promise<PoolWorld> {
    const world = await PoolWorld.make(options)
    world.start()
    await world.settle()
    return world
  }

  /** Starts one more replica of the controllers, each with chance of its own. */
  start(): RunningControllers {
    const { wrap, checkNames, grants = true, install = true, only } = this.#options
    const store = wrap?.(this.store) ?? this.store
    const replica = this.#running.length
    const controllers =
      only === 'reaper'
        ? [namespaceReaper()]
        : only === 'claims'
          ? [claimController({ grants })]
          : [
              ...clusterPools({ metrics: this.metrics, installer: this.installer, grants, checkNames }).filter(
                ({ name }) => install || name !== 'clusterdeployment',
              ),
              ...(replica === 0 && only !== 'pools'
                ? [garbageCollector({ kinds: allKinds }), namespaceController({ kinds: allKinds })]
                : []),
            ]
    const chance = seededChance(`${this.#options.seed ?? 1}-${replica}`)
    const running = startControllers({ store, clock: this.clock, chance, log: this.log, metrics: this.metrics, controllers })
    this.#running.push(running)
    return running
  }

  async stop(): Promise<void> {
    const running = this.#running.splice(0)
    const stopping = Promise.all(running.map(each => each.stop({ within: 1_000 })))
    await this.clock.advance(10_000)
    await stopping
  }

  /** Lets what is under way come to rest. */
  settle(): Promise<void> {
    return this.clock.advance(100)
  }

  async seconds(count: number): Promise<void> {
    await this.clock.advance(count * 1000)
  }

  async createPool(spec: Spec = {}, name = 'pool'): Promise<ClusterPool> {
    return this.store.create(ClusterPool, poolDraft(spec, name))
  }

  /** Gives a pool of names, each once. */
  inventory(...names: readonly string[]): { readonly clusterDeployments: readonly { readonly name: string }[] } {
    return { clusterDeployments: names.map(name => ({ name })) }
  }

  pool(name = 'pool'): Promise<ClusterPool> {
    return this.store.get(ClusterPool, { namespace: home, name })
  }

  /** Which namespace uses each name of the pool's inventory. */
  async usage(): Promise<Readonly<Record<string, string | null>>> {
    return (await this.pool()).status?.clusterNameUsage ?? {}
  }

  async changePool(spec: Spec, name = 'pool'): Promise<void> {
    await this.retry(async () => {
      const pool = await this.pool(name)
      const merged = Object.fromEntries(Object.entries({ ...pool.spec, ...spec }).filter(([, value]) => value !== undefined))
      await this.store.update(ClusterPool, { ...pool, spec: merged as ClusterPool['spec'] })
    })
  }

  async claim(name: string, spec: Partial<ClusterClaim['spec']> = {}, namespace = home): Promise<ClusterClaim> {
    return this.store.create(ClusterClaim, { metadata: { name, namespace }, spec: { clusterPoolName: 'pool', ...spec } })
  }

  getClaim(name: string, namespace = home): Promise<ClusterClaim> {
    return this.store.get(ClusterClaim, { namespace, name })
  }

  async all<R extends Resource>(kind: Kind<R>): Promise<readonly R[]> {
    return (await this.store.list(kind)).items.map(item => item.object)
  }

  clusters(): Promise<readonly ClusterDeployment[]> {
    return this.all(ClusterDeployment)
  }

  /** The short names of all clusters, sorted. */
  async names(): Promise<readonly string[]> {
    return (await this.clusters()).map(({ spec }) => spec.clusterName).toSorted()
  }

  async cluster(clusterName: string): Promise<ClusterDeployment | undefined> {
    return (await this.clusters()).find(({ spec }) => spec.clusterName === clusterName)
  }

  async delete<R extends Resource>(kind: Kind<R>, object: R | undefined): Promise<void> {
    const { namespace, name = '' } = object?.metadata ?? {}
    await this.store.delete(kind, namespace === undefined ? { name } : { namespace, name })
  }

  /** Changes an object whatever others do to it. */
  async edit<R extends Resource>(kind: Kind<R>, object: R, change: (object: R) => R, subresource?: 'status'): Promise<void> {
    await this.retry(async () => {
      const { namespace, name } = object.metadata
      const latest = await this.store.get(kind, namespace === undefined ? { name } : { namespace, name })
      await this.store.update(kind, change(latest), subresource === undefined ? {} : { subresource })
    })
  }

  async retry(work: () => Promise<void>): Promise<void> {
    for (let attempt = 0; ; attempt++) {
      try {
        return await work()
      } catch (error) {
        if (attempt === 5 || !(error instanceof Error) || !error.message.includes('modified')) throw error
      }
    }
  }
}

/** A pool on vSphere, as a person would write it. */
export function poolDraft(spec: Spec = {}, name = 'pool'): Draft<ClusterPool> {
  return {
    metadata: { name, namespace: home },
    spec: {
      platform: { aws: { region: 'here', credentialsSecretRef: { name: 'creds' } } },
      baseDomain: 'example.com',
      imageSetRef: { name: 'release' },
      size: 0,
      ...(spec as Partial<Written>),
    },
  }
}
