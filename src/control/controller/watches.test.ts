import { expect, test } from 'vitest'
import { ConfigMap, Namespace, Nest, Secret } from '../../kinds/index.ts'
import type { Key } from '../../store/index.ts'
import { FlakyStore } from '../testing/flaky-store.ts'
import { makeWorld, type World } from '../testing/world.ts'
import { controller, type ControllerOptions, indexed } from './controller.ts'
import { done, report } from './step.ts'
import { mapped, outside, owned } from './watches.ts'

/** Runs a controller of nests and returns which nests it looked at. */
function watchNests(world: World, options: Partial<ControllerOptions<Nest, unknown>>): string[] {
  const looked: string[] = []
  world.start(controller(Nest, { steps: [({ key }) => (looked.push(key), done)], ...options }))
  return looked
}

function ownerOf({ apiVersion, kind, metadata }: Nest, isController: boolean) {
  return { apiVersion, kind, name: metadata.name, uid: metadata.uid ?? '', controller: isController }
}

test('a change of an owned object makes its owner be looked at, also its removal', async () => {
  const world = await makeWorld()
  const nest = await world.createNest('a')
  await world.createNest('b')
  const looked = watchNests(world, { watches: [owned(ConfigMap)] })
  await world.settle()
  looked.length = 0
  const made = await world.store.create(ConfigMap, {
    metadata: { namespace: 'default', name: 'x', ownerReferences: [ownerOf(nest, true)] },
  })
  await world.settle()
  expect(looked).toEqual(['default/a'])
  await world.store.update(ConfigMap, { ...made, data: { k: 'v' } })
  await world.settle()
  await world.store.delete(ConfigMap, { namespace: 'default', name: 'x' })
  await world.settle()
  expect(looked).toEqual(['default/a', 'default/a', 'default/a'])
})

test('an owner that is not the controller, or of another kind, is not looked at', async () => {
  const world = await makeWorld()
  const nest = await world.createNest('a')
  const looked = watchNests(world, { watches: [owned(ConfigMap)] })
  await world.settle()
  looked.length = 0
  const others = [ownerOf(nest, false), { apiVersion: 'v1', kind: 'Nest', name: 'a', uid: 'other', controller: true }]
  for (const [n, owner] of others.entries()) {
    await world.store.create(ConfigMap, { metadata: { namespace: 'default', name: `x${n}`, ownerReferences: [owner] } })
  }
  await world.store.create(ConfigMap, { metadata: { namespace: 'default', name: 'free' } })
  await world.settle()
  expect(looked).toEqual([])
})

test('a mapped object concerns whom the rule says, before and after a change', async () => {
  const world = await makeWorld()
  for (const name of ['a', 'b', 'c']) await world.createNest(name)
  const looked = watchNests(world, {
    watches: [mapped(Secret, ({ metadata }) => [{ namespace: 'default', name: metadata.labels?.['for'] ?? 'c' }])],
  })
  const secret = await world.store.create(Secret, { metadata: { namespace: 'default', name: 's', labels: { for: 'a' } } })
  await world.settle()
  looked.length = 0
  await world.store.update(Secret, { ...secret, metadata: { ...secret.metadata, labels: { for: 'b' } } })
  await world.settle()
  expect(looked.toSorted()).toEqual(['default/a', 'default/b'])
})

test('a rule that throws harms nobody', async () => {
  const world = await makeWorld()
  await world.createNest('a')
  const bad = mapped(Secret, () => {
    throw new Error('bad rule')
  })
  const looked = watchNests(world, { watches: [bad] })
  await world.store.create(Secret, { metadata: { namespace: 'default', name: 's' } })
  await world.createNest('b')
  await world.settle()
  expect(looked.toSorted()).toEqual(['default/a', 'default/b'])
})

test('something outside the store can ask for a look, until the controller is stopped', async () => {
  const world = await makeWorld()
  await world.createNest('a')
  let tell: (key: Key) => void = () => {}
  let subscribed = 0
  let passes = 0
  const running = world.start(
    controller(Nest, {
      watches: [
        outside(enqueue => {
          subscribed++
          tell = enqueue
          return () => void subscribed--
        }),
      ],
      steps: [() => (passes++, done)],
    }),
  )
  await world.settle()
  tell({ namespace: 'default', name: 'a' })
  await world.settle()
  expect([passes, subscribed]).toEqual([2, 1])
  await running.stop()
  tell({ namespace: 'default', name: 'a' })
  await world.settle()
  expect([passes, subscribed]).toEqual([2, 0])
})

test('no pass starts before everything that it reads is known', async () => {
  let flaky: FlakyStore | undefined
  const world = await makeWorld({ wrap: store => (flaky = new FlakyStore(store)) })
  flaky!.lag = kind => (kind === ConfigMap ? world.clock.sleep(5_000) : undefined)
  await world.createNest('a')
  for (let n = 0; n < 50; n++)
    await world.store.create(ConfigMap, { metadata: { namespace: 'default', name: `c${n}`, labels: { even: String(n % 2 === 0) } } })
  world.start(
    controller(Nest, {
      reads: [indexed(ConfigMap, { even: ({ metadata }) => [metadata.labels?.['even'] ?? ''] }), Namespace],
      snapshot: ({ read }) => ({ even: read(ConfigMap).byIndex('even', 'true').length, spaces: read(Namespace).list().length }),
      steps: [({ even, spaces }) => report({ hatched: even + spaces })],
    }),
  )
  await world.clock.advance(4_000)
  expect((await world.nest('a')).status).toBeUndefined()
  await world.clock.advance(60_000)
  expect((await world.nest('a')).status?.hatched).toBe(26)
  expect(world.log.lines).toEqual([])
})
