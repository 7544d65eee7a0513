/** aviary-child.ts WORKLOAD FOLDER OBJECTS COUNT WRITERS: one round on an embedded store in an empty folder; prints what it measured. */
import { allKinds, Namespace, Nest } from '../../src/kinds/index.ts'
import { realChance, realClock, silentLog } from '../../src/ports/index.ts'
import { openSqliteStore } from '../../src/store/index.ts'
import { percentile } from '../frame/median.ts'
import { load } from './load.ts'
import { nestDraft } from './objects.ts'

const [workload, folder = '', ...numbers] = process.argv.slice(2)
const [objects = 0, count = 0, writers = 1] = numbers.map(Number)
const store = await openSqliteStore({ folder, kinds: allKinds, clock: realClock(), chance: realChance(), log: silentLog })
await store.create(Namespace, { metadata: { name: 'bench' }, spec: {} })

const create = (number: number) => store.create(Nest, nestDraft(number))
const compareAndSwap = async (number: number) => {
  const nest = await store.get(Nest, { namespace: 'bench', name: `nest-${number % objects}` })
  await store.update(Nest, { ...nest, spec: { ...nest.spec, eggs: (nest.spec.eggs + 1) % 12 } })
}
const listByLabel = async (number: number) => {
  const { items } = await store.list(Nest, { labelSelector: `owner=team-${number % 50}` })
  if (items.map(item => item.object).length !== objects / 50) throw new Error('the list is not complete')
}

await load(workload === 'create' ? objects - count : objects, 256, create)
const work = { create: (number: number) => create(objects - count + number), cas: compareAndSwap, list: listByLabel }[workload as 'create']
// Creates are warmed up by those before; other work is not, and compiling it is not what is measured.
if (workload === 'cas') await load(objects, writers, work)
globalThis.gc?.()
const { perSecond, latencies, cpuMicroseconds } = await load(count, writers, work)
const bytes = JSON.stringify(await store.get(Nest, { namespace: 'bench', name: 'nest-1' })).length
console.log(JSON.stringify({ perSecond, p99: percentile(latencies, 0.99), cpuMicroseconds, bytes }))
await store.close()
