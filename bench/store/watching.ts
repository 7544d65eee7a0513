/**
 * watching.ts FOLDER WATCHERS SEEN RATE SECONDS: how long it takes from the beginning of a write until those who watch for it have
 * its object, when each change is seen by SEEN of all WATCHERS and RATE changes happen in a second.
 */
import { allKinds, Namespace, Nest } from '../../src/kinds/index.ts'
import { realChance, realClock, silentLog } from '../../src/ports/index.ts'
import { openSqliteStore } from '../../src/store/index.ts'
import { percentile } from '../frame/median.ts'

const [folder = '', ...numbers] = process.argv.slice(2)
const [watchers = 0, seenBy = 1, rate = 0, seconds = 0] = numbers.map(Number)
const clock = realClock()
const store = await openSqliteStore({ folder, kinds: allKinds, clock, chance: realChance(), log: silentLog })
await store.create(Namespace, { metadata: { name: 'bench' }, spec: {} })

const groups = watchers / seenBy
const nests = await Promise.all(
  Array.from({ length: rate }, (_, n) =>
    store.create(Nest, {
      metadata: { namespace: 'bench', name: `nest-${n}`, labels: { group: `g${n % groups}` } },
      spec: { eggs: 0, material: 'twig' },
    }),
  ),
)
const begun = new Map<string, number>()
const delays: number[] = []
const stop = new AbortController()
for (let watcher = 0; watcher < watchers; watcher++) void watch(`group=g${watcher % groups}`)

const total = rate * seconds
const start = performance.now()
for (let done = 0; done < total;) {
  const due = Math.min(total, Math.floor(((performance.now() - start) / 1000) * rate))
  for (; done < due; done++) void change(done)
  await clock.sleep(1)
}
while (delays.length < total * seenBy && performance.now() - start < (seconds + 30) * 1000) await clock.sleep(10)
const took = (performance.now() - start) / 1000
stop.abort()
if (delays.length !== total * seenBy) throw new Error(`${delays.length} of ${total * seenBy} events arrived`)
console.log(
  JSON.stringify({
    p50: percentile(delays, 0.5),
    p99: percentile(delays, 0.99),
    most: percentile(delays, 1),
    changesPerSecond: total / took,
  }),
)
await store.close()

async function change(number: number): Promise<void> {
  const at = number % rate
  const nest = nests[at]!
  const value = String(number)
  begun.set(value, performance.now())
  nests[at] = await store.update(Nest, { ...nest, metadata: { ...nest.metadata, annotations: { value } } })
}

async function watch(labelSelector: string): Promise<void> {
  for await (const batch of store.watch(Nest, { labelSelector, signal: stop.signal })) {
    for (const event of batch) {
      if (event.type === 'BOOKMARK') continue
      delays.push(performance.now() - begun.get(event.item.object.metadata.annotations!['value']!)!)
    }
  }
}
