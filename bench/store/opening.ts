/**
 * opening.ts fill FOLDER OBJECTS: makes a store of so many objects. opening.ts open FOLDER: how long it takes until it serves
 * objects again, and how much memory each takes.
 */
import { allKinds, Namespace, Nest } from '../../src/kinds/index.ts'
import { realChance, realClock, silentLog } from '../../src/ports/index.ts'
import { openSqliteStore } from '../../src/store/index.ts'
import { load } from './load.ts'
import { nestDraft } from './objects.ts'

const [task, folder = '', count = '0'] = process.argv.slice(2)
globalThis.gc?.()
const before = process.memoryUsage.rss()
const began = performance.now()
const store = await openSqliteStore({ folder, kinds: allKinds, clock: realClock(), chance: realChance(), log: silentLog })
if (task === 'fill') {
  await store.create(Namespace, { metadata: { name: 'bench' }, spec: {} })
  const { perSecond } = await load(Number(count), 256, number => store.create(Nest, nestDraft(number)))
  console.log(JSON.stringify({ perSecond }))
} else {
  const one = await store.get(Nest, { namespace: 'bench', name: 'nest-7' })
  const { items } = await store.list(Nest, { labelSelector: 'owner=team-7' })
  const seconds = (performance.now() - began) / 1000
  const objects = store.stats().objects['nests.demo.aviary.dev']!
  if (items.length !== objects / 50 || one.spec.eggs !== 7) throw new Error('not everything is there')
  globalThis.gc?.()
  const bytes = (process.memoryUsage.rss() - before) / objects
  console.log(JSON.stringify({ seconds, objects, bytesPerObject: bytes, textBytes: JSON.stringify(one).length }))
}
await store.close()
