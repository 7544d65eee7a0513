import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { allKinds, ConfigMap, Event, type Kind, Namespace, Nest, Node, type OwnerReference, type Resource } from '../../kinds/index.ts'
import type { DeleteOptions } from '../../store/index.ts'
import { FlakyStore } from '../testing/flaky-store.ts'
import { makeWorld, type World } from '../testing/world.ts'
import { garbageCollector } from './garbage-collector.ts'

const collector = garbageCollector({ kinds: allKinds })
const both: readonly Kind[] = [Nest, ConfigMap]

function owner(object: Resource, options: Partial<OwnerReference> = {}): OwnerReference {
  return { apiVersion: object.apiVersion, kind: object.kind, name: object.metadata.name, uid: object.metadata.uid ?? '', ...options }
}

function makeMap(
  { store }: World,
  name: string,
  ownerReferences: readonly OwnerReference[] = [],
  metadata: Partial<ConfigMap['metadata']> = {},
) {
  return store.create(ConfigMap, { metadata: { namespace: 'default', ...metadata, name, ownerReferences } })
}

async function mapNames({ store }: World): Promise<string[]> {
  return (await store.list(ConfigMap)).items.map(({ object }) => object.metadata.name)
}

const deleteNest = ({ store }: World, name: string, options: DeleteOptions = {}) =>
  store.delete(Nest, { namespace: 'default', name }, options)

describe('in the background', () => {
  test('what has no owner left is removed, and what depends on that, too', async () => {
    const world = await makeWorld()
    world.start(collector)
    const nest = await world.createNest('a')
    const egg = await makeMap(world, 'egg', [owner(nest)])
    await makeMap(world, 'yolk', [owner(egg)])
    await makeMap(world, 'stone')
    await world.settle()
    expect(await mapNames(world)).toEqual(['egg', 'stone', 'yolk'])
    await deleteNest(world, 'a')
    await world.settle()
    expect(await mapNames(world)).toEqual(['stone'])
  })

  test('the log names the first owners of an object that named thousands', async () => {
    const world = await makeWorld()
    const owners = Array.from({ length: 2000 }, (_, index) => ({ apiVersion: 'v1', kind: 'Node', name: `n${index}`, uid: `u${index}` }))
    await makeMap(world, 'egg', owners)
    world.start(collector)
    await world.settle()
    expect(await mapNames(world)).toEqual([])
    const line = world.log.lines.find(({ message }) => message === 'deleted object without remaining owner')
    expect(line?.fields).toMatchObject({ owners: owners.slice(0, 10).map(({ uid }) => uid), moreOwners: 1990 })
  })

  test('garbage from before the start is found', async () => {
    const world = await makeWorld()
    const nest = await world.createNest('a')
    await makeMap(world, 'egg', [owner(nest)])
    await deleteNest(world, 'a')
    world.start(collector)
    await world.settle()
    expect(await mapNames(world)).toEqual([])
  })

  test('what has another owner stays, and forgets the one that is gone', async () => {
    const world = await makeWorld()
    world.start(collector)
    const [a, b] = [await world.createNest('a'), await world.createNest('b')]
    await makeMap(world, 'egg', [owner(a), owner(b)])
    await deleteNest(world, 'a')
    await world.settle()
    const egg = await world.store.get(ConfigMap, { namespace: 'default', name: 'egg' })
    expect(egg.metadata.ownerReferences).toEqual([owner(b)])
  })

  test('an owner of the same name but another uid is another object', async () => {
    const world = await makeWorld()
    world.start(collector)
    const nest = await world.createNest('a')
    await makeMap(world, 'egg', [owner(nest, { uid: 'somebody-else' })])
    await world.settle()
    expect(await mapNames(world)).toEqual([])
  })

  test('an owner in another namespace is not there', async () => {
    const world = await makeWorld()
    await world.store.create(Namespace, { metadata: { name: 'elsewhere' }, spec: {} })
    world.start(collector)
    const nest = await world.createNest('a')
    await makeMap(world, 'egg', [owner(nest)], { namespace: 'elsewhere' })
    await world.settle()
    expect(await mapNames(world)).toEqual([])
  })

  test('whoever names it from another namespace does not make it look gone to those whom it owns', async () => {
    const world = await makeWorld()
    await world.store.create(Namespace, { metadata: { name: 'elsewhere' }, spec: {} })
    world.start(collector)
    const nest = await world.createNest('a')
    await makeMap(world, 'stranger', [owner(nest)], { namespace: 'elsewhere' })
    await makeMap(world, 'liar', [owner(nest, { name: 'b' })])
    await world.settle()
    await makeMap(world, 'egg', [owner(nest)])
    await world.settle()
    expect(await mapNames(world)).toEqual(['egg'])
  })

  test('an owner without a namespace owns everywhere', async () => {
    const world = await makeWorld()
    world.start(collector)
    const node = await world.store.create(Node, { metadata: { name: 'n1' }, spec: {} })
    await makeMap(world, 'egg', [owner(node)])
    await world.settle()
    expect(await mapNames(world)).toEqual(['egg'])
    await world.store.delete(Node, { name: 'n1' })
    await world.settle()
    expect(await mapNames(world)).toEqual([])
  })

  test('an owner of a kind that is not known is taken to be there: unknown is not absent', async () => {
    const world = await makeWorld()
    world.start(collector)
    await makeMap(world, 'egg', [{ apiVersion: 'apps/v1', kind: 'Deployment', name: 'x', uid: 'u' }])
    await world.settle()
    expect(await mapNames(world)).toEqual(['egg'])
  })

  test('an object without a namespace that names an owner with one is left alone', async () => {
    const world = await makeWorld()
    world.start(collector)
    const nest = await world.createNest('a')
    await world.store.create(Node, { metadata: { name: 'n1', ownerReferences: [owner(nest)] }, spec: {} })
    await deleteNest(world, 'a')
    await world.settle()
    expect((await world.store.list(Node)).items).toHaveLength(1)
  })

  test('garbage that a finalizer holds is marked and goes when the finalizer does', async () => {
    const world = await makeWorld()
    world.start(collector)
    const nest = await world.createNest('a')
    await makeMap(world, 'egg', [owner(nest)], { finalizers: ['x.dev/hold'] })
    await deleteNest(world, 'a')
    await world.settle()
    const egg = await world.store.get(ConfigMap, { namespace: 'default', name: 'egg' })
    expect(egg.metadata.deletionTimestamp).toBeDefined()
    await world.store.update(ConfigMap, { ...egg, metadata: { ...egg.metadata, finalizers: [] } })
    await world.settle()
    expect(await mapNames(world)).toEqual([])
  })
})

