import { describe, expect, test } from 'vitest'
import { ConfigMap, Nest } from '../../kinds/index.ts'
import { conflict, StoreError } from '../../store/index.ts'
import { findCondition } from '../conditions.ts'
import { NotLeader } from '../errors.ts'
import { startControllers } from '../start-controllers.ts'
import { FlakyStore } from '../testing/flaky-store.ts'
import { makeWorld } from '../testing/world.ts'
import { controller } from './controller.ts'
import { again, done, met, next, record, report } from './step.ts'
import { owned } from './watches.ts'

async function makeFlakyWorld() {
  let flaky: FlakyStore | undefined
  const world = await makeWorld({ wrap: store => (flaky = new FlakyStore(store)) })
  return { world, flaky: flaky as unknown as FlakyStore }
}

describe('other writers', () => {
  test('a pass whose object was changed meanwhile writes nothing and starts over with what is there now', async () => {
    const { world } = await makeFlakyWorld()
    await world.createNest('a', { eggs: 1 })
    const seen: number[] = []
    world.start(
      controller(Nest, {
        steps: [
          async ({ object }) => {
            seen.push(object.spec.eggs)
            if (seen.length === 1) await world.changeNest('a', { eggs: 2 })
            return report({ hatched: object.spec.eggs })
          },
        ],
      }),
    )
    await world.settle()
    expect(seen).toEqual([1, 2])
    expect((await world.nest('a')).status?.hatched).toBe(2)
  })

  test('if memory has not heard of the change yet, the store is asked, not collided with again', async () => {
    const { world, flaky } = await makeFlakyWorld()
    await world.createNest('a', { eggs: 1 })
    const seen: number[] = []
    let slow = false
    flaky.lag = () => (slow ? world.clock.sleep(60_000) : undefined)
    let asked = 0
    flaky.before = operation => void (operation === 'get' && asked++)
    world.start(
      controller(Nest, {
        steps: [
          async ({ object }) => {
            seen.push(object.spec.eggs)
            slow = true
            if (seen.length === 1) await world.changeNest('a', { eggs: 2 })
            return report({ hatched: object.spec.eggs })
          },
        ],
      }),
    )
    await world.settle()
    expect(seen).toEqual([1, 2])
    expect(asked).toBe(1)
    expect((await world.nest('a')).status?.hatched).toBe(2)
    await world.clock.advance(300_000)
    expect(seen).toEqual([1, 2])
  })

  test('two controllers write their own conditions on one object without losing each other’s', async () => {
    const { world } = await makeFlakyWorld()
    for (let n = 0; n < 20; n++) await world.createNest(`n${n}`)
    const say = (type: string) =>
      controller(Nest, {
        name: type.toLowerCase(),
        conditions: { [type]: 'True' },
        steps: [() => met(type, { reason: 'Said', message: 'm' })],
      })
    world.start(say('Ready'), say('Watched'), say('Fed'))
    await world.clock.advance(60_000)
    for (let n = 0; n < 20; n++) {
      const nest = await world.nest(`n${n}`)
      expect(nest.status?.conditions?.map(({ type }) => type).toSorted()).toEqual(['Fed', 'Ready', 'Watched'])
    }
  })

  test('a Conflict about another object restarts the pass, too', async () => {
    const { world } = await makeFlakyWorld()
    await world.createNest('a')
    let passes = 0
    world.start(
      controller(Nest, {
        conditions: { Ready: 'True' },
        steps: [
          () => {
            if (++passes < 3) throw conflict(ConfigMap, 'other')
            return report({ phase: 'Hatched' })
          },
        ],
      }),
    )
    await world.clock.advance(1_000)
    expect(passes).toBe(3)
    expect((await world.nest('a')).status).toEqual({ phase: 'Hatched' })
  })

  test('an object that is gone when its status is to be written is no failure', async () => {
    const { world } = await makeFlakyWorld()
    await world.createNest('a')
    const running = world.start(
      controller(Nest, {
        steps: [
          async () => {
            await world.deleteNest('a')
            return report({ phase: 'Building' })
          },
        ],
      }),
    )
    await world.settle()
    expect(world.log.lines.filter(({ level }) => level !== 'debug')).toEqual([])
    await running.stop()
  })
})

