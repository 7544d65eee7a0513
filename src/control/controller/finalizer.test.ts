import { describe, expect, test } from 'vitest'
import { Nest } from '../../kinds/index.ts'
import { findCondition } from '../conditions.ts'
import { makeWorld, type World } from '../testing/world.ts'
import { controller, type StepFunction } from './controller.ts'
import { again, next, report, wait } from './step.ts'

const finalizer = 'demo.aviary.dev/guard'

/** A controller with a finalizer; `effects` tells what was done in which order. */
function guard(world: World, cleanup: StepFunction<Nest, unknown>, effects: string[] = []): string[] {
  world.start(
    controller(Nest, {
      conditions: { Ready: 'True' },
      finalizer,
      steps: [
        async ({ object, store }) => {
          const stored = await store.get(Nest, { namespace: 'default', name: object.metadata.name })
          effects.push(`made with ${stored.metadata.finalizers?.join() ?? 'nothing'}`)
          return report({ phase: 'Building' })
        },
      ],
      cleanup: [pass => (effects.push('cleaned'), cleanup(pass))],
    }),
  )
  return effects
}

test('the finalizer is stored before the first effect, and taken away after the cleanup', async () => {
  const world = await makeWorld()
  await world.createNest('a')
  const effects = guard(world, () => next)
  await world.settle()
  expect(effects).toEqual([`made with ${finalizer}`])
  expect((await world.nest('a')).status?.phase).toBe('Building')
  await world.deleteNest('a')
  await world.settle()
  expect(effects.slice(1)).toEqual(['cleaned'])
  await expect(world.nest('a')).rejects.toThrow(/not found/)
})

test('an object that never had the finalizer is not cleaned up', async () => {
  const world = await makeWorld()
  await world.createNest('a', {}, { finalizers: ['other.dev/x'] })
  await world.deleteNest('a')
  const effects = guard(world, () => next)
  await world.settle()
  expect(effects).toEqual([])
  expect((await world.nest('a')).metadata.finalizers).toEqual(['other.dev/x'])
})

test('other finalizers stay, and what the cleanup reported is written', async () => {
  const world = await makeWorld()
  await world.createNest('a', {}, { finalizers: ['other.dev/x'] })
  guard(world, () => report({ hatched: 0 }))
  await world.settle()
  await world.deleteNest('a')
  await world.settle()
  const nest = await world.nest('a')
  expect(nest.metadata.finalizers).toEqual(['other.dev/x'])
  expect(nest.status?.hatched).toBe(0)
})

test('an object that is no longer the controller’s concern is still cleaned up, and nothing else is done to it', async () => {
  const world = await makeWorld()
  await world.createNest('a', {}, { labels: { mine: 'yes' } })
  const effects: string[] = []
  const mine = controller(Nest, {
    select: ({ metadata }) => metadata.labels?.['mine'] === 'yes',
    finalizer,
    steps: [({ object }) => (effects.push(`step ${object.metadata.generation}`), next)],
    cleanup: [() => (effects.push('cleaned'), next)],
  })
  world.start(mine)
  await world.settle()
  const nest = await world.nest('a')
  await world.store.update(Nest, { ...nest, metadata: { ...nest.metadata, labels: {} }, spec: { ...nest.spec, eggs: 2 } })
  await world.settle()
  await world.deleteNest('a')
  await world.settle()
  expect(effects).toEqual(['step 1', 'cleaned'])
  await expect(world.nest('a')).rejects.toThrow(/not found/)
})

describe('the finalizer stays while the cleanup', () => {
  test('waits, and the condition says for what', async () => {
    const world = await makeWorld()
    await world.createNest('a')
    let isFree = false
    const effects = guard(world, ({ now }) =>
      isFree ? next : wait('Ready', { reason: 'Occupied', message: 'a bird sits in it', until: now + 60_000, then: 'it is asked again' }),
    )
    await world.settle()
    await world.deleteNest('a')
    await world.settle()
    expect(findCondition(await world.nest('a'), 'Ready')).toMatchObject({ reason: 'Occupied' })
    isFree = true
    await world.clock.advance(60_000)
    expect(effects.filter(effect => effect === 'cleaned')).toHaveLength(2)
    await expect(world.nest('a')).rejects.toThrow(/not found/)
  })

  test('asks to be called again', async () => {
    const world = await makeWorld()
    await world.createNest('a')
    let calls = 0
    guard(world, ({ now }) => (++calls < 3 ? again(now + 5_000) : next))
    await world.settle()
    await world.deleteNest('a')
    await world.clock.advance(9_999)
    expect((await world.nest('a')).metadata.finalizers).toEqual([finalizer])
    await world.clock.advance(1)
    await expect(world.nest('a')).rejects.toThrow(/not found/)
  })

  test('fails', async () => {
    const world = await makeWorld()
    await world.createNest('a')
    let failing = true
    guard(world, () => {
      if (failing) throw new Error('the branch is stuck')
      return next
    })
    await world.settle()
    await world.deleteNest('a')
    await world.clock.advance(60_000)
    expect(findCondition(await world.nest('a'), 'Ready')).toMatchObject({ message: 'the branch is stuck' })
    failing = false
    await world.clock.advance(600_000)
    await expect(world.nest('a')).rejects.toThrow(/not found/)
  })
})