describe('in the foreground', () => {
  test('the owner goes after the dependents that block it, however deep', async () => {
    const world = await makeWorld()
    const running = world.start(collector)
    const order: string[] = []
    for (const kind of both) running.informers.of(kind).on({ removed: ({ metadata }) => order.push(metadata.name) })
    const nest = await world.createNest('a')
    const egg = await makeMap(world, 'egg', [owner(nest, { blockOwnerDeletion: true })])
    await makeMap(world, 'yolk', [owner(egg, { blockOwnerDeletion: true })])
    await world.settle()
    await deleteNest(world, 'a', { propagation: 'Foreground' })
    await world.settle()
    expect(order).toEqual(['yolk', 'egg', 'a'])
  })

  test.each([
    ['while a finalizer holds a dependent that blocks it', () => ({ finalizers: [] }), []],
    ['until a dependent that blocked it no longer does', (nest: Nest) => ({ ownerReferences: [owner(nest)] }), ['egg']],
  ] as const)('it waits %s', async (_, change, left) => {
    const world = await makeWorld()
    world.start(collector)
    const nest = await world.createNest('a')
    await makeMap(world, 'egg', [owner(nest, { blockOwnerDeletion: true })], { finalizers: ['x.dev/hold'] })
    await deleteNest(world, 'a', { propagation: 'Foreground' })
    await world.settle()
    expect((await world.nest('a')).metadata.finalizers).toEqual(['foregroundDeletion'])
    const egg = await world.store.get(ConfigMap, { namespace: 'default', name: 'egg' })
    await world.store.update(ConfigMap, { ...egg, metadata: { ...egg.metadata, ...change(nest) } })
    await world.settle()
    await expect(world.nest('a')).rejects.toThrow(/not found/)
    expect(await mapNames(world)).toEqual(left)
  })

  test('it does not wait for what names it from where it cannot be an owner', async () => {
    const world = await makeWorld()
    world.start(collector)
    const nest = await world.createNest('a')
    await world.store.create(Node, { metadata: { name: 'n1', ownerReferences: [owner(nest, { blockOwnerDeletion: true })] }, spec: {} })
    await world.settle()
    await deleteNest(world, 'a', { propagation: 'Foreground' })
    await world.settle()
    await expect(world.nest('a')).rejects.toThrow(/not found/)
    expect((await world.store.list(Node)).items).toHaveLength(1)
  })

  test('dependents that do not block it go after it', async () => {
    const world = await makeWorld()
    const running = world.start(collector)
    const order: string[] = []
    for (const kind of both) running.informers.of(kind).on({ removed: ({ metadata }) => order.push(metadata.name) })
    const nest = await world.createNest('a')
    await makeMap(world, 'egg', [owner(nest)])
    await world.settle()
    await deleteNest(world, 'a', { propagation: 'Foreground' })
    await world.settle()
    expect(order).toEqual(['a', 'egg'])
  })

  test('a circle of owners goes, too', async () => {
    const world = await makeWorld()
    world.start(collector)
    const nest = await world.createNest('a')
    const egg = await makeMap(world, 'egg', [owner(nest, { blockOwnerDeletion: true })])
    const current = await world.nest('a')
    const owners = [owner(egg, { blockOwnerDeletion: true })]
    await world.store.update(Nest, { ...current, metadata: { ...current.metadata, ownerReferences: owners } })
    await world.settle()
    await deleteNest(world, 'a', { propagation: 'Foreground' })
    await world.settle()
    expect(await mapNames(world)).toEqual([])
    await expect(world.nest('a')).rejects.toThrow(/not found/)
  })
})

