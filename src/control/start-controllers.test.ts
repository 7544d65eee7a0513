import { describe, expect, test } from 'vitest'
import { ConfigMap, Nest } from '../kinds/index.ts'
import { controller } from './controller/controller.ts'
import { done, report } from './controller/step.ts'
import { Informers } from './informer/informers.ts'
import { startControllers } from './start-controllers.ts'
import { FlakyStore } from './testing/flaky-store.ts'
import { nestController } from './testing/nest-controller.ts'
import { makeWorld } from './testing/world.ts'

describe('a set of controllers is refused', () => {
  test('if two have one name', async () => {
    const world = await makeWorld()
    const other = controller(ConfigMap, { name: 'nest', steps: [() => done] })
    expect(() => world.start(nestController, other)).toThrow(/two controllers are named nest/)
  })

  test('if two would write one condition of one kind', async () => {
    const world = await makeWorld()
    const other = controller(Nest, { name: 'rival', conditions: { Ready: 'True' }, steps: [() => done] })
    expect(() => world.start(nestController, other)).toThrow(/condition Ready of Nest has two writers: nest and rival/)
  })
})

test('a kind that many controllers read is watched once', async () => {
  let flaky: FlakyStore | undefined
  const world = await makeWorld({ wrap: store => (flaky = new FlakyStore(store)) })
  const make = (name: string) => controller(Nest, { name, reads: [ConfigMap], steps: [() => done] })
  const running = world.start(make('a'), make('b'), make('c'))
  await running.ready
  expect(flaky?.open).toBe(2)
})

describe('stopping', () => {
  test('ends every watch and every pass, and nothing happens afterwards', async () => {
    let flaky: FlakyStore | undefined
    const world = await makeWorld({ wrap: store => (flaky = new FlakyStore(store)) })
    await world.createNest('a')
    const running = world.start(nestController)
    await world.settle()
    await running.stop()
    expect(flaky?.open).toBe(0)
    const before = await world.nest('a')
    await world.createNest('b')
    expect(await world.clock.runUntilIdle(3_600_000)).toBe(true)
    expect(await world.nest('a')).toEqual(before)
    expect((await world.nest('b')).status).toBeUndefined()
  })

  test('lets a pass that is under way end and write its status', async () => {
    const world = await makeWorld()
    await world.createNest('a')
    const running = world.start(controller(Nest, { steps: [async () => (await world.clock.sleep(4_000), report({ phase: 'Hatched' }))] }))
    await world.settle()
    const stopped = running.stop({ within: 5_000 })
    await world.clock.advance(4_000)
    await stopped
    expect((await world.nest('a')).status?.phase).toBe('Hatched')
  })

  test('before everything was read makes `ready` reject and does no pass', async () => {
    const world = await makeWorld()
    await world.createNest('a')
    let passes = 0
    const running = world.start(controller(Nest, { steps: [() => (passes++, done)] }))
    await running.stop()
    await expect(running.ready).rejects.toThrow(/stopped/)
    await world.settle()
    expect(passes).toBe(0)
  })

  test('leaves informers alone that somebody else brought', async () => {
    const world = await makeWorld()
    const informers = new Informers(world)
    const running = startControllers({ ...world, informers, controllers: [nestController] })
    await running.ready
    await running.stop()
    await world.createNest('later')
    await world.settle()
    expect(informers.of(Nest).size).toBe(1)
    await informers.stop()
  })
})

test('the same seed gives the same hour, write for write', async () => {
  const hour = async (seed: number) => {
    const world = await makeWorld({ seed })
    const story: string[] = []
    const running = world.start(nestController)
    running.informers
      .of(Nest)
      .on({ changed: ({ metadata, status }) => story.push(`${metadata.resourceVersion} ${metadata.name} ${status?.phase}`) })
    for (let n = 0; n < 40; n++) {
      world.clock.after(
        world.chance.integer(0, 1_800_000),
        () => void world.createNest(`n${n}`, { incubation: `${world.chance.integer(1, 900)}s` }),
      )
    }
    await world.clock.advance(3_600_000)
    await running.stop()
    return story
  }
  const [first, second, other] = [await hour(5), await hour(5), await hour(6)]
  expect(first.length).toBeGreaterThan(150)
  expect(second).toEqual(first)
  expect(other).not.toEqual(first)
})
