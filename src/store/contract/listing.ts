import { describe, expect, test } from 'vitest'
import { Nest } from '../../kinds/index.ts'
import { compareRevisions } from '../revision.ts'
import type { Page, Store } from '../store.ts'
import { draft, reason, type Subject, type TheSubject } from './subject.ts'

/** What holds when many objects are read: one moment, in order, and only what was asked for. */
export function listing(subject: TheSubject): void {
  describe('listing', () => {
    test('objects come sorted by name, with the revision of the moment', async () => {
      const { store, namespace } = subject()
      const ns = await namespace()
      await Promise.all(['b', 'a.x', 'a', 'a-b', 'c1', 'c'].map(name => store.create(Nest, draft(ns, name))))
      const last = await store.create(Nest, draft(ns, 'd'))
      const page = await store.list(Nest, { namespace: ns })
      expect(names(page)).toEqual(['a', 'a-b', 'a.x', 'b', 'c', 'c1', 'd'])
      expect(compareRevisions(page.resourceVersion, last.metadata.resourceVersion!)).toBeGreaterThanOrEqual(0)
      expect(page.continue).toBeUndefined()
      expect(page.items.at(-1)!.object).toEqual(last)
      expect(JSON.parse(page.items.at(-1)!.json)).toMatchObject({ metadata: { uid: last.metadata.uid } })
      expect(page.items.at(-1)!.resourceVersion).toBe(last.metadata.resourceVersion)
    })

    test('a namespace shows its own objects, and all namespaces those of each', async () => {
      const { store, namespace } = subject()
      const [here, there] = [await namespace(), await namespace()]
      await store.create(Nest, draft(here, 'a', {}, { labels: { scope: here } }))
      await store.create(Nest, draft(there, 'b', {}, { labels: { scope: here } }))
      expect(names(await store.list(Nest, { namespace: here }))).toEqual(['a'])
      expect(names(await store.list(Nest, { labelSelector: `scope=${here}` })).toSorted()).toEqual(['a', 'b'])
      expect(names(await store.list(Nest, { namespace: `${here}-not` }))).toEqual([])
    })

    test('labels select', async () => {
      const { store, ns } = await orchard(subject())
      const select = async (labelSelector: string) => names(await store.list(Nest, { namespace: ns, labelSelector })).join(' ')
      expect(await select('tree=oak')).toBe('a b')
      expect(await select('tree==oak,side=north')).toBe('a')
      expect(await select('tree!=oak')).toBe('c d')
      expect(await select('tree in (oak,elm)')).toBe('a b c')
      expect(await select('tree notin (oak,elm)')).toBe('d')
      expect(await select('side')).toBe('a b c')
      expect(await select('!side')).toBe('d')
      expect(await select('tree=oak,!side')).toBe('')
    })

    test('fields select', async () => {
      const { store, ns } = await orchard(subject())
      const select = async (fieldSelector: string) => names(await store.list(Nest, { namespace: ns, fieldSelector })).join(' ')
      expect(await select('metadata.name=b')).toBe('b')
      expect(await select('metadata.name!=b')).toBe('a c d')
      expect(await select(`metadata.namespace=${ns}`)).toBe('a b c d')
      expect(await select('spec.material=moss')).toBe('b c')
      expect(await select('spec.material=moss,metadata.name=c')).toBe('c')
      expect(await select('spec.material!=moss')).toBe('a d')
    })

    test('a selector that makes no sense is refused', async () => {
      const { store, namespace } = subject()
      const ns = await namespace()
      for (const labelSelector of ['tree===oak', 'tree in oak', '-tree=oak', 'tree in (oak', 'tree=old oak', ',']) {
        expect(await reason(store.list(Nest, { namespace: ns, labelSelector })), labelSelector).toBe('BadRequest')
      }
      for (const fieldSelector of ['spec.nothing=x', 'spec.eggs=1', 'metadata.name', 'metadata.labels.tree=oak']) {
        expect(await reason(store.list(Nest, { namespace: ns, fieldSelector })), fieldSelector).toBe('BadRequest')
      }
    })

    test('pages show one moment, whatever happens between them', async () => {
      const { store, namespace } = subject()
      const ns = await namespace()
      for (const name of ['a', 'b', 'c', 'd', 'e', 'f', 'g']) await store.create(Nest, draft(ns, name))
      const before = await store.list(Nest, { namespace: ns })
      const first = await store.list(Nest, { namespace: ns, limit: 3 })
      expect(names(first)).toEqual(['a', 'b', 'c'])
      expect([undefined, 4]).toContain(first.remaining)

      await store.delete(Nest, { namespace: ns, name: 'd' })
      await store.create(Nest, draft(ns, 'dd'))
      const f = await store.get(Nest, { namespace: ns, name: 'f' })
      await store.update(Nest, { ...f, spec: { ...f.spec, eggs: 9 } })
      await store.create(Nest, draft(ns, 'z'))
      await store.delete(Nest, { namespace: ns, name: 'g' })

      const rest = await pagesAfter(store, ns, first, 3)
      expect(rest.every(page => page.resourceVersion === first.resourceVersion)).toBe(true)
      expect(rest.map(names)).toEqual([['d', 'e', 'f'], ['g']])
      const objects = [first, ...rest].flatMap(page => page.items.map(item => item.object))
      expect(objects).toEqual(before.items.map(item => item.object))
      expect(names(await store.list(Nest, { namespace: ns }))).toEqual(['a', 'b', 'c', 'dd', 'e', 'f', 'z'])
    })

    test('pages of a selection show one moment, too', async () => {
      const { store, ns } = await orchard(subject())
      const labelSelector = 'side'
      const first = await store.list(Nest, { namespace: ns, labelSelector, limit: 1 })
      const b = await store.get(Nest, { namespace: ns, name: 'b' })
      await store.update(Nest, { ...b, metadata: { ...b.metadata, labels: {} } })
      const d = await store.get(Nest, { namespace: ns, name: 'd' })
      await store.update(Nest, { ...d, metadata: { ...d.metadata, labels: { side: 'north' } } })
      const all = [...names(first)]
      let next = first.continue
      while (next !== undefined) {
        const page = await store.list(Nest, { namespace: ns, labelSelector, limit: 1, continue: next })
        all.push(...names(page))
        next = page.continue
      }
      expect(all).toEqual(['a', 'b', 'c'])
    })

    test('a continue text that nobody gave out is refused', async () => {
      const { store, namespace } = subject()
      const ns = await namespace()
      for (const text of ['abc', '%%%', 'eyJ2IjoxfQ']) {
        expect(await reason(store.list(Nest, { namespace: ns, limit: 1, continue: text })), text).toBe('BadRequest')
      }
    })

    test('a list can show an earlier moment exactly', async () => {
      const { store, namespace } = subject()
      const ns = await namespace()
      const a = await store.create(Nest, draft(ns, 'a', { eggs: 1 }))
      const then = await store.create(Nest, draft(ns, 'b'))
      await store.update(Nest, { ...a, spec: { ...a.spec, eggs: 2 } })
      await store.delete(Nest, { namespace: ns, name: 'b' })
      const page = await store.list(Nest, { namespace: ns, resourceVersion: then.metadata.resourceVersion!, exactRevision: true })
      expect(page.items.map(item => item.object)).toEqual([a, then])
      expect(page.resourceVersion).toBe(then.metadata.resourceVersion)
    })

    test('a list that must not be older than a write shows it', async () => {
      const { store, namespace } = subject()
      const ns = await namespace()
      const nest = await store.create(Nest, draft(ns, 'a'))
      const page = await store.list(Nest, { namespace: ns, resourceVersion: nest.metadata.resourceVersion! })
      expect(names(page)).toEqual(['a'])
      expect(names(await store.list(Nest, { namespace: ns, resourceVersion: '' }))).toEqual(['a'])
    })

    test('a revision that is yet to come is refused as Timeout, one that makes no sense as BadRequest', async () => {
      const { store, namespace } = subject()
      const ns = await namespace()
      const { resourceVersion } = await store.list(Nest, { namespace: ns })
      const future = `${Number(resourceVersion) + 1_000_000}`
      expect(await reason(store.list(Nest, { namespace: ns, resourceVersion: future }))).toBe('Timeout')
      expect(await reason(store.list(Nest, { namespace: ns, resourceVersion: 'soon' }))).toBe('BadRequest')
    })
  })
}

function names(page: Page<Nest>): readonly string[] {
  return page.items.map(item => item.object.metadata.name)
}

/** All pages that follow one. */
async function pagesAfter(store: Store, namespace: string, first: Page<Nest>, limit: number): Promise<readonly Page<Nest>[]> {
  const pages: Page<Nest>[] = []
  for (let next = first.continue; next !== undefined; next = pages.at(-1)!.continue) {
    pages.push(await store.list(Nest, { namespace, limit, continue: next }))
  }
  return pages
}

/** Four nests that differ in labels and material. */
async function orchard({ store, namespace }: Subject): Promise<{ readonly store: Store; readonly ns: string }> {
  const ns = await namespace()
  await store.create(Nest, draft(ns, 'a', { material: 'twig' }, { labels: { tree: 'oak', side: 'north' } }))
  await store.create(Nest, draft(ns, 'b', { material: 'moss' }, { labels: { tree: 'oak', side: 'south' } }))
  await store.create(Nest, draft(ns, 'c', { material: 'moss' }, { labels: { tree: 'elm', side: 'north' } }))
  await store.create(Nest, draft(ns, 'd', { material: 'down' }))
  return { store, ns }
}
