import { startControllers } from '../../src/control/index.ts'
import { allKinds, Namespace, Nest } from '../../src/kinds/index.ts'
import { prometheusMetrics, realChance, realClock, silentLog } from '../../src/ports/index.ts'
import { openSqliteStore } from '../../src/store/index.ts'
import { inFolder } from '../frame/in-folder.ts'
import { load } from '../store/load.ts'
import { nestDraft } from '../store/objects.ts'
import { walker } from './walker.ts'

/** How fast objects went through their phases. */
export interface ThreeSteps {
  readonly objects: number
  readonly seconds: number
  readonly objectsPerSecond: number
  /** Of this process, for each object. */
  readonly cpuMicroseconds: number
}

/**
 * A controller takes many objects of 2.3 KB, which are there when it starts, through three phases. Each phase is a pass of its
 * own and a durable write.
 */
export async function run({ objects = 10_000 } = {}): Promise<ThreeSteps> {
  return await inFolder(async folder => {
    const clock = realClock()
    const chance = realChance()
    const store = await openSqliteStore({ folder, kinds: allKinds, clock, chance, log: silentLog })
    try {
      await store.create(Namespace, { metadata: { name: 'bench' }, spec: {} })
      await load(objects, 256, number => store.create(Nest, nestDraft(number)))
      const { controller, allHatched } = walker(objects)
      globalThis.gc?.()
      const began = performance.now()
      const used = process.cpuUsage()
      const running = startControllers({ store, clock, chance, log: silentLog, metrics: prometheusMetrics(), controllers: [controller] })
      await allHatched
      const seconds = (performance.now() - began) / 1000
      const { user, system } = process.cpuUsage(used)
      await running.stop()
      return { objects, seconds, objectsPerSecond: objects / seconds, cpuMicroseconds: (user + system) / objects }
    } finally {
      await store.close()
    }
  })
}
