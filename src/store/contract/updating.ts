import { describe, expect, test } from 'vitest'
import { Nest } from '../../kinds/index.ts'
import { StoreError } from '../errors.ts'
import { compareRevisions } from '../revision.ts'
import { draft, reason, refusal, type TheSubject } from './subject.ts'

/** What holds when objects are replaced: compare and swap, everywhere. */
export function updating(subject: TheSubject): void {
  describe('updating', () => {
    test('a changed wish gets a new revision and the next generation; identity stays', async () => {
      const { store, namespace } = subject()
      const ns = await namespace()
      const nest = await store.create(Nest, draft(ns, 'a', { eggs: 1 }))
      const changed = await store.update(Nest, { ...nest, spec: { ...nest.spec, eggs: 2 } })
      expect(changed.spec.eggs).toBe(2)
      expect(changed.metadata.generation).toBe(2)
      expect(changed.metadata.uid).toBe(nest.metadata.uid)
      expect(changed.metadata.creationTimestamp).toBe(nest.metadata.creationTimestamp)
      expect(compareRevisions(nest.metadata.resourceVersion!, changed.metadata.resourceVersion!)).toBeLessThan(0)
      expect(await store.get(Nest, { namespace: ns, name: 'a' })).toEqual(changed)
    })

    test('a change of metadata alone does not count as a generation', async () => {
      const { store, namespace } = subject()
      const nest = await store.create(Nest, draft(await namespace(), 'a', {}, { labels: { tree: 'oak', side: 'north' } }))
      const changed = await store.update(Nest, { ...nest, metadata: { ...nest.metadata, labels: { tree: 'elm' } } })
      expect(changed.metadata.labels).toEqual({ tree: 'elm' })
      expect(changed.metadata.generation).toBe(1)
      expect(changed.metadata.resourceVersion).not.toBe(nest.metadata.resourceVersion)
    })

    test('a stale write is a Conflict and changes nothing', async () => {
      const { store, namespace } = subject()
      const ns = await namespace()
      const nest = await store.create(Nest, draft(ns, 'a', { eggs: 1 }))
      const second = await store.update(Nest, { ...nest, spec: { ...nest.spec, eggs: 2 } })
      const error = await refusal(store.update(Nest, { ...nest, spec: { ...nest.spec, eggs: 3 } }))
      expect(error.reason).toBe('Conflict')
      expect(error.message).toContain('Operation cannot be fulfilled on nests.demo.aviary.dev "a"')
      expect(await reason(store.update(Nest, { ...nest, status: { hatched: 1 } }, { subresource: 'status' }))).toBe('Conflict')
      expect(await store.get(Nest, { namespace: ns, name: 'a' })).toEqual(second)
    })

    test('of several who change one revision at once exactly one wins', async () => {
      const { store, namespace } = subject()
      const ns = await namespace()
      const nest = await store.create(Nest, draft(ns, 'a', { eggs: 0 }))
      const results = await Promise.allSettled(
        [1, 2, 3, 4, 5, 6].map(eggs => store.update(Nest, { ...nest, spec: { ...nest.spec, eggs } })),
      )
      const won = results.filter(result => result.status === 'fulfilled')
      expect(won).toHaveLength(1)
      for (const result of results) if (result.status === 'rejected') expect(result.reason).toMatchObject({ reason: 'Conflict' })
      expect(await store.get(Nest, { namespace: ns, name: 'a' })).toEqual(won[0]!.value)
    })

    test('no update is lost when several read, change and write until they succeed', async () => {
      const { store, namespace } = subject()
      const ns = await namespace()
      await store.create(Nest, draft(ns, 'a', {}, { annotations: { count: '0' } }))
      const increment = async (): Promise<void> => {
        const nest = await store.get(Nest, { namespace: ns, name: 'a' })
        const count = String(Number(nest.metadata.annotations!['count']) + 1)
        try {
          await store.update(Nest, { ...nest, metadata: { ...nest.metadata, annotations: { count } } })
        } catch (error) {
          if (!StoreError.is(error, 'Conflict')) throw error
          await increment()
        }
      }
      await Promise.all(Array.from({ length: 12 }, increment))
      expect((await store.get(Nest, { namespace: ns, name: 'a' })).metadata.annotations).toEqual({ count: '12' })
    })

    test('a write without a revision is refused', async () => {
      const { store, namespace } = subject()
      const ns = await namespace()
      const nest = await store.create(Nest, draft(ns, 'a'))
      const { resourceVersion: _, ...metadata } = nest.metadata
      const error = await refusal(store.update(Nest, { ...nest, metadata, spec: { ...nest.spec, eggs: 5 } }))
      expect(error.reason).toBe('Invalid')
      expect(error.details.problems?.map(problem => problem.path)).toContain('metadata.resourceVersion')
      expect(await store.get(Nest, { namespace: ns, name: 'a' })).toEqual(nest)
    })

    test('an update meant for another object of the same name is a Conflict', async () => {
      const { store, namespace } = subject()
      const nest = await store.create(Nest, draft(await namespace(), 'a'))
      const uid = '00000000-0000-4000-8000-000000000000'
      expect(await reason(store.update(Nest, { ...nest, metadata: { ...nest.metadata, uid }, spec: { ...nest.spec, eggs: 5 } }))).toBe(
        'Conflict',
      )
    })

    test('an object that is not there cannot be updated', async () => {
      const { store, namespace } = subject()
      const nest = await store.create(Nest, draft(await namespace(), 'a'))
      expect(await reason(store.update(Nest, { ...nest, metadata: { ...nest.metadata, name: 'b' } }))).toBe('NotFound')
    })

    test('creation time and generation are not the caller’s to choose', async () => {
      const { store, namespace } = subject()
      const nest = await store.create(Nest, draft(await namespace(), 'a'))
      const metadata = { ...nest.metadata, creationTimestamp: '2001-01-01T00:00:00Z', generation: 1, labels: { tree: 'oak' } }
      const changed = await store.update(Nest, { ...nest, metadata })
      expect(changed.metadata.creationTimestamp).toBe(nest.metadata.creationTimestamp)
      expect(changed.metadata.generation).toBe(1)
    })

    test('an update that changes nothing makes no revision', async () => {
      const { store, namespace } = subject()
      const nest = await store.create(Nest, draft(await namespace(), 'a', { eggs: 2 }, { labels: { tree: 'oak' } }))
      expect(await store.update(Nest, nest)).toEqual(nest)
      const reading = await store.update(Nest, { ...nest, status: { phase: 'Brooding' } }, { subresource: 'status' })
      expect(await store.update(Nest, reading, { subresource: 'status' })).toEqual(reading)
    })

    test('an update leaves the status alone, and a status update all the rest', async () => {
      const { store, namespace } = subject()
      const nest = await store.create(Nest, draft(await namespace(), 'a', { eggs: 2 }))
      const reported = await store.update(
        Nest,
        { ...nest, metadata: { ...nest.metadata, annotations: { by: 'status' } }, spec: { ...nest.spec, eggs: 9 }, status: { hatched: 1 } },
        { subresource: 'status' },
      )
      expect(reported.status?.hatched).toBe(1)
      expect(reported.spec).toEqual(nest.spec)
      expect(reported.metadata.annotations).toBeUndefined()
      expect(reported.metadata.generation).toBe(1)

      const wished = await store.update(Nest, { ...reported, spec: { ...reported.spec, eggs: 3 }, status: { hatched: 99 } })
      expect(wished.spec.eggs).toBe(3)
      expect(wished.status?.hatched).toBe(1)
    })

    test('a dry run of an update changes nothing', async () => {
      const { store, namespace } = subject()
      const ns = await namespace()
      const nest = await store.create(Nest, draft(ns, 'a', { eggs: 2 }))
      const dry = await store.update(Nest, { ...nest, spec: { ...nest.spec, eggs: 3 } }, { dryRun: true })
      expect(dry.spec.eggs).toBe(3)
      expect(dry.metadata.generation).toBe(2)
      expect(await store.get(Nest, { namespace: ns, name: 'a' })).toEqual(nest)
    })
  })
}
