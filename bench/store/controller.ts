/**
 * controller.ts FOLDER OBJECTS: how many objects a second a controller takes through three steps, each of which is a pass of its own
 * and a durable write, when all of them wait at its start.
 */
import { startControllers } from '../../src/control/index.ts'
import { allKinds, Namespace, Nest } from '../../src/kinds/index.ts'
import { prometheusMetrics, realChance, realClock, silentLog } from '../../src/ports/index.ts'
import { openSqliteStore } from '../../src/store/index.ts'
import { walker } from '../control/walker.ts'
import { load } from './load.ts'
import { nestDraft } from './objects.ts'

const [folder = '', count = '0'] = process.argv.slice(2)
const objects = Number(count)
const clock = realClock()
const chance = realChance()
const store = await openSqliteStore({ folder, kinds: allKinds, clock, chance, log: silentLog })
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
console.log(JSON.stringify({ perSecond: objects / seconds, cpuMicroseconds: (user + system) / objects }))
await running.stop()
await store.close()
