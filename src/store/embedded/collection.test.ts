import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Nest } from '../../kinds/index.ts'
import { compileSelection } from '../selectors/selection.ts'
import { Stored } from '../stored.ts'
import { Change } from './change.ts'
import { Collection } from './collection.ts'
import type { Version } from './version.ts'

let revision = 1

function version(key: string, labels: Readonly<Record<string, string>> | undefined, material: string): Version {
  const stored = Stored.fromJson(String(++revision), '{}')
  return { revision, key, labels, fields: [material], stored, size: 2 }
}

function apply(collection: Collection, key: string, next: Version | undefined): void {
  collection.apply(new Change({ revision, collection, key, previous: collection.get(key), current: next, at: 0 }))
}

/** What an index offers for a selection; undefined if it says that everything has to be looked at. */
function offered(collection: Collection, selection: { labelSelector?: string; fieldSelector?: string }): readonly string[] | undefined {
  const found = collection.candidates(compileSelection(Nest, selection))
  return found === undefined ? undefined : [...found].toSorted()
}

test('an index offers exactly those that have a value now, and forgets those that had it', () => {
  const collection = new Collection(Nest)
  for (let n = 0; n < 10; n++)
    apply(collection, `ns/n${n}`, version(`ns/n${n}`, { tree: n < 2 ? 'oak' : 'elm', own: `o${n}` }, n < 3 ? 'moss' : 'twig'))
  expect(offered(collection, { labelSelector: 'tree=oak' })).toEqual(['ns/n0', 'ns/n1'])
  expect(offered(collection, { labelSelector: 'own=o7' })).toEqual(['ns/n7'])
  expect(offered(collection, { fieldSelector: 'spec.material=moss' })).toEqual(['ns/n0', 'ns/n1', 'ns/n2'])

  apply(collection, 'ns/n0', version('ns/n0', { tree: 'elm' }, 'twig'))
  apply(collection, 'ns/n1', undefined)
  apply(collection, 'ns/n7', version('ns/n7', undefined, 'moss'))
  expect(offered(collection, { labelSelector: 'tree=oak' })).toEqual([])
  expect(offered(collection, { labelSelector: 'own in (o0,o1,o2)' })).toEqual(['ns/n2'])
  expect(offered(collection, { labelSelector: 'own=o7' })).toEqual([])
  expect(offered(collection, { fieldSelector: 'spec.material=moss' })).toEqual(['ns/n2', 'ns/n7'])
})

test('of several conditions the one that leaves the fewest is asked; if none leaves few, all keys are looked at', () => {
  const collection = new Collection(Nest)
  for (let n = 0; n < 20; n++)
    apply(collection, `ns/n${n}`, version(`ns/n${n}`, { tree: 'elm', third: `t${n % 3}` }, n === 4 ? 'down' : 'twig'))
  expect(offered(collection, { labelSelector: 'tree=elm' })).toBeUndefined()
  expect(offered(collection, { labelSelector: '!tree' })).toBeUndefined()
  expect(offered(collection, { labelSelector: 'tree=elm,third=t1' })).toHaveLength(7)
  expect(offered(collection, { labelSelector: 'third=t1', fieldSelector: 'spec.material=down' })).toEqual(['ns/n4'])
  expect(offered(collection, { fieldSelector: 'metadata.name=n4,metadata.namespace=ns' })).toEqual(['ns/n4'])
  expect(offered(collection, { labelSelector: 'nobody=has' })).toEqual([])
})

test('it does not matter when an index is first asked for', () => {
  const label = fc.option(fc.record({ tree: fc.constantFrom('oak', 'elm'), own: fc.constantFrom('a', 'b', 'c') }, { requiredKeys: [] }), {
    nil: undefined,
  })
  const change = fc.record({
    key: fc.integer({ min: 0, max: 5 }),
    labels: label,
    gone: fc.boolean(),
    material: fc.constantFrom('moss', 'twig'),
  })
  const selections = [
    ...['tree=oak', 'tree=elm', 'own=a', 'own in (b,c)'].map(labelSelector => ({ labelSelector })),
    ...['spec.material=moss', 'spec.material=twig'].map(fieldSelector => ({ fieldSelector })),
  ]
  const ask = (collection: Collection) => selections.map(selection => offered(collection, selection))
  fc.assert(
    fc.property(fc.array(change, { maxLength: 30 }), changes => {
      const asked = new Collection(Nest)
      const unasked = new Collection(Nest)
      for (const { key, labels, gone, material } of changes) {
        ask(asked)
        const name = `ns/n${key}`
        if (gone && asked.get(name) === undefined) continue
        const next = gone ? undefined : version(name, labels, material)
        for (const collection of [asked, unasked]) apply(collection, name, next)
      }
      expect(ask(unasked)).toEqual(ask(asked))
      // Those who match are offered, whatever else is.
      const all = [...asked.all()]
      for (const selection of selections) {
        const compiled = compileSelection(Nest, selection)
        const matching = all
          .filter(each => compiled.matches(each))
          .map(({ key }) => key)
          .toSorted()
        expect(offered(asked, selection) ?? matching).toEqual(matching)
      }
    }),
  )
})
