import { describe, expect, test } from 'vitest'
import { Nest } from '../../kinds/index.ts'
import type { Store } from '../store.ts'
import { draft, reason, refusal, type TheSubject } from './subject.ts'

const finalizer = 'demo.aviary.dev/guard'

/** What holds when objects are removed, at once or when those who hold them let go. */
export function deleting(subject: TheSubject): void {
  describe('deleting', () => {
    test('an object that nobody holds is gone at once', async () => {
      const { store, namespace } = subject()
      const ns = await namespace()
      const nest = await store.create(Nest, draft(ns, 'a'))
      const { object, gone } = await store.delete(Nest, { namespace: ns, name: 'a' })
      expect(gone).toBe(true)
      expect(object.metadata).toMatchObject({ name: 'a', namespace: ns, uid: nest.metadata.uid })
      expect(await reason(store.get(Nest, { namespace: ns, name: 'a' }))).toBe('NotFound')
      expect(await reason(store.delete(Nest, { namespace: ns, name: 'a' }))).toBe('NotFound')
    })

    test('a name that is free again belongs to another object', async () => {
      const { store, namespace } = subject()
      const ns = await namespace()
      const first = await store.create(Nest, draft(ns, 'a'))
      await store.delete(Nest, { namespace: ns, name: 'a' })
      const second = await store.create(Nest, draft(ns, 'a'))
      expect(second.metadata.uid).not.toBe(first.metadata.uid)
      expect(await reason(store.update(Nest, { ...first, spec: { ...first.spec, eggs: 5 } }))).toBe('Conflict')
    })

    test('a deletion can insist on the object and its revision', async () => {
      const { store, namespace } = subject()
      const key = { namespace: await namespace(), name: 'a' }
      const nest = await store.create(Nest, draft(key.namespace, 'a'))
      const changed = await store.update(Nest, { ...nest, spec: { ...nest.spec, eggs: 5 } })
      expect(await reason(store.delete(Nest, key, { uid: '00000000-0000-4000-8000-000000000000' }))).toBe('Conflict')
      expect(await reason(store.delete(Nest, key, { resourceVersion: nest.metadata.resourceVersion! }))).toBe('Conflict')
      expect(await store.get(Nest, key)).toEqual(changed)
      const { uid, resourceVersion } = changed.metadata
      expect((await store.delete(Nest, key, { uid: uid!, resourceVersion: resourceVersion! })).gone).toBe(true)
    })

    test('finalizers hold an object that is being deleted; removing the last one removes it', async () => {
      const { store, namespace } = subject()
      const key = { namespace: await namespace(), name: 'a' }
      const nest = await store.create(Nest, draft(key.namespace, 'a', {}, { finalizers: [finalizer] }))
      const { object, gone } = await store.delete(Nest, key)
      expect(gone).toBe(false)
      expect(object.metadata.deletionTimestamp).toBeDefined()
      expect(object.metadata.deletionGracePeriodSeconds).toBe(0)
      expect(object.metadata.generation).toBe(2)
      expect(object.metadata.uid).toBe(nest.metadata.uid)
      expect(await store.get(Nest, key)).toEqual(object)
      expect((await store.delete(Nest, key)).object).toEqual(object)

      const released = await letGo(store, object)
      expect(released.metadata.finalizers ?? []).toEqual([])
      expect(await reason(store.get(Nest, key))).toBe('NotFound')
    })

    test('an object that is being deleted can be changed, but nobody new can hold it', async () => {
      const { store, namespace } = subject()
      const key = { namespace: await namespace(), name: 'a' }
      await store.create(Nest, draft(key.namespace, 'a', {}, { finalizers: [finalizer] }))
      const { object } = await store.delete(Nest, key)
      const more = { ...object, metadata: { ...object.metadata, finalizers: [finalizer, 'demo.aviary.dev/other'] } }
      const error = await refusal(store.update(Nest, more))
      expect(error.reason).toBe('Invalid')
      expect(error.details.problems?.map(problem => problem.path)).toContain('metadata.finalizers')
      const changed = await store.update(Nest, { ...object, spec: { ...object.spec, eggs: 8 } })
      expect(changed.metadata.deletionTimestamp).toBe(object.metadata.deletionTimestamp)
      await letGo(store, changed)
    })

    test('the name of an object that is being deleted is still taken', async () => {
      const { store, namespace } = subject()
      const key = { namespace: await namespace(), name: 'a' }
      await store.create(Nest, draft(key.namespace, 'a', {}, { finalizers: [finalizer] }))
      const { object } = await store.delete(Nest, key)
      const error = await refusal(store.create(Nest, draft(key.namespace, 'a')))
      expect(error.reason).toBe('AlreadyExists')
      expect(error.message).toContain('object is being deleted')
      await letGo(store, object)
    })

    test('how to go on with what an object owns is written on it as a finalizer', async () => {
      const { store, namespace } = subject()
      const ns = await namespace()
      for (const [propagation, expected] of [
        ['Foreground', 'foregroundDeletion'],
        ['Orphan', 'orphan'],
      ] as const) {
        const name = propagation.toLowerCase()
        await store.create(Nest, draft(ns, name, {}, { finalizers: [finalizer] }))
        const { object, gone } = await store.delete(Nest, { namespace: ns, name }, { propagation })
        expect(gone).toBe(false)
        expect(object.metadata.finalizers).toEqual(expect.arrayContaining([finalizer, expected]))
      }
    })

    test('owners are kept as they were given', async () => {
      const { store, namespace } = subject()
      const ns = await namespace()
      const owner = await store.create(Nest, draft(ns, 'owner'))
      const reference = { apiVersion: owner.apiVersion, kind: owner.kind, name: 'owner', uid: owner.metadata.uid!, controller: true }
      const owned = await store.create(Nest, draft(ns, 'owned', {}, { ownerReferences: [reference] }))
      expect(owned.metadata.ownerReferences).toEqual([reference])
    })

    test('a dry run of a deletion changes nothing', async () => {
      const { store, namespace } = subject()
      const ns = await namespace()
      const free = await store.create(Nest, draft(ns, 'free'))
      const held = await store.create(Nest, draft(ns, 'held', {}, { finalizers: [finalizer] }))
      expect((await store.delete(Nest, { namespace: ns, name: 'free' }, { dryRun: true })).gone).toBe(true)
      expect((await store.delete(Nest, { namespace: ns, name: 'held' }, { dryRun: true })).gone).toBe(false)
      expect(await store.get(Nest, { namespace: ns, name: 'free' })).toEqual(free)
      expect(await store.get(Nest, { namespace: ns, name: 'held' })).toEqual(held)
      await letGo(store, held)
    })
  })
}

function letGo(store: Store, nest: Nest): Promise<Nest> {
  return store.update(Nest, { ...nest, metadata: { ...nest.metadata, finalizers: [] } })
}