test('with `Orphan` the dependents outlive their owner and name it no more', async () => {
  const world = await makeWorld()
  world.start(collector)
  const nest = await world.createNest('a')
  await makeMap(world, 'egg', [owner(nest)])
  await makeMap(world, 'shell', [owner(nest, { blockOwnerDeletion: true })])
  await world.settle()
  await deleteNest(world, 'a', { propagation: 'Orphan' })
  await world.settle()
  await expect(world.nest('a')).rejects.toThrow(/not found/)
  expect(await mapNames(world)).toEqual(['egg', 'shell'])
  for (const { object } of (await world.store.list(ConfigMap)).items) expect(object.metadata.ownerReferences).toBeUndefined()
})

describe('nothing that has an owner is removed', () => {
  test('because memory lags behind: the store itself is asked first', async () => {
    let flaky: FlakyStore | undefined
    const world = await makeWorld({ wrap: store => (flaky = new FlakyStore(store)) })
    world.start(collector)
    await world.settle()
    flaky!.filter = event => (event.type !== 'BOOKMARK' && event.item.object.kind === 'Nest' ? undefined : event)
    const nest = await world.createNest('a')
    await makeMap(world, 'egg', [owner(nest)])
    await world.clock.advance(60_000)
    expect(await mapNames(world)).toEqual(['egg'])
  })

  test('because it got a new owner after it was judged', async () => {
    let flaky: FlakyStore | undefined
    const world = await makeWorld({ wrap: store => (flaky = new FlakyStore(store)) })
    const [a, b] = [await world.createNest('a'), await world.createNest('b')]
    await makeMap(world, 'egg', [owner(a)])
    world.start(collector)
    await world.settle()
    flaky!.before = async operation => {
      if (operation !== 'delete') return
      flaky!.before = () => {}
      const egg = await world.store.get(ConfigMap, { namespace: 'default', name: 'egg' })
      await world.store.update(ConfigMap, { ...egg, metadata: { ...egg.metadata, ownerReferences: [owner(a), owner(b)] } })
    }
    await world.deleteNest('a')
    await world.clock.advance(60_000)
    const egg = await world.store.get(ConfigMap, { namespace: 'default', name: 'egg' })
    expect(egg.metadata.ownerReferences).toEqual([owner(b)])
  })
})

