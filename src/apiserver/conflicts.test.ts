import { describe, expect, test } from 'vitest'
import { Nest } from '../kinds/index.ts'
import { type Store, StoreError } from '../store/index.ts'
import { changedStore } from './testing/changed-store.ts'
import { nest, nests, testServer } from './testing/test-server.ts'

/** A store in which others are faster, so many times. */
function contested(store: Store, others: { updates: number }): Store {
  return changedStore(store, {
    update: async (kind, object, options) => {
      if (others.updates-- > 0) throw new StoreError('Conflict', 'somebody was faster')
      return store.update(kind, object, options)
    },
  })
}

describe('writes that others get in the way of', () => {
  const merge = { 'content-type': 'application/merge-patch+json' }

  test('a patch is tried again with what others left, five times', async () => {
    for (const [conflicts, code] of [
      [4, 200],
      [5, 409],
    ] as const) {
      const others = { updates: conflicts }
      const server = await testServer({ wrap: store => contested(store, others) })
      await server.send('POST', nests, { body: nest('a') })
      const answer = await server.send('PATCH', `${nests}/a`, { body: { spec: { eggs: 3 } }, headers: merge })
      expect(answer.status).toBe(code)
      expect(others.updates).toBe(conflicts - 5)
      await server.close()
    }
  })

  test('a patch that asks for a revision is not tried again', async () => {
    const server = await testServer()
    await server.send('POST', nests, { body: nest('a') })
    const body = { metadata: { resourceVersion: '1' }, spec: { eggs: 3 } }
    expect((await server.send('PATCH', `${nests}/a`, { body, headers: merge })).status).toBe(409)
    await server.close()
  })

  test('patches by many at once all arrive', async () => {
    const server = await testServer()
    await server.send('POST', nests, { body: nest('a') })
    const labels = Array.from({ length: 5 }, (_, index) => `label-${index}`)
    const answers = await Promise.all(
      labels.map(label => server.send('PATCH', `${nests}/a`, { body: { metadata: { labels: { [label]: 'yes' } } }, headers: merge })),
    )
    expect(answers.map(({ status: code }) => code)).toEqual(labels.map(() => 200))
    expect(Object.keys((await server.store.get(Nest, { namespace: 'wood', name: 'a' })).metadata.labels!)).toEqual(
      expect.arrayContaining(labels),
    )
    await server.close()
  })

  test('a replacement without a revision wins over others, for the kinds that may', async () => {
    const server = await testServer({ wrap: store => contested(store, { updates: 20 }) })
    const maps = '/api/v1/namespaces/wood/configmaps'
    await server.send('POST', maps, { body: { metadata: { name: 'c' } } })
    expect((await server.send('PUT', `${maps}/c`, { body: { metadata: { name: 'c' }, data: { a: '1' } } })).status).toBe(200)
    await server.close()
  })
})

describe('trap 6: writes that change nothing', () => {
  test('a patch that changes nothing keeps the revision, one of metadata the generation', async () => {
    const server = await testServer()
    const made = await server.send('POST', nests, { body: nest('a', { eggs: 2 }) })
    const patch = (body: object) =>
      server.send('PATCH', `${nests}/a`, { body, headers: { 'content-type': 'application/merge-patch+json' } })
    expect((await patch({ spec: { eggs: 2 } })).body.metadata.resourceVersion).toBe(made.body.metadata.resourceVersion)
    const labelled = await patch({ metadata: { labels: { a: 'b' } } })
    expect(labelled.body.metadata.generation).toBe(1)
    expect(labelled.body.metadata.resourceVersion).not.toBe(made.body.metadata.resourceVersion)
    expect((await patch({ spec: { eggs: 3 } })).body.metadata.generation).toBe(2)
    await server.close()
  })
})
