import { expect, test } from 'vitest'
import { ConfigMap } from '../../kinds/index.ts'
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