test('changes that concern neither owners nor deletions cost no look', async () => {
  const world = await makeWorld()
  const running = world.start(collector)
  const nest = await world.createNest('a')
  let egg = await makeMap(world, 'egg', [owner(nest)])
  await world.settle()
  const looks = async () => (await world.metrics.text()).match(/reconcile_total\{controller="garbage-collector",result="done"\} (\d+)/)?.[1]
  const before = await looks()
  for (let n = 0; n < 10; n++) egg = await world.store.update(ConfigMap, { ...egg, data: { n: String(n) } })
  await world.settle()
  expect(before).toBeDefined()
  expect(await looks()).toBe(before)
  await running.stop()
})

const names = ['a', 'b', 'c', 'd', 'e', 'f'] as const
const action = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('make' as const),
      name: fc.constantFrom(...names),
      owners: fc.uniqueArray(fc.record({ name: fc.constantFrom(...names), blocks: fc.boolean() }), { maxLength: 2, selector: o => o.name }),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('delete' as const),
      name: fc.constantFrom(...names),
      how: fc.constantFrom('Background' as const, 'Foreground' as const, 'Orphan' as const),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('settle' as const) }) },
)

test('whatever is made and deleted: it settles, no garbage is left, and nothing with a living owner is gone unasked', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(action, { maxLength: 30 }), async actions => {
      const world = await makeWorld()
      const running = world.start(collector)
      const asked = new Set<string>()
      /** What was removed without being asked for and without being garbage. */
      const wronged: string[] = []
      running.informers.of(ConfigMap).on({
        removed: async ({ metadata }) => {
          if (asked.has(metadata.uid ?? '')) return
          // It was garbage, or its owner was on the way out: it named owners, and none of them may be alive and well now.
          const owners = metadata.ownerReferences ?? []
          if (owners.length === 0) wronged.push(`${metadata.name}, which nobody owned`)
          for (const { name, uid } of owners) {
            const present = await world.store.get(ConfigMap, { namespace: 'default', name }).catch(() => undefined)
            const isWell = present?.metadata.uid === uid && present.metadata.deletionTimestamp === undefined
            if (isWell) wronged.push(`${metadata.name}, which ${name} owns`)
          }
        },
      })
      for (const next of actions) {
        if (next.do === 'settle') await world.settle()
        else if (next.do === 'delete') {
          const present = await world.store.get(ConfigMap, { namespace: 'default', name: next.name }).catch(() => undefined)
          if (present === undefined) continue
          asked.add(present.metadata.uid ?? '')
          await world.store.delete(ConfigMap, { namespace: 'default', name: next.name }, { propagation: next.how })
        } else {
          const owners: OwnerReference[] = []
          for (const { name, blocks } of next.owners) {
            const present = await world.store.get(ConfigMap, { namespace: 'default', name }).catch(() => undefined)
            if (present !== undefined) owners.push(owner(present, { blockOwnerDeletion: blocks }))
          }
          await makeMap(world, next.name, owners).catch(() => {})
        }
      }
      await world.clock.advance(60_000)
      expect(wronged).toEqual([])
      const left = (await world.store.list(ConfigMap)).items.map(({ object }) => object)
      const uids = new Set(left.map(({ metadata }) => metadata.uid))
      for (const { metadata } of left) {
        expect(metadata.deletionTimestamp).toBeUndefined()
        const owners = metadata.ownerReferences ?? []
        expect(owners.filter(({ uid }) => !uids.has(uid))).toEqual([])
      }
      expect(world.log.lines.filter(({ level }) => level === 'error')).toEqual([])
      await running.stop()
      await world.clock.advance(0)
      expect((await world.store.list(Event)).items).toEqual([])
    }),
    { numRuns: 100 },
  )
})
