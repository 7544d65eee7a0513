import { describe, expect, test } from 'vitest'
import { Nest } from '../../kinds/index.ts'
import { draft, reason, refusal, type TheSubject } from './subject.ts'

/** What holds when what is handed in is wrong: it is refused with the field's name, and nothing changes. */
export function validating(subject: TheSubject): void {
  describe('validating', () => {
    const wrong = [
      { what: 'a number out of bounds', spec: { eggs: 13 }, metadata: {}, path: 'spec.eggs' },
      { what: 'a number that is a text', spec: { eggs: 'two' }, metadata: {}, path: 'spec.eggs' },
      { what: 'a value that is not one of those allowed', spec: { material: 'gold' }, metadata: {}, path: 'spec.material' },
      { what: 'a name with capitals', spec: {}, metadata: { name: 'Nest_1' }, path: 'metadata.name' },
      { what: 'no name at all', spec: {}, metadata: { name: '' }, path: 'metadata.name' },
      { what: 'a label value with a space', spec: {}, metadata: { labels: { tree: 'old oak' } }, path: 'metadata.labels' },
      { what: 'a list with one key twice', spec: { guards: [{ name: 'ada' }, { name: 'ada' }] }, metadata: {}, path: 'spec.guards[1]' },
    ]
    for (const { what, spec, metadata, path } of wrong) {
      test(`${what} is refused as Invalid, naming ${path}`, async () => {
        const { store, namespace } = subject()
        const ns = await namespace()
        const error = await refusal(store.create(Nest, draft(ns, 'a', spec as Partial<Nest['spec']>, metadata)))
        expect(error.reason).toBe('Invalid')
        expect(error.status).toBe(422)
        expect(error.details.problems?.map(problem => problem.path)).toContain(path)
        expect((await store.list(Nest, { namespace: ns })).items).toEqual([])
      })
    }

    const strange = (ns: string) => draft(ns, 'a', { eggs: 2, flavr: 'sweet' } as Partial<Nest['spec']>)

    test('an unknown field is refused unless the caller says otherwise', async () => {
      const { store, namespace } = subject()
      const ns = await namespace()
      const error = await refusal(store.create(Nest, strange(ns)))
      expect(error.reason).toBe('BadRequest')
      expect(error.message).toContain('strict decoding error: unknown field "spec.flavr"')
      expect(await reason(store.get(Nest, { namespace: ns, name: 'a' }))).toBe('NotFound')
    })

    test('an unknown field is dropped with a warning if the caller wants warnings', async () => {
      const { store, namespace } = subject()
      const warnings: string[] = []
      const nest = await store.create(Nest, strange(await namespace()), {
        fieldValidation: 'Warn',
        onWarning: warning => warnings.push(warning),
      })
      expect(nest.spec).toEqual({ eggs: 2, material: 'twig' })
      expect(warnings).toEqual(['unknown field "spec.flavr"'])
    })

    test('an unknown field is dropped silently if the caller does not care', async () => {
      const { store, namespace } = subject()
      const nest = await store.create(Nest, strange(await namespace()), { fieldValidation: 'Ignore' })
      expect(nest.spec).toEqual({ eggs: 2, material: 'twig' })
    })

    test('an invalid update changes nothing', async () => {
      const { store, namespace } = subject()
      const ns = await namespace()
      const nest = await store.create(Nest, draft(ns, 'a'))
      expect(await reason(store.update(Nest, { ...nest, spec: { ...nest.spec, eggs: -1 } }))).toBe('Invalid')
      expect(await store.get(Nest, { namespace: ns, name: 'a' })).toEqual(nest)
    })

    test('an invalid status changes nothing', async () => {
      const { store, namespace } = subject()
      const ns = await namespace()
      const nest = await store.create(Nest, draft(ns, 'a'))
      const error = await refusal(store.update(Nest, { ...nest, status: { hatched: 'two' } }, { subresource: 'status' }))
      expect(error.reason).toBe('Invalid')
      expect(error.details.problems?.map(problem => problem.path)).toContain('status.hatched')
      expect(await store.get(Nest, { namespace: ns, name: 'a' })).toEqual(nest)
    })

    test('an immutable field can be set once and not changed', async () => {
      const { store, namespace } = subject()
      const ns = await namespace()
      const nest = await store.create(Nest, draft(ns, 'a'))
      const placed = await store.update(Nest, { ...nest, spec: { ...nest.spec, site: 'oak' } })
      expect(await reason(store.update(Nest, { ...placed, spec: { ...placed.spec, site: 'elm' } }))).toBe('Invalid')
      expect(await store.get(Nest, { namespace: ns, name: 'a' })).toEqual(placed)
    })
  })
}
