import { prometheusMetrics, recordingLog, seededChance, VirtualClock } from '../../ports/index.ts'
import { allKinds, Namespace, Nest, type Kind } from '../../kinds/index.ts'
import { memoryStore, type Store } from '../../store/index.ts'
import type { Controller } from '../controller/controller.ts'
import { type RunningControllers, startControllers } from '../start-controllers.ts'

/** Everything that a test of controllers needs, from one seed. */
export interface World {
  readonly clock: VirtualClock
  readonly chance: ReturnType<typeof seededChance>
  readonly log: ReturnType<typeof recordingLog>
  readonly metrics: ReturnType<typeof prometheusMetrics>
  readonly store: Store
  /** Starts controllers; time stands still. */
  start(...controllers: readonly Controller[]): RunningControllers
  /** Lets everything that is under way come to rest, without time passing. */
  settle(): Promise<void>
  createNest(name: string, spec?: Partial<Nest['spec']>, metadata?: Partial<Nest['metadata']>): Promise<Nest>
  nest(name: string): Promise<Nest>
  /** Changes what somebody wants of a nest. */
  changeNest(name: string, spec: Partial<Nest['spec']>): Promise<Nest>
  deleteNest(name: string): Promise<void>
}

/** A world under a virtual clock, with namespace `default` and nothing else in it. */
export async function makeWorld(
  options: { readonly seed?: number; readonly kinds?: readonly Kind[]; readonly wrap?: (store: Store) => Store } = {},
): Promise<World> {
  const clock = new VirtualClock()
  const chance = seededChance(options.seed ?? 1)
  const log = recordingLog()
  const metrics = prometheusMetrics()
  const plain = memoryStore({ kinds: options.kinds ?? allKinds, clock, chance })
  const store = options.wrap?.(plain) ?? plain
  await plain.create(Namespace, { metadata: { name: 'default' }, spec: {} })
  return {
    clock,
    chance,
    log,
    metrics,
    store,
    start: (...controllers) => startControllers({ store, clock, chance, log, metrics, controllers }),
    settle: () => clock.advance(0),
    createNest: (name, spec = {}, metadata = {}) => plain.create(Nest, { metadata: { namespace: 'default', ...metadata, name }, spec }),
    nest: name => plain.get(Nest, { namespace: 'default', name }),
    changeNest: async (name, spec) => {
      const nest = await plain.get(Nest, { namespace: 'default', name })
      return plain.update(Nest, { ...nest, spec: { ...nest.spec, ...spec } })
    },
    deleteNest: async name => void (await plain.delete(Nest, { namespace: 'default', name })),
  }
}
