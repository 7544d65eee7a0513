import { describe, expect, onTestFinished, test } from 'vitest'
import { Nest } from '../../kinds/index.ts'
import { compareRevisions } from '../revision.ts'
import type { Store, WatchOptions } from '../store.ts'
import { draft, EventReader, reason, type TheSubject } from './subject.ts'

const finalizer = 'demo.aviary.dev/guard'

/** What holds for those who watch: everything that happens, once, in order. */
export function watching(subject: TheSubject): void {
  describe('watching', () => {
    test('a watch from a list shows what happens after it, in order', async () => {
      const { store, namespace } = subject()
      const ns = await namespace()
      await store.create(Nest, draft(ns, 'before'))
      const events = await watchFromNow(store, ns)
      const made = await store.create(Nest, draft(ns, 'a', { eggs: 1 }))
      const changed = await store.update(Nest, { ...made, spec: { ...made.spec, eggs: 2 } })
      const reported = await store.update(Nest, { ...changed, status: { hatched: 1 } }, { subresource: 'status' })
      await store.delete(Nest, { namespace: ns, name: 'a' })

      expect(await objectOf(events, 'ADDED')).toEqual(made)
      expect(await objectOf(events, 'MODIFIED')).toEqual(changed)
      expect(await objectOf(events, 'MODIFIED')).toEqual(reported)
      const last = await objectOf(events, 'DELETED')
      expect(last).toEqual({ ...reported, metadata: { ...reported.metadata, resourceVersion: last.metadata.resourceVersion } })
      expect(compareRevisions(reported.metadata.resourceVersion!, last.metadata.resourceVersion!)).toBeLessThan(0)
    })

    test('a watch can begin with everything there is', async () => {
      const { store, namespace } = subject()
      const ns = await namespace()
      const a = await store.create(Nest, draft(ns, 'a'))
      const b = await store.create(Nest, draft(ns, 'b'))
      const events = watch(store, { namespace: ns, initialEvents: true, bookmarks: true })
      expect([await objectOf(events, 'ADDED'), await objectOf(events, 'ADDED')]).toEqual([a, b])
      const bookmark = await events.next()
      expect(bookmark).toMatchObject({ type: 'BOOKMARK', initialEventsEnd: true })
      expect(
        compareRevisions((bookmark as { resourceVersion: string }).resourceVersion, b.metadata.resourceVersion!),
      ).toBeGreaterThanOrEqual(0)
      const c = await store.create(Nest, draft(ns, 'c'))
      expect(await objectOf(events, 'ADDED')).toEqual(c)
    })

    test('a watch can begin with nothing, and says so', async () => {
      const { store, namespace } = subject()
      const events = watch(store, { namespace: await namespace(), initialEvents: true, bookmarks: true })
      expect(await events.next()).toMatchObject({ type: 'BOOKMARK', initialEventsEnd: true })
    })

    test('a watch goes on from any revision that it showed, without a gap and without repeating', async () => {
      const { store, namespace } = subject()
      const ns = await namespace()
      const { resourceVersion: start } = await store.list(Nest, { namespace: ns })
      for (const name of ['a', 'b', 'c', 'd']) await store.create(Nest, draft(ns, name))
      const first = watch(store, { namespace: ns, resourceVersion: start })
      expect(await first.summary(1)).toEqual(['ADDED a'])
      const { item } = await first.object()
      const second = watch(store, { namespace: ns, resourceVersion: item.resourceVersion })
      await store.delete(Nest, { namespace: ns, name: 'a' })
      expect(await second.summary(3)).toEqual(['ADDED c', 'ADDED d', 'DELETED a'])
      expect(await first.summary(3)).toEqual(['ADDED c', 'ADDED d', 'DELETED a'])
    })

    test('an object that comes to match a selection is added, and one that no longer does is deleted', async () => {
      const { store, namespace } = subject()
      const ns = await namespace()
      const events = await watchFromNow(store, ns, { labelSelector: 'tree=oak' })
      const oak = await store.create(Nest, draft(ns, 'a', {}, { labels: { tree: 'oak' } }))
      const elm = await store.update(Nest, { ...oak, metadata: { ...oak.metadata, labels: { tree: 'elm' } } })
      const still = await store.update(Nest, { ...elm, spec: { ...elm.spec, eggs: 5 } })
      const again = await store.update(Nest, { ...still, metadata: { ...still.metadata, labels: { tree: 'oak' } } })
      await store.create(Nest, draft(ns, 'b', {}, { labels: { tree: 'elm' } }))
      await store.delete(Nest, { namespace: ns, name: 'b' })
      await store.delete(Nest, { namespace: ns, name: 'a' })

      expect(await objectOf(events, 'ADDED')).toEqual(oak)
      const left = await events.object()
      expect(left.type).toBe('DELETED')
      expect(left.item.object.metadata.name).toBe('a')
      expect(left.item.resourceVersion).toBe(elm.metadata.resourceVersion)
      expect(await objectOf(events, 'ADDED')).toEqual(again)
      expect(await events.summary(1)).toEqual(['DELETED a'])
    })

    test('fields select what is watched', async () => {
      const { store, namespace } = subject()
      const ns = await namespace()
      const one = await watchFromNow(store, ns, { fieldSelector: 'metadata.name=b' })
      const mossy = await watchFromNow(store, ns, { fieldSelector: 'spec.material=moss' })
      await store.create(Nest, draft(ns, 'a', { material: 'moss' }))
      const b = await store.create(Nest, draft(ns, 'b', { material: 'twig' }))
      await store.update(Nest, { ...b, spec: { ...b.spec, material: 'moss' } })
      expect(await one.summary(2)).toEqual(['ADDED b', 'MODIFIED b'])
      expect(await mossy.summary(2)).toEqual(['ADDED a', 'ADDED b'])
    })

    test('a namespace shows only its own changes', async () => {
      const { store, namespace } = subject()
      const [here, there] = [await namespace(), await namespace()]
      const events = await watchFromNow(store, here)
      await store.create(Nest, draft(there, 'elsewhere'))
      await store.create(Nest, draft(here, 'a'))
      expect(await events.summary(1)).toEqual(['ADDED a'])
    })

    test('a deletion that waits is a change, and its end is the deletion', async () => {
      const { store, namespace } = subject()
      const ns = await namespace()
      const events = await watchFromNow(store, ns)
      await store.create(Nest, draft(ns, 'a', {}, { finalizers: [finalizer] }))
      const { object } = await store.delete(Nest, { namespace: ns, name: 'a' })
      await store.update(Nest, { ...object, metadata: { ...object.metadata, finalizers: [] } })
      expect(await events.summary(3)).toEqual(['ADDED a', 'MODIFIED a', 'DELETED a'])
    })

    test('what changes nothing, is refused or is a dry run is not seen', async () => {
      const { store, namespace } = subject()
      const ns = await namespace()
      const events = await watchFromNow(store, ns)
      const nest = await store.create(Nest, draft(ns, 'a'))
      await store.update(Nest, nest)
      await store.update(Nest, { ...nest, spec: { ...nest.spec, eggs: 2 } }, { dryRun: true })
      await reason(store.update(Nest, { ...nest, spec: { ...nest.spec, eggs: 99 } }))
      await reason(store.create(Nest, draft(ns, 'a')))
      await store.create(Nest, draft(ns, 'b'))
      expect(await events.summary(2)).toEqual(['ADDED a', 'ADDED b'])
    })

    test('everybody sees everything in the same order', async () => {
      const { store, namespace } = subject()
      const ns = await namespace()
      const readers = [
        await watchFromNow(store, ns),
        await watchFromNow(store, ns),
        await watchFromNow(store, ns, { labelSelector: '!none' }),
      ]
      await Promise.all(['a', 'b', 'c', 'd', 'e', 'f'].map(name => store.create(Nest, draft(ns, name))))
      const [first, ...others] = await Promise.all(readers.map(reader => reader.summary(6)))
      for (const other of others) expect(other).toEqual(first)
      expect(first!.toSorted()).toEqual(['a', 'b', 'c', 'd', 'e', 'f'].map(name => `ADDED ${name}`))
    })

    test('an aborted watch ends without an error', async () => {
      const { store, namespace } = subject()
      const stop = new AbortController()
      const events = new EventReader(store.watch(Nest, { namespace: await namespace(), initialEvents: true, signal: stop.signal }))
      expect(await events.next()).toMatchObject({ type: 'BOOKMARK' })
      const next = events.next()
      stop.abort()
      expect(await next).toBeUndefined()
      expect(await events.next()).toBeUndefined()
    })

    test('a watch with a selector that makes no sense is refused', async () => {
      const { store, namespace } = subject()
      const ns = await namespace()
      expect(await reason(watch(store, { namespace: ns, initialEvents: true, labelSelector: 'a===b' }).next())).toBe('BadRequest')
      expect(await reason(watch(store, { namespace: ns, initialEvents: true, fieldSelector: 'spec.eggs=1' }).next())).toBe('BadRequest')
    })
  })
}

function watch(store: Store, options: Omit<WatchOptions, 'signal'>): EventReader<Nest> {
  const stop = new AbortController()
  onTestFinished(() => stop.abort())
  return new EventReader(store.watch(Nest, { ...options, signal: stop.signal }))
}

async function watchFromNow(store: Store, namespace: string, options: Omit<WatchOptions, 'signal'> = {}): Promise<EventReader<Nest>> {
  const { resourceVersion } = await store.list(Nest, { namespace })
  return watch(store, { namespace, resourceVersion, ...options })
}

async function objectOf(events: EventReader<Nest>, type: string): Promise<Nest> {
  const event = await events.object()
  expect(event.type).toBe(type)
  return event.item.object
}
