import { expect, test } from 'vitest'
import { ConfigMap } from '../../kinds/index.ts'
import { Informers } from '../informer/informers.ts'
import { makeWorld } from '../testing/world.ts'
import { TrackedStore, type Write } from './tracked-store.ts'

test('a pass that is over reads, but writes nothing, whether or not the store heeds signals', async () => {
  const world = await makeWorld()
  const deaf = { ...world.store, create: () => expect.fail('reached the store') }
  const pass = new AbortController()
  const writes: Write[] = []
  const store = new TrackedStore({ store: deaf as never, signal: pass.signal, fence: () => {}, onWrite: write => writes.push(write) })
  pass.abort(new Error('the pass is over'))
  await expect(store.create(ConfigMap, { metadata: { namespace: 'default', name: 'x' } })).rejects.toThrow('the pass is over')
  expect(writes).toEqual([])
})

test('closing it does not close the store behind it', async () => {
  const world = await makeWorld()
  const store = new TrackedStore({ store: world.store, signal: new AbortController().signal, fence: () => {}, onWrite: () => {} })
  await store.close()
  expect((await world.store.list(ConfigMap)).items).toEqual([])
})

test('an informer that knows nothing yet does not show a removal; once it has read everything it does', async () => {
  const world = await makeWorld()
  await world.store.create(ConfigMap, { metadata: { namespace: 'default', name: 'x' } })
  const writes: Write[] = []
  const { signal } = new AbortController()
  const store = new TrackedStore({ store: world.store, signal, fence: () => {}, onWrite: write => writes.push(write) })
  await store.delete(ConfigMap, { namespace: 'default', name: 'x' })
  const informer = new Informers(world).of(ConfigMap)
  const shown = () => writes.map(write => write.shownBy(informer as never))
  expect(shown()).toEqual([false])
  await world.settle()
  expect(shown()).toEqual([true])
})
