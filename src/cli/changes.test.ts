import { expect, test } from 'vitest'
import { seededChance, VirtualClock } from '../ports/index.ts'
import { allKinds, Namespace, Nest } from '../kinds/index.ts'
import { memoryStore, StoreError } from '../store/index.ts'
import type { Store } from '../store/index.ts'
import { changes } from './changes.ts'

/** A store whose watches the test ends, and the names and eggs that somebody who follows it has been shown. */
async function world() {
  const clock = new VirtualClock()
  const store = memoryStore({ kinds: allKinds, clock, chance: seededChance(1) })
  await store.create(Namespace, { metadata: { name: 'wood' } })
  let ending = new AbortController()
  let refusal: StoreError | undefined
  const watch: Store['watch'] = (kind, options) => {
    if (refusal !== undefined && options.resourceVersion !== undefined) throw refusal
    ending = new AbortController()
    return store.watch(kind, { ...options, signal: AbortSignal.any([options.signal, ending.signal]) })
  }
  const stop = new AbortController()
  const shown: string[] = []
  const following = (async () => {
    for await (const nests of changes(Nest, { store: { watch }, selection: { namespace: 'wood' } }, { clock, signal: stop.signal }))
      shown.push(...nests.map(({ metadata, spec }) => `${metadata.name} ${spec.eggs}`))
  })()
  return {
    shown,
    create: async (name: string, eggs: number) => {
      await store.create(Nest, { metadata: { namespace: 'wood', name }, spec: { eggs } })
      await clock.advance(10)
    },
    /** Ends the watch as a server does; `forgotten` if it then no longer knows what was seen. */
    end: async (forgotten = false) => {
      refusal = forgotten ? new StoreError('Expired', 'too old') : undefined
      ending.abort()
      await clock.advance(10_000)
    },
    stop: async () => {
      stop.abort()
      await clock.advance(10)
      await following
    },
  }
}

test('a watch that the server ends goes on where it was: nothing is shown twice, nothing is missed', async () => {
  const { shown, create, end, stop } = await world()
  await create('b', 1)
  await create('a', 2)
  await end()
  await create('c', 3)
  await end()
  await create('d', 4)
  await stop()
  expect(shown.toSorted()).toEqual(['a 2', 'b 1', 'c 3', 'd 4'])
})

test('what the server no longer remembers is shown whole again', async () => {
  const { shown, create, end, stop } = await world()
  await create('a', 1)
  await end(true)
  await create('b', 2)
  await stop()
  expect(shown).toEqual(['a 1', 'a 1', 'b 2'])
})
