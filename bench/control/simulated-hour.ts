import { prometheusMetrics, seededChance, silentLog, VirtualClock } from '../../src/ports/index.ts'
import { allKinds, Namespace, Nest } from '../../src/kinds/index.ts'
import { eventExpiry, garbageCollector, namespaceController, startControllers } from '../../src/control/index.ts'
import { memoryStore } from '../../src/store/index.ts'
import { nestController } from '../../src/control/testing/nest-controller.ts'

/** What a simulated hour came to. Everything but the milliseconds is the same in every run. */
export interface SimulatedHour {
  readonly objects: number
  readonly milliseconds: number
  readonly revisions: number
  readonly hatched: number
}

/**
 * An hour in the life of many nests, with the controllers that the embedded engine runs, under the virtual clock on the memory
 * store. Nests are made throughout the first half hour; each has two timers, four status writes and an event.
 */
export async function run({ objects = 1_000, seed = 1 } = {}): Promise<SimulatedHour> {
  const clock = new VirtualClock()
  const chance = seededChance(seed)
  const store = memoryStore({ kinds: allKinds, clock, chance })
  await store.create(Namespace, { metadata: { name: 'default' }, spec: {} })
  const metrics = prometheusMetrics()
  const began = performance.now()
  const controllers = [nestController, garbageCollector({ kinds: allKinds }), namespaceController({ kinds: allKinds }), eventExpiry()]
  const running = startControllers({ store, clock, chance, log: silentLog, metrics, controllers })
  for (let n = 0; n < objects; n++) {
    const incubation = `${chance.integer(60, 1_500)}s`
    clock.after(chance.integer(0, 1_800_000), () => {
      void store.create(Nest, { metadata: { namespace: 'default', name: `nest-${n}` }, spec: { eggs: 3, incubation } })
    })
  }
  await clock.advance(3_600_000)
  await running.stop()
  const milliseconds = performance.now() - began
  const { items, resourceVersion } = await store.list(Nest)
  const hatched = items.filter(({ object }) => object.status?.phase === 'Hatched').length
  await store.close()
  return { objects, milliseconds, revisions: Number(resourceVersion), hatched }
}

if (import.meta.main) console.log(await run())
