import { describe, expect, test } from 'vitest'
import { parseTime } from '../../ports/index.ts'
import { ConfigMap, Nest } from '../../kinds/index.ts'
import { compareRevisions } from '../revision.ts'
import { draft, reason, refusal, type TheSubject } from './subject.ts'

/** What holds when objects are made. */
export function creating(subject: TheSubject): void {
  describe('creating', () => {
    test('an object comes back with identity, revision, time, generation and defaults', async () => {
      const { store, namespace } = subject()
      const ns = await namespace()
      const nest = await store.create(Nest, draft(ns, 'a', { eggs: 3 }, { labels: { tree: 'oak' }, annotations: { note: 'high up' } }))
      expect(nest).toMatchObject({
        apiVersion: 'demo.aviary.dev/v1alpha1',
        kind: 'Nest',
        metadata: { name: 'a', namespace: ns, generation: 1, labels: { tree: 'oak' }, annotations: { note: 'high up' } },
        spec: { eggs: 3, material: 'twig' },
      })
      expect(nest.metadata.uid).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
      expect(nest.metadata.resourceVersion).toMatch(/^[1-9][0-9]*$/)
      expect(parseTime(nest.metadata.creationTimestamp!)).toBeGreaterThan(0)
      expect(nest.metadata.deletionTimestamp).toBeUndefined()
      expect(await store.get(Nest, { namespace: ns, name: 'a' })).toEqual(nest)
    })

    test('what comes back is frozen and the draft is left alone', async () => {
      const { store, namespace } = subject()
      const given = draft(await namespace(), 'a', { guards: [{ name: 'ada' }] }, { labels: { tree: 'oak' } })
      const before = JSON.stringify(given)
      const nest = await store.create(Nest, given)
      expect(JSON.stringify(given)).toBe(before)
      expect(Object.isFrozen(given.metadata.labels)).toBe(false)
      for (const part of [nest, nest.metadata, nest.metadata.labels, nest.spec, nest.spec.guards, nest.spec.guards![0]]) {
        expect(Object.isFrozen(part)).toBe(true)
      }
    })

    test('generateName makes a new name each time', async () => {
      const { store, namespace } = subject()
      const ns = await namespace()
      const given = { metadata: { namespace: ns, generateName: 'nest-' }, spec: {} as Nest['spec'] }
      const nests = await Promise.all([1, 2, 3].map(() => store.create(Nest, given)))
      expect(new Set(nests.map(({ metadata }) => metadata.name)).size).toBe(3)
      for (const { metadata } of nests) {
        expect(metadata.name).toMatch(/^nest-[a-z0-9]{5}$/)
        expect(metadata.generateName).toBe('nest-')
      }
    })

    test('a status in the draft is dropped', async () => {
      const { store, namespace } = subject()
      const nest = await store.create(Nest, { ...draft(await namespace(), 'a'), status: { phase: 'Hatched' } })
      expect(nest.status?.phase).toBeUndefined()
    })

    test('a name that is taken is refused and nothing changes', async () => {
      const { store, namespace } = subject()
      const ns = await namespace()
      const first = await store.create(Nest, draft(ns, 'a', { eggs: 1 }))
      const error = await refusal(store.create(Nest, draft(ns, 'a', { eggs: 2 })))
      expect(error.reason).toBe('AlreadyExists')
      expect(error.message).toBe('nests.demo.aviary.dev "a" already exists')
      expect(await store.get(Nest, { namespace: ns, name: 'a' })).toEqual(first)
    })

    test('one name can be used by two kinds and in two namespaces', async () => {
      const { store, namespace } = subject()
      const [here, there] = [await namespace(), await namespace()]
      await store.create(Nest, draft(here, 'a'))
      await store.create(ConfigMap, { metadata: { namespace: here, name: 'a' }, data: { key: 'value' } })
      const other = await store.create(Nest, draft(there, 'a', { eggs: 7 }))
      expect(await store.get(Nest, { namespace: there, name: 'a' })).toEqual(other)
      expect((await store.get(ConfigMap, { namespace: here, name: 'a' })).data).toEqual({ key: 'value' })
    })

    test('of several who take one name at once exactly one wins', async () => {
      const { store, namespace } = subject()
      const ns = await namespace()
      const results = await Promise.allSettled([1, 2, 3, 4, 5, 6].map(eggs => store.create(Nest, draft(ns, 'a', { eggs }))))
      const won = results.filter(result => result.status === 'fulfilled')
      expect(won).toHaveLength(1)
      for (const result of results) if (result.status === 'rejected') expect(result.reason).toMatchObject({ reason: 'AlreadyExists' })
      expect(await store.get(Nest, { namespace: ns, name: 'a' })).toEqual(won[0]!.value)
    })

    test('every write has a revision of its own, larger than all before', async () => {
      const { store, namespace } = subject()
      const ns = await namespace()
      const first = await store.create(Nest, draft(ns, 'first'))
      const together = await Promise.all(['a', 'b', 'c', 'd'].map(name => store.create(Nest, draft(ns, name))))
      const last = await store.create(Nest, draft(ns, 'last'))
      const revisions = together.map(({ metadata }) => metadata.resourceVersion!)
      expect(new Set(revisions).size).toBe(4)
      for (const revision of revisions) {
        expect(compareRevisions(first.metadata.resourceVersion!, revision)).toBeLessThan(0)
        expect(compareRevisions(revision, last.metadata.resourceVersion!)).toBeLessThan(0)
      }
    })

    test('a namespace that does not exist is named in the refusal', async () => {
      const { store, namespace } = subject()
      const missing = `${await namespace()}-not`
      const error = await refusal(store.create(Nest, draft(missing, 'a')))
      expect(error.reason).toBe('NotFound')
      expect(error.message).toBe(`namespaces "${missing}" not found`)
    })

    test('a dry run answers as if it had been done and changes nothing', async () => {
      const { store, namespace } = subject()
      const ns = await namespace()
      const nest = await store.create(Nest, draft(ns, 'a', { eggs: 4 }), { dryRun: true })
      expect(nest).toMatchObject({ metadata: { name: 'a' }, spec: { eggs: 4, material: 'twig' } })
      expect(await reason(store.get(Nest, { namespace: ns, name: 'a' }))).toBe('NotFound')
      await store.create(Nest, draft(ns, 'a'))
      expect(await reason(store.create(Nest, draft(ns, 'a'), { dryRun: true }))).toBe('AlreadyExists')
    })
  })
}
