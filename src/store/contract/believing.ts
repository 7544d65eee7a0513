import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Nest } from '../../kinds/index.ts'
import { canonical, type Command, Model } from './model.ts'
import { draft, EventReader, type TheSubject } from './subject.ts'

const name = fc.constantFrom('a', 'b', 'c')
const tree = fc.constantFrom('oak', 'elm')
const eggs = fc.integer({ min: 0, max: 3 })
const rarely = fc.integer({ min: 0, max: 5 }).map(n => n === 0)

const command: fc.Arbitrary<Command> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant('create' as const), name, eggs, tree, held: fc.boolean() }) },
  { weight: 5, arbitrary: fc.record({ do: fc.constant('update' as const), name, eggs, tree, held: fc.boolean(), stale: rarely }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('report' as const), name, hatched: eggs, stale: rarely }) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('delete' as const),
      name,
      insist: fc.constantFrom('nothing' as const, 'uid' as const, 'revision' as const, 'wrong uid' as const, 'old revision' as const),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('get' as const), name }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('list' as const),
      tree: fc.constantFrom('', 'oak', 'elm'),
      limit: fc.integer({ min: 0, max: 2 }),
    }),
  },
)

/** Whatever is done in whatever order, a store does what a simple model says, and a watcher sees exactly that. */
export function believing(subject: TheSubject, runs: number): void {
  describe('whatever is done', () => {
    test('the store does what the model says, and a watch shows all of it', async () => {
      const { store, namespace } = subject()
      const ns = await namespace()
      let run = 0
      await fc.assert(
        fc.asyncProperty(fc.array(command, { maxLength: 25 }), async commands => {
          const id = `r${run++}`
          const model = new Model(store, ns, id)
          const stop = new AbortController()
          const { resourceVersion } = await store.list(Nest, { namespace: ns })
          const events = new EventReader(
            store.watch(Nest, { namespace: ns, labelSelector: `run=${id}`, resourceVersion, signal: stop.signal }),
          )
          try {
            for (const step of commands) expect(await model.apply(step), JSON.stringify(step)).toBeUndefined()
            const last = await store.create(Nest, draft(ns, `${id}-last`, {}, { labels: { run: id } }))
            for (const { type, nest } of model.events) {
              const event = await events.object()
              expect(event.type).toBe(type)
              expect(withoutRevision(event.item.object, type)).toBe(withoutRevision(nest, type))
            }
            // Nothing that the model did not expect came in between.
            const { type, item } = await events.object()
            expect([type, item.object]).toEqual(['ADDED', last])
          } finally {
            stop.abort()
          }
        }),
        { numRuns: runs },
      )
    })
  })
}

/** Only the store knows at which revision an object went. */
function withoutRevision(nest: Nest, type: string): string {
  return canonical(type === 'DELETED' ? { ...nest, metadata: { ...nest.metadata, resourceVersion: '' } } : nest)
}
