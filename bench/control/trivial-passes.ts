import { controller, done, outside, startControllers } from '../../src/control/index.ts'
import { allKinds, Namespace, Nest } from '../../src/kinds/index.ts'
import { prometheusMetrics, realClock, seededChance, silentLog } from '../../src/ports/index.ts'
import { type Key, memoryStore } from '../../src/store/index.ts'

export interface TrivialPasses {
  readonly passes: number
  readonly passesPerSecond: number
}

/** What a pass costs that finds nothing to do: the runtime alone, on the memory store. */
export async function run({ objects = 10_000, rounds = 5 } = {}): Promise<TrivialPasses> {
  const clock = realClock()
  const chance = seededChance(1)
  const store = memoryStore({ kinds: allKinds, clock, chance })
  await store.create(Namespace, { metadata: { name: 'bench' }, spec: {} })
  const keys: Key[] = Array.from({ length: objects }, (_, number) => ({ namespace: 'bench', name: `nest-${number}` }))
  for (const key of keys) await store.create(Nest, { metadata: key, spec: {} })
  let left = objects
  let round = Promise.withResolvers<void>()
  let ask: (key: Key) => void = () => {}
  const idler = controller(Nest, {
    conditions: { Ready: 'True' },
    watches: [outside(enqueue => ((ask = enqueue), () => {}))],
    steps: [
      () => {
        if (--left === 0) round.resolve()
        return done
      },
    ],
  })
  const running = startControllers({ store, clock, chance, log: silentLog, metrics: prometheusMetrics(), controllers: [idler] })
  await round.promise
  const began = performance.now()
  for (let n = 0; n < rounds; n++) {
    left = objects
    round = Promise.withResolvers<void>()
    for (const key of keys) ask(key)
    await round.promise
  }
  const seconds = (performance.now() - began) / 1000
  await running.stop()
  await store.close()
  return { passes: rounds * objects, passesPerSecond: (rounds * objects) / seconds }
}

if (import.meta.main) console.log(await run())