describe('reading what one wrote', () => {
  test('a pass sees what the pass before it wrote, however slow the stream: nothing is made twice', async () => {
    const { world, flaky } = await makeFlakyWorld()
    for (const name of ['a', 'b', 'c']) await world.createNest(name)
    flaky.lag = () => world.clock.sleep(700)
    world.start(
      controller(Nest, {
        watches: [owned(ConfigMap)],
        steps: [
          async ({ object, read, store, now }) => {
            const mine = read(ConfigMap)
              .list('default')
              .filter(({ metadata }) => metadata.labels?.['nest'] === object.metadata.name)
            if (mine.length > 0) return next
            await store.create(ConfigMap, {
              metadata: { namespace: 'default', generateName: 'egg-', labels: { nest: object.metadata.name } },
            })
            return again(now)
          },
        ],
      }),
    )
    await world.clock.advance(60_000)
    const { items } = await world.store.list(ConfigMap)
    expect(items.map(({ object }) => object.metadata.labels?.['nest'] ?? '').toSorted()).toEqual(['a', 'b', 'c'])
  })

  test('a pass does not see what the pass before it deleted', async () => {
    const { world, flaky } = await makeFlakyWorld()
    await world.createNest('a')
    await world.store.create(ConfigMap, { metadata: { namespace: 'default', name: 'shell' } })
    let deletions = 0
    flaky.lag = () => world.clock.sleep(700)
    world.start(
      controller(Nest, {
        reads: [ConfigMap],
        conditions: { Ready: 'True' },
        steps: [
          async ({ read, store, now }) => {
            if (read(ConfigMap).get('default/shell') === undefined) return done
            deletions++
            await store.delete(ConfigMap, { namespace: 'default', name: 'shell' })
            return again(now)
          },
        ],
      }),
    )
    await world.clock.advance(60_000)
    expect(deletions).toBe(1)
    expect(findCondition(await world.nest('a'), 'Ready')).toBeUndefined()
  })

  test('an intent that was recorded is seen although the stream is slow', async () => {
    const { world, flaky } = await makeFlakyWorld()
    await world.createNest('a')
    flaky.lag = () => world.clock.sleep(700)
    const seen: unknown[] = []
    world.start(
      controller(Nest, {
        steps: [
          ({ object }) => {
            seen.push(object.status?.hatched)
            const hatched = object.status?.hatched ?? 0
            return hatched < 3 ? record({ hatched: hatched + 1 }) : done
          },
        ],
      }),
    )
    await world.clock.advance(60_000)
    expect(seen).toEqual([undefined, 1, 2, 3])
  })
})

test('a store that was restored from a backup is worked on, although its revisions are smaller', async () => {
  const { world, flaky } = await makeFlakyWorld()
  for (let n = 0; n < 5; n++) await world.createNest(`n${n}`)
  const running = world.start(controller(Nest, { steps: [({ object }) => report({ hatched: object.spec.eggs })] }))
  await world.settle()
  const backup = await makeWorld()
  await backup.createNest('n0', { eggs: 3 })
  flaky.replace(backup.store)
  // Some minutes of silence, in which not even a bookmark comes, tell that something is wrong.
  for (let minute = 0; minute < 7; minute++) {
    await backup.clock.advance(60_000)
    await world.clock.advance(60_000)
  }
  expect((await backup.nest('n0')).status?.hatched).toBe(3)
  const nest = await backup.nest('n0')
  await backup.store.update(Nest, { ...nest, spec: { ...nest.spec, eggs: 4 } })
  await backup.settle()
  await world.clock.advance(60_000)
  expect((await backup.nest('n0')).status?.hatched).toBe(4)
  await running.stop()
})

