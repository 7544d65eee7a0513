import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Nest } from '../../kinds/index.ts'
import type { StoreError } from '../errors.ts'
import type { ListOptions, Page } from '../store.ts'
import { applyChange, nestChange } from '../testing/changes.ts'
import { memoryWorld } from '../testing/memory.ts'
import { encodeContinue } from './continue-token.ts'

const selection = fc.record({
  labelSelector: fc.constantFrom('', 'tree=oak', 'tree in (oak,elm)', 'tree!=oak', '!tree', 'tree=oak,side', 'side notin (north)'),
  fieldSelector: fc.constantFrom('', 'spec.material=moss', 'spec.material!=moss', 'metadata.name=b', 'metadata.name!=b'),
  limit: fc.integer({ min: 0, max: 3 }),
})

describe('a list', () => {
  test('shows any moment that is kept, by any selection and in pages of any size, exactly as it was', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(nestChange, { minLength: 1, maxLength: 25 }), selection, fc.nat(), async (changes, options, moment) => {
        const { store, state } = await memoryWorld()
        const moments: { readonly resourceVersion: string; readonly nests: readonly Nest[] }[] = []
        for (const change of changes) {
          await applyChange(store, 'here', change)
          const { items, resourceVersion } = await store.list(Nest)
          moments.push({ resourceVersion, nests: items.map(item => item.object) })
        }
        const { resourceVersion, nests } = moments[moment % moments.length]!
        const query = { ...options, namespace: 'here', resourceVersion, exactRevision: true }
        const listed: Nest[] = []
        let remaining: number | undefined
        for (let next: ListOptions | undefined = query; next !== undefined;) {
          const page: Page<Nest> = await store.list(Nest, next)
          expect(page.resourceVersion).toBe(resourceVersion)
          if (remaining !== undefined) expect(page.items.length + (page.remaining ?? 0)).toBe(remaining)
          listed.push(...page.items.map(item => item.object))
          remaining = page.remaining
          next = page.continue === undefined ? undefined : { ...options, namespace: 'here', continue: page.continue }
        }
        expect(listed).toEqual(nests.filter(nest => naive(options, nest)))
        expect(state.revision).toBeGreaterThanOrEqual(Number(resourceVersion))
      }),
    )
  })

  test('counts what follows a page if nothing is selected, and does not if something is', async () => {
    const { store } = await memoryWorld()
    for (const name of ['a', 'b', 'c', 'd'])
      await store.create(Nest, { metadata: { namespace: 'here', name }, spec: { eggs: 1, material: 'twig' } })
    expect((await store.list(Nest, { limit: 1 })).remaining).toBe(3)
    expect((await store.list(Nest, { namespace: 'here', limit: 3 })).remaining).toBe(1)
    expect((await store.list(Nest, { namespace: 'here', limit: 4 })).remaining).toBeUndefined()
    expect((await store.list(Nest, { limit: 1, labelSelector: '!x' })).remaining).toBeUndefined()
  })

  test('from before the history is Expired', async () => {
    const { store } = await memoryWorld({ window: { fewest: 0, age: 0, most: 3 } })
    const first = await create('a')
    for (const name of ['b', 'c']) await create(name)
    const page = await store.list(Nest, { limit: 1 })
    for (const name of ['d', 'e', 'f', 'g']) await create(name)
    const late: unknown = await store.list(Nest, { limit: 1, continue: page.continue! }).catch((error: unknown) => error)
    expect(late).toMatchObject({ reason: 'Expired', status: 410, details: { continue: expect.any(String) } })
    const then = { resourceVersion: first.metadata.resourceVersion!, exactRevision: true }
    await expect(store.list(Nest, then)).rejects.toMatchObject({ reason: 'Expired' })
    expect((await store.list(Nest, { resourceVersion: first.metadata.resourceVersion! })).items).toHaveLength(7)

    // The rest as it is now, for who does not need one moment.
    const rest = await store.list(Nest, { limit: 4, continue: (late as StoreError).details.continue! })
    expect(rest.items.map(item => item.object.metadata.name)).toEqual(['b', 'c', 'd', 'e'])
    expect(rest.resourceVersion).toBe((await store.list(Nest)).resourceVersion)
    expect((await store.list(Nest, { continue: rest.continue! })).items).toHaveLength(2)

    function create(name: string) {
      return store.create(Nest, { metadata: { namespace: 'here', name }, spec: { eggs: 1, material: 'twig' } })
    }
  })

  test('does not take a continue text that was made for another list, or made up', async () => {
    const { store, state } = await memoryWorld()
    const { revision } = state
    const bad = [
      encodeContinue({ revision, start: 'x', of: 'secrets in here' }),
      encodeContinue({ revision: -1, start: 'x', of: 'nests.demo.aviary.dev in here' }),
      encodeContinue({ revision: 1.5, start: 'x', of: 'nests.demo.aviary.dev in here' }),
      Buffer.from('null').toString('base64url'),
      Buffer.from('[]').toString('base64url'),
      'not base64 at all',
    ]
    for (const text of bad)
      await expect(store.list(Nest, { namespace: 'here', continue: text }), text).rejects.toMatchObject({ reason: 'BadRequest' })
    const future = encodeContinue({ revision: revision + 1, start: 'x', of: 'nests.demo.aviary.dev in here' })
    await expect(store.list(Nest, { namespace: 'here', continue: future })).rejects.toMatchObject({ reason: 'Expired' })
  })

  test('takes a revision or a continue text, not both; an exact list needs a revision', async () => {
    const { store } = await memoryWorld()
    await expect(store.list(Nest, { continue: 'x', resourceVersion: '2' })).rejects.toMatchObject({ reason: 'BadRequest' })
    await expect(store.list(Nest, { exactRevision: true, resourceVersion: '0' })).rejects.toMatchObject({ reason: 'BadRequest' })
    await expect(store.list(Nest, { resourceVersion: '99999999999999999999' })).rejects.toMatchObject({ reason: 'BadRequest' })
    expect((await store.list(Nest, { resourceVersion: '0' })).items).toEqual([])
  })
})

/** What the selectors above say, written out. */
function naive({ labelSelector, fieldSelector }: { labelSelector: string; fieldSelector: string }, { metadata, spec }: Nest): boolean {
  const { tree, side } = (metadata.labels ?? {}) as Record<string, string | undefined>
  const byLabels: Record<string, boolean> = {
    '': true,
    'tree=oak': tree === 'oak',
    'tree in (oak,elm)': tree === 'oak' || tree === 'elm',
    'tree!=oak': tree !== 'oak',
    '!tree': tree === undefined,
    'tree=oak,side': tree === 'oak' && side !== undefined,
    'side notin (north)': side !== 'north',
  }
  const byFields: Record<string, boolean> = {
    '': true,
    'spec.material=moss': spec.material === 'moss',
    'spec.material!=moss': spec.material !== 'moss',
    'metadata.name=b': metadata.name === 'b',
    'metadata.name!=b': metadata.name !== 'b',
  }
  return byLabels[labelSelector]! && byFields[fieldSelector]!
}
