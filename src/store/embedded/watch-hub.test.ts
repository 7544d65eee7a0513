import fc from 'fast-check'
import { describe, expect, onTestFinished, test } from 'vitest'
import { ConfigMap, Nest } from '../../kinds/index.ts'
import { EventReader } from '../contract/subject.ts'
import type { Store, WatchOptions } from '../store.ts'
import { applyChange, nestChange } from '../testing/changes.ts'
import { memoryWorld } from '../testing/memory.ts'
import { mostBehind, mostBytesBehind } from './watcher.ts'

function watch(store: Store, options: Omit<WatchOptions, 'signal'> = {}): EventReader<Nest> {
  const stop = new AbortController()
  onTestFinished(() => stop.abort())
  return new EventReader(store.watch(Nest, { ...options, signal: stop.signal }))
}

function create(store: Store, name: string, labels: Record<string, string> = {}) {
  return store.create(Nest, { metadata: { namespace: 'here', name, labels }, spec: { eggs: 1, material: 'twig' } })
}

describe('a watch', () => {
  test('shows what any selection has to see: what it added up is what a list says, from whatever revision it began', async () => {
    const selections = ['', 'tree=oak', 'tree in (oak,elm)', 'tree!=oak', '!tree', 'tree,side=north']
    const fields = ['', 'spec.material=moss', 'spec.material!=moss', 'metadata.name=b', 'metadata.namespace=here']
    await fc.assert(
      fc.asyncProperty(
        fc.array(nestChange, { maxLength: 25 }),
        fc.constantFrom(...selections),
        fc.constantFrom(...fields),
        fc.boolean(),
        fc.nat(25),
        async (changes, labelSelector, fieldSelector, inNamespace, join) => {
          const { store } = await memoryWorld()
          const selection = { labelSelector, fieldSelector, ...(inNamespace ? { namespace: 'here' } : {}) }
          const stop = new AbortController()
          const readers: { readonly seen: Map<string, Nest>; readonly events: EventReader<Nest> }[] = []
          for (const [at, change] of changes.entries()) {
            if (at === join) {
              const { items, resourceVersion } = await store.list(Nest, selection)
              const seen = new Map(items.map(({ object }) => [object.metadata.name, object]))
              const early = { seen, events: new EventReader(store.watch(Nest, { ...selection, resourceVersion, signal: stop.signal })) }
              const whole = { ...selection, initialEvents: true, signal: stop.signal }
              readers.push(early, { seen: new Map(), events: new EventReader(store.watch(Nest, whole)) })
            }
            await applyChange(store, 'here', change)
          }
          const { items } = await store.list(Nest, selection)
          const expected = items.map(({ object }) => object)
          await store.close()
          for (const { seen, events } of readers) {
            for (let event = await events.next(); event !== undefined; event = await events.next()) {
              if (event.type === 'BOOKMARK') continue
              const { name } = event.item.object.metadata
              expect(event.type === 'ADDED', `${event.type} ${name}`).toBe(!seen.has(name))
              if (event.type === 'DELETED') seen.delete(name)
              else seen.set(name, event.item.object)
            }
            expect([...seen.values()].toSorted((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1))).toEqual(expected)
          }
        },
      ),
    )
  })

  test('by two values of a label shows a change from the one to the other once', async () => {
    const { store } = await memoryWorld()
    const events = watch(store, { labelSelector: 'tree in (oak,elm)' })
    const nest = await create(store, 'a', { tree: 'oak' })
    await store.update(Nest, { ...nest, metadata: { ...nest.metadata, labels: { tree: 'elm' } } })
    await create(store, 'b', { tree: 'oak' })
    expect(await events.summary(3)).toEqual(['ADDED a', 'MODIFIED a', 'ADDED b'])
  })

  test('that is read too slowly is Expired, and nobody else notices', async () => {
    const { store } = await memoryWorld()
    const slow = watch(store)
    const quick = watch(store)
    let seen = 0
    const reading = (async () => {
      while (seen < mostBehind + 10) seen += (await quick.object()) === undefined ? 0 : 1
    })()
    for (let n = 0; n < mostBehind + 10; n++) await create(store, `n${n}`)
    await reading
    expect(seen).toBe(mostBehind + 10)
    await expect(slow.next()).rejects.toMatchObject({ reason: 'Expired' })
    expect(await slow.next()).toBeUndefined()
    expect(store.watches).toBe(1)
  })

  test('that is read too slowly is Expired also if the objects are few and large', async () => {
    const { store } = await memoryWorld()
    const { signal } = new AbortController()
    const slow = new EventReader(store.watch(ConfigMap, { signal }))
    const steady = new EventReader(store.watch(ConfigMap, { signal }))
    const text = 'x'.repeat(1_000_000)
    for (let bytes = 0; bytes <= mostBytesBehind; bytes += 2 * text.length) {
      await store.create(ConfigMap, { metadata: { namespace: 'here', name: 'a' }, data: { text } })
      await store.delete(ConfigMap, { namespace: 'here', name: 'a' })
      expect(await steady.summary(2)).toEqual(['ADDED a', 'DELETED a'])
    }
    await expect(slow.next()).rejects.toMatchObject({ reason: 'Expired', message: expect.stringContaining(`${mostBytesBehind} bytes`) })
    expect(store.watches).toBe(1)
  })

  test('may begin with more than it may be behind', async () => {
    const { store } = await memoryWorld()
    const count = mostBehind + 1
    await Promise.all(Array.from({ length: count }, (_, n) => create(store, `n${n}`)))
    const events = watch(store, { initialEvents: true })
    await create(store, 'last')
    expect((await events.summary(count)).length).toBe(count)
    expect(await events.next()).toMatchObject({ type: 'BOOKMARK', initialEventsEnd: true })
    expect(await events.summary(1)).toEqual(['ADDED last'])
  })

  test('gets a bookmark every minute if it wants to, with the revision of the store', async () => {
    const { store, clock, state } = await memoryWorld()
    const events = watch(store, { labelSelector: 'tree=oak', bookmarks: true })
    const without = watch(store, {})
    await create(store, 'unseen')
    await clock.advance(60_000)
    expect(await events.next()).toEqual({ type: 'BOOKMARK', resourceVersion: String(state.revision), initialEventsEnd: false })
    await create(store, 'b')
    await clock.advance(60_000)
    expect(await events.next()).toEqual({ type: 'BOOKMARK', resourceVersion: String(state.revision), initialEventsEnd: false })
    expect(await without.summary(2)).toEqual(['ADDED unseen', 'ADDED b'])
  })

  test('leaves no timer behind when it ends', async () => {
    const { store, clock } = await memoryWorld()
    const stop = new AbortController()
    store.watch(Nest, { bookmarks: true, signal: stop.signal })
    store.watch(Nest, { bookmarks: true, signal: stop.signal })
    expect(store.watches).toBe(2)
    stop.abort()
    expect(store.watches).toBe(0)
    expect(await clock.runUntilIdle(1)).toBe(true)
  })

  test('from a revision that is no longer kept is Expired, from the oldest that is kept it shows all since', async () => {
    const { store, state } = await memoryWorld({ window: { fewest: 0, age: 0, most: 3 } })
    for (const name of ['a', 'b', 'c', 'd', 'e']) await create(store, name)
    const kept = state.compacted
    await expect(watch(store, { resourceVersion: String(kept - 1) }).next()).rejects.toMatchObject({ reason: 'Expired' })
    expect(await watch(store, { resourceVersion: String(kept) }).summary(3)).toEqual(['ADDED c', 'ADDED d', 'ADDED e'])
  })

  test('from a revision that is yet to come waits for it; with initial events it is refused', async () => {
    const { store, state } = await memoryWorld()
    const events = watch(store, { resourceVersion: String(state.revision + 2), bookmarks: true })
    for (const name of ['a', 'b', 'c']) await create(store, name)
    expect(await events.summary(1)).toEqual(['ADDED c'])
    const whole = watch(store, { resourceVersion: String(state.revision + 1), initialEvents: true })
    await expect(whole.next()).rejects.toMatchObject({ reason: 'Timeout' })
    await expect(watch(store, { resourceVersion: 'x' }).next()).rejects.toMatchObject({ reason: 'BadRequest' })
  })

  test('that is aborted before it begins ends at once', async () => {
    const { store } = await memoryWorld()
    const events = new EventReader(store.watch(Nest, { initialEvents: true, signal: AbortSignal.abort() }))
    expect(await events.next()).toBeUndefined()
    expect(store.watches).toBe(0)
  })

  test('that is left by its reader is over', async () => {
    const { store } = await memoryWorld()
    await create(store, 'a')
    for await (const batch of store.watch(Nest, { initialEvents: true, signal: new AbortController().signal })) {
      expect(batch).toHaveLength(1)
      break
    }
    expect(store.watches).toBe(0)
  })

  test('shows the writes of one flush as one batch', async () => {
    const { store } = await memoryWorld()
    const batches = store.watch(Nest, { signal: new AbortController().signal })[Symbol.asyncIterator]()
    await Promise.all(['a', 'b', 'c'].map(name => create(store, name)))
    expect((await batches.next()).value).toHaveLength(3)
    await batches.return?.()
  })

  test('ends when the store closes, after what had happened before; a later one is refused', async () => {
    const { store } = await memoryWorld()
    const events = watch(store)
    await create(store, 'a')
    await store.close()
    expect(await events.summary(1)).toEqual(['ADDED a'])
    expect(await events.next()).toBeUndefined()
    await expect(watch(store).next()).rejects.toMatchObject({ reason: 'ServiceUnavailable' })
  })
})