describe('a condition that a pass does not state anew', () => {
  const observed = async (world: Awaited<ReturnType<typeof makeWorld>>) => {
    const nest = await world.nest('a')
    return (findCondition(nest, 'Ready')?.observedGeneration ?? 0) - (nest.metadata.generation ?? 0)
  }
  const ready = met('Ready', { reason: 'Built', message: '' })

  test('holds for the object as it is now, if the pass went to its end', async () => {
    const { world } = await makeFlakyWorld()
    await world.createNest('a', { eggs: 1 })
    world.start(controller(Nest, { conditions: { Ready: 'True' }, steps: [({ object }) => (object.spec.eggs === 1 ? ready : next)] }))
    await world.settle()
    await world.changeNest('a', { eggs: 2 })
    await world.settle()
    expect(await observed(world)).toBe(0)
  })

  test('is left as it was by a pass that ended early', async () => {
    const { world } = await makeFlakyWorld()
    await world.createNest('a', { eggs: 1 })
    world.start(controller(Nest, { conditions: { Ready: 'True' }, steps: [({ object }) => (object.spec.eggs === 1 ? ready : done)] }))
    await world.settle()
    await world.changeNest('a', { eggs: 2 })
    await world.settle()
    expect(await observed(world)).toBe(-1)
  })
})

describe('a status write', () => {
  test('whose answer was lost is found to be done, and nothing is written twice', async () => {
    const { world, flaky } = await makeFlakyWorld()
    await world.createNest('a')
    let lost = 0
    flaky.after = operation => {
      if (operation === 'update' && lost++ === 0) throw new StoreError('ServiceUnavailable', 'connection reset')
    }
    world.start(
      controller(Nest, {
        conditions: { Ready: 'True' },
        steps: [() => [report({ phase: 'Hatched' }), met('Ready', { reason: 'Fine', message: 'm' })]],
      }),
    )
    await world.clock.advance(60_000)
    const nest = await world.nest('a')
    expect(nest.status).toMatchObject({ phase: 'Hatched', conditions: [{ reason: 'Fine' }] })
  })

  test('that fails because the store is away is tried again until it is back', async () => {
    const { world, flaky } = await makeFlakyWorld()
    await world.createNest('a')
    let away = true
    flaky.before = operation => {
      if (away && operation === 'update') throw new StoreError('ServiceUnavailable', 'away')
    }
    world.start(controller(Nest, { steps: [() => report({ phase: 'Hatched' })] }))
    await world.clock.advance(60_000)
    away = false
    await world.clock.advance(600_000)
    expect((await world.nest('a')).status?.phase).toBe('Hatched')
  })
})

test('a process that has lost its leadership writes nothing, neither a status nor anything else', async () => {
  const { world } = await makeFlakyWorld()
  await world.createNest('a')
  let isLeader = true
  let refused: unknown
  const fence = () => {
    if (!isLeader) throw NotLeader({ lease: 'x', why: 'test' })
    return 7
  }
  let term: number | undefined
  startControllers({
    ...world,
    fence,
    controllers: [
      controller(Nest, {
        conditions: { Ready: 'True' },
        steps: [
          async pass => {
            term = pass.term
            isLeader = false
            await pass.store
              .create(ConfigMap, { metadata: { namespace: 'default', name: 'x' } })
              .catch((error: unknown) => (refused = error))
            return report({ phase: 'Building' })
          },
        ],
      }),
    ],
  })
  await world.clock.advance(60_000)
  expect(term).toBe(7)
  expect(refused).toMatchObject({ code: 'CONTROL_NOT_LEADER' })
  expect((await world.nest('a')).status).toBeUndefined()
  expect((await world.store.list(ConfigMap)).items).toEqual([])
})
