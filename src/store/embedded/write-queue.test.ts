import { describe, expect, test } from 'vitest'
import { Nest } from '../../kinds/index.ts'
import { EventReader } from '../contract/subject.ts'
import { StoreError } from '../errors.ts'
import { memoryWorld } from '../testing/memory.ts'
import type { Change } from './change.ts'
import type { Journal } from './journal.ts'

/** A journal that writes down what it is told, and fails when asked to. */
class TestJournal implements Journal {
  readonly appended: (readonly Change[])[] = []
  readonly forgotten: Change[] = []
  failing = false
  closed = false

  append(changes: readonly Change[]): void {
    if (this.failing) throw new StoreError('ServiceUnavailable', 'the disk is full')
    this.appended.push(changes)
  }

  forget(changes: readonly Change[]): void {
    this.forgotten.push(...changes)
  }

  async close(): Promise<void> {
    this.closed = true
  }
}

const nest = (name: string, eggs = 1) => ({ metadata: { namespace: 'here', name }, spec: { eggs, material: 'twig' as const } })

describe('writes', () => {
  test('that wait at the same time share one commit, 128 at most', async () => {
    const journal = new TestJournal()
    const { store } = await memoryWorld({ journal })
    await Promise.all(Array.from({ length: 300 }, (_, n) => store.create(Nest, nest(`n${n}`))))
    expect(journal.appended.slice(1).map(changes => changes.length)).toEqual([128, 128, 44])
  })

  test('that are large share a commit with fewer others', async () => {
    const journal = new TestJournal()
    const { store } = await memoryWorld({ journal })
    const large = (n: number) => ({
      ...nest(`n${n}`),
      metadata: { namespace: 'here', name: `n${n}`, annotations: { note: 'x'.repeat(250_000) } },
    })
    await Promise.all(Array.from({ length: 40 }, (_, n) => store.create(Nest, large(n))))
    expect(journal.appended.slice(1).map(changes => changes.length)).toEqual([17, 17, 6])
  })

  test('of one commit see each other', async () => {
    const { store } = await memoryWorld()
    const results = await Promise.allSettled([
      store.create(Nest, nest('a')),
      store.create(Nest, nest('a')),
      store.delete(Nest, { namespace: 'here', name: 'a' }),
      store.create(Nest, nest('a', 7)),
    ])
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'fulfilled'])
    expect((await store.get(Nest, { namespace: 'here', name: 'a' })).spec.eggs).toBe(7)
  })

  test('whose commit fails never happened: not for readers, not for watchers, and everybody who waited is told', async () => {
    const journal = new TestJournal()
    const { store, state } = await memoryWorld({ journal })
    const before = await store.create(Nest, nest('before'))
    const events = new EventReader(store.watch(Nest, { signal: new AbortController().signal }))
    const { revision } = state
    journal.failing = true
    const failed = await Promise.allSettled([
      store.create(Nest, nest('a')),
      store.create(Nest, nest('a')),
      store.update(Nest, { ...before, spec: { ...before.spec, eggs: 9 } }),
      store.delete(Nest, { namespace: 'here', name: 'before' }),
    ])
    for (const result of failed) expect(result).toMatchObject({ status: 'rejected', reason: { reason: 'ServiceUnavailable' } })
    expect(state.revision).toBe(revision)
    expect((await store.list(Nest)).items.map(item => item.object)).toEqual([before])
    journal.failing = false
    const after = await store.create(Nest, nest('after'))
    expect(after.metadata.resourceVersion).toBe(String(revision + 1))
    expect(await events.summary(1)).toEqual(['ADDED after'])
  })

  test('that are refused, change nothing or are dry runs need no commit', async () => {
    const journal = new TestJournal()
    const { store } = await memoryWorld({ journal })
    const made = await store.create(Nest, nest('a'))
    const commits = journal.appended.length
    await store.update(Nest, made)
    await store.create(Nest, nest('b'), { dryRun: true })
    await store.create(Nest, nest('a')).catch(() => {})
    expect(journal.appended).toHaveLength(commits)
  })

  test('that are called off before their turn are not done', async () => {
    const { store } = await memoryWorld()
    const stop = new AbortController()
    const call = store.create(Nest, nest('a'), { signal: stop.signal })
    stop.abort(new Error('no longer wanted'))
    await expect(call).rejects.toThrow('no longer wanted')
    expect((await store.list(Nest)).items).toEqual([])
  })

  test('that wait when the store closes are still done, later ones are refused', async () => {
    const journal = new TestJournal()
    const { store } = await memoryWorld({ journal })
    const waiting = Promise.all(Array.from({ length: 100 }, (_, n) => store.create(Nest, nest(`n${n}`))))
    const closing = store.close()
    await expect(store.create(Nest, nest('late'))).rejects.toMatchObject({ reason: 'ServiceUnavailable' })
    expect(await waiting).toHaveLength(100)
    await closing
    expect(journal.closed).toBe(true)
    await expect(store.list(Nest)).rejects.toMatchObject({ reason: 'ServiceUnavailable' })
    await expect(store.get(Nest, { namespace: 'here', name: 'n1' })).rejects.toMatchObject({ reason: 'ServiceUnavailable' })
    await store.close()
  })

  test('that leave the history are told to the journal, oldest first', async () => {
    const journal = new TestJournal()
    const { store } = await memoryWorld({ journal, window: { fewest: 2, age: 0, most: 4 } })
    for (let n = 0; n < 6; n++) await store.create(Nest, nest(`n${n}`))
    const revisions = journal.forgotten.map(({ revision }) => revision)
    expect(revisions).toEqual([2, 3, 4])
  })
})

describe('the history', () => {
  test('keeps a number of revisions, those that are young, and no more than memory allows', async () => {
    const { store, state, clock } = await memoryWorld({ window: { fewest: 3, age: 1000, most: 6, bytes: 100_000 } })
    for (let n = 0; n < 5; n++) await store.create(Nest, nest(`n${n}`))
    expect(state.history.length).toBe(6)
    await store.create(Nest, nest('n5'))
    expect(state.history.length).toBe(6)
    await clock.advance(1001)
    await store.create(Nest, nest('n6'))
    expect(state.history.length).toBe(3)

    const large = await store.create(Nest, {
      ...nest('large'),
      metadata: { namespace: 'here', name: 'large', annotations: { note: 'x'.repeat(60_000) } },
    })
    const second = await store.update(Nest, { ...large, spec: { eggs: 2, material: 'twig' } })
    expect(state.history.bytes).toBeGreaterThan(60_000)
    await store.update(Nest, { ...second, spec: { eggs: 3, material: 'twig' } })
    expect(state.history.bytes).toBeLessThan(100_000)
  })
})
