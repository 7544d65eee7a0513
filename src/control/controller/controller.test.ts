import { describe, expect, test } from 'vitest'
import { isoTime } from '../../ports/index.ts'
import { ConfigMap, Event, Nest } from '../../kinds/index.ts'
import { findCondition } from '../conditions.ts'
import { TerminalError } from '../errors.ts'
import { nestController } from '../testing/nest-controller.ts'
import { makeWorld, type World } from '../testing/world.ts'
import { controller, type ControllerOptions, type Pass } from './controller.ts'
import { again, condition, done, met, next, record, remove, report, type Step, wait } from './step.ts'

/** Starts a controller of nests made of one step, and counts its passes. */
function startNests(
  world: World,
  step: (pass: Pass<Nest>) => Step<Nest> | Promise<Step<Nest>>,
  options: Partial<ControllerOptions<Nest, unknown>> = {},
) {
  const passes: Nest[] = []
  const counted = (pass: Pass<Nest>) => {
    passes.push(pass.object)
    return step(pass)
  }
  const running = world.start(controller(Nest, { conditions: { Ready: 'True', Paused: 'False' }, steps: [counted], ...options }))
  return { passes, running }
}

test('a nest walks through its phases by time alone, and every wait says until when', async () => {
  const world = await makeWorld()
  const begin = world.clock.now()
  await world.createNest('a', { eggs: 3 })
  world.start(nestController)
  await world.settle()
  expect((await world.nest('a')).status).toMatchObject({
    phase: 'Building',
    conditions: [{ type: 'Ready', status: 'False', reason: 'Building', until: isoTime(begin + 60_000), then: 'the eggs are brooded' }],
  })
  await world.clock.advance(60_000)
  expect((await world.nest('a')).status).toMatchObject({ phase: 'Brooding', conditions: [{ until: isoTime(begin + 660_000) }] })
  await world.clock.advance(600_000)
  const { status } = await world.nest('a')
  expect(status).toMatchObject({ phase: 'Hatched', hatched: 3, conditions: [{ type: 'Ready', status: 'True' }] })
  expect(status?.conditions?.[0]).not.toHaveProperty('until')
  const { items } = await world.store.list(Event)
  expect(items.map(({ object }) => object)).toMatchObject([
    { reason: 'Hatched', type: 'Normal', involvedObject: { kind: 'Nest', name: 'a' } },
  ])
})

describe('what steps return', () => {
  test('`report` writes fields of the status, `undefined` takes one away, and what is unchanged is not written', async () => {
    const world = await makeWorld()
    await world.createNest('a')
    let status: Parameters<typeof report<Nest>>[0] = { phase: 'Building', hatched: 2 }
    const { passes } = startNests(world, () => report(status))
    await world.settle()
    expect((await world.nest('a')).status).toEqual({ phase: 'Building', hatched: 2 })
    status = { hatched: undefined }
    await world.changeNest('a', { eggs: 2 })
    await world.settle()
    const { status: written, metadata } = await world.nest('a')
    expect(written).toEqual({ phase: 'Building' })
    status = { phase: 'Building' }
    await world.changeNest('a', { eggs: 3 })
    await world.settle()
    expect(passes).toHaveLength(3)
    expect(Number((await world.nest('a')).metadata.resourceVersion)).toBe(Number(metadata.resourceVersion) + 1)
  })

  test('`done` ends the pass, `next` goes on, and several outcomes are taken together', async () => {
    const world = await makeWorld()
    await world.createNest('a')
    const run: string[] = []
    world.start(
      controller(Nest, {
        conditions: { Ready: 'True' },
        steps: [
          () => (run.push('first'), next),
          () => (run.push('second'), [report({ phase: 'Hatched' }), met('Ready', { reason: 'Fine', message: 'all is well' }), done]),
          () => (run.push('third'), next),
        ],
      }),
    )
    await world.settle()
    expect(run).toEqual(['first', 'second'])
    expect((await world.nest('a')).status).toMatchObject({
      phase: 'Hatched',
      conditions: [{ type: 'Ready', status: 'True', observedGeneration: 1 }],
    })
  })

  test('`again` has the object looked at again, at the earliest time that was asked for', async () => {
    const world = await makeWorld()
    await world.createNest('a')
    const { passes } = startNests(world, ({ now }) => (passes.length < 3 ? [again(now + 90_000), again(now + 30_000)] : next))
    await world.clock.advance(29_999)
    expect(passes).toHaveLength(1)
    await world.clock.advance(1)
    expect(passes).toHaveLength(2)
    await world.clock.advance(600_000)
    expect(passes).toHaveLength(3)
  })

  test('`wait` sets the condition to what it is not when all is well, and ends the pass', async () => {
    const world = await makeWorld()
    await world.createNest('a')
    const reason = { reason: 'Full', message: 'the tree is full', then: 'the next free branch is taken', unblock: 'plant a tree' }
    startNests(world, () => [condition('Ready', { status: 'Unknown', reason: 'X', message: 'not known' }), wait('Paused', reason)])
    await world.settle()
    const nest = await world.nest('a')
    expect(findCondition(nest, 'Paused')).toMatchObject({ status: 'True', ...reason })
    expect(findCondition(nest, 'Ready')).toMatchObject({ status: 'Unknown' })
  })

  test('a wait that is overdue is looked at every minute, not without end', async () => {
    const world = await makeWorld()
    await world.createNest('a')
    const { passes } = startNests(world, ({ now }) => wait('Ready', { reason: 'Late', message: 'm', until: now - 5_000, then: 't' }))
    await world.clock.advance(600_000)
    expect(passes).toHaveLength(11)
  })

  test('`remove` deletes the object and tells why by an event', async () => {
    const world = await makeWorld()
    await world.createNest('a')
    startNests(world, () => remove('its lifetime ended'))
    await world.settle()
    await expect(world.nest('a')).rejects.toThrow(/not found/)
    const { items } = await world.store.list(Event)
    expect(items.map(({ object }) => object)).toMatchObject([{ reason: 'Removed', message: 'its lifetime ended' }])
  })

  test('`remove` does not delete what somebody has changed meanwhile', async () => {
    const world = await makeWorld()
    await world.createNest('a', { eggs: 1 })
    startNests(world, async ({ object }) => {
      if (object.spec.eggs > 1) return done
      await world.changeNest('a', { eggs: 5 })
      return remove('it has one egg only')
    })
    await world.settle()
    expect((await world.nest('a')).spec.eggs).toBe(5)
  })

  test('steps that always run sum up, also after a wait and after a failure', async () => {
    const world = await makeWorld()
    await world.createNest('waits')
    await world.createNest('fails')
    const step = ({ object }: Pass<Nest>) => {
      if (object.metadata.name === 'fails') throw new Error('cannot')
      return wait('Ready', { reason: 'R', message: 'm', then: 't' })
    }
    startNests(world, step, { always: [({ object }) => report({ hatched: object.metadata.name.length })] })
    await world.settle()
    expect((await world.nest('waits')).status?.hatched).toBe(5)
    expect((await world.nest('fails')).status).toMatchObject({ hatched: 5, conditions: [{ reason: 'Error', message: 'cannot' }] })
  })
})

describe('intent before effect', () => {
  test('`record` writes the status before any later step is run, and that step sees it', async () => {
    const world = await makeWorld()
    await world.createNest('a')
    const effects: unknown[] = []
    world.start(
      controller(Nest, {
        steps: [
          ({ object }) => (object.status?.phase === undefined ? record({ phase: 'Building' }) : next),
          async ({ object, store }) => {
            const stored = await store.get(Nest, { namespace: 'default', name: 'a' })
            effects.push([object.status?.phase, stored.status?.phase])
            return next
          },
        ],
      }),
    )
    await world.settle()
    expect(effects).toEqual([['Building', 'Building']])
  })

  test('recording what is already recorded is a mistake that is told, not an endless loop', async () => {
    const world = await makeWorld()
    await world.createNest('a')
    const { passes } = startNests(world, () => record({ phase: 'Building' }))
    await world.settle()
    expect(passes.length).toBeLessThan(5)
    expect(findCondition(await world.nest('a'), 'Ready')).toMatchObject({ reason: 'ControlRecordedNothing' })
  })

  test('records without end give others their turn', async () => {
    const world = await makeWorld()
    await world.createNest('counts')
    await world.createNest('other')
    const order: string[] = []
    startNests(
      world,
      ({ object }) => {
        order.push(object.metadata.name)
        const hatched = object.status?.hatched ?? 0
        return object.metadata.name === 'counts' && hatched < 40 ? record({ hatched: hatched + 1 }) : done
      },
      { concurrency: 1 },
    )
    await world.settle()
    expect(order.indexOf('other')).toBeLessThan(20)
    expect((await world.nest('counts')).status?.hatched).toBe(40)
  })
})

describe('when a pass is run', () => {
  test('its own status writes do not call it again; the status writes of others do', async () => {
    const world = await makeWorld()
    const nest = await world.createNest('a')
    const { passes } = startNests(world, ({ object }) => report({ hatched: object.metadata.generation ?? 0 }))
    await world.settle()
    expect(passes).toHaveLength(1)
    const written = await world.nest('a')
    expect(written.metadata.resourceVersion).not.toBe(nest.metadata.resourceVersion)
    await world.store.update(Nest, { ...written, status: { ...written.status, phase: 'Brooding' } }, { subresource: 'status' })
    await world.settle()
    expect(passes).toHaveLength(2)
  })

  test('a change that comes during a pass is looked at after it', async () => {
    const world = await makeWorld()
    await world.createNest('a')
    const { passes } = startNests(world, async ({ object }) => {
      if (passes.length === 1) await world.changeNest('a', { eggs: 9 })
      return report({ hatched: object.spec.eggs })
    })
    await world.settle()
    expect(passes.at(-1)?.spec.eggs).toBe(9)
    expect((await world.nest('a')).status?.hatched).toBe(9)
  })

  test('a change that comes during a pass is looked at also if the pass writes nothing', async () => {
    const world = await makeWorld()
    await world.createNest('a')
    const { passes } = startNests(world, async () => {
      if (passes.length === 1) await world.changeNest('a', { eggs: 9 })
      await world.clock.sleep(100)
      return done
    })
    await world.clock.advance(1_000)
    expect(passes.map(({ spec }) => spec.eggs)).toEqual([1, 9])
  })

  test('what somebody wants now goes before what was there at the start', async () => {
    const world = await makeWorld()
    for (let n = 0; n < 50; n++) await world.createNest(`old-${n}`)
    const { passes } = startNests(world, async () => (await world.clock.sleep(100), done), { concurrency: 1 })
    await world.clock.advance(250)
    await world.createNest('fresh')
    await world.clock.advance(250)
    expect(passes.map(({ metadata }) => metadata.name)).toContain('fresh')
    expect(passes.length).toBeLessThan(10)
  })

  test('only objects that are its concern are looked at', async () => {
    const world = await makeWorld()
    await world.createNest('mine', {}, { labels: { mine: 'yes' } })
    await world.createNest('other')
    const { passes } = startNests(world, () => done, { select: ({ metadata }) => metadata.labels?.['mine'] === 'yes' })
    await world.settle()
    expect(passes.map(({ metadata }) => metadata.name)).toEqual(['mine'])
  })

  test('a pass that always wants to be run again at once is made to pause', async () => {
    const world = await makeWorld()
    await world.createNest('a')
    const { passes } = startNests(world, ({ now }) => again(now))
    await world.settle()
    expect(passes.length).toBeLessThan(20)
    await world.clock.advance(3_600_000)
    expect(passes.length).toBeLessThan(500)
  })

  test('`resync` looks at everything from time to time', async () => {
    const world = await makeWorld()
    await world.createNest('a')
    const { passes } = startNests(world, () => done, { resync: 600_000 })
    await world.clock.advance(3_600_000)
    expect(passes).toHaveLength(7)
  })
})

describe('failures', () => {
  test('are told by the first condition, with when it is tried again; what was reported before is written, too', async () => {
    const world = await makeWorld()
    await world.createNest('a')
    let failing = true
    const { passes } = startNests(world, () => {
      if (failing) throw new Error('the branch broke')
      return next
    })
    await world.settle()
    const told = findCondition(await world.nest('a'), 'Ready')
    expect(told).toMatchObject({
      status: 'False',
      reason: 'Error',
      message: 'the branch broke',
      then: expect.stringContaining('tried again'),
    })
    expect(told?.until).toBeDefined()
    await world.clock.advance(60_000)
    expect(passes.length).toBeGreaterThan(3)
    expect(passes.length).toBeLessThan(20)
    failing = false
    await world.clock.advance(600_000)
    expect(findCondition(await world.nest('a'), 'Ready')).toBeUndefined()
  })

  test('a step that says something about the condition afterwards is not overruled', async () => {
    const world = await makeWorld()
    await world.createNest('a')
    const { passes } = startNests(world, () => {
      if (passes.length === 1) throw new Error('once')
      return met('Ready', { reason: 'Fine', message: 'it is well' })
    })
    await world.clock.advance(60_000)
    expect(findCondition(await world.nest('a'), 'Ready')).toMatchObject({ status: 'True', reason: 'Fine' })
  })

  test('after a TerminalError the object is left alone until it changes, and the fix is what would unblock it', async () => {
    const world = await makeWorld()
    await world.createNest('a', { material: 'down' })
    const { passes } = startNests(world, ({ object }) => {
      if (object.spec.material === 'down') throw TerminalError({ reason: 'TooSoft', message: 'down alone does not hold', fix: 'use twig' })
      return met('Ready', { reason: 'Built', message: 'it holds' })
    })
    await world.clock.advance(86_400_000)
    expect(passes).toHaveLength(1)
    expect(findCondition(await world.nest('a'), 'Ready')).toMatchObject({
      reason: 'TooSoft',
      unblock: 'use twig',
      then: expect.stringContaining('nothing'),
    })
    await world.changeNest('a', { material: 'twig' })
    await world.settle()
    expect(passes).toHaveLength(2)
    expect(findCondition(await world.nest('a'), 'Ready')?.status).toBe('True')
  })

  test('a condition that the controller does not own cannot be written', async () => {
    const world = await makeWorld()
    await world.createNest('a')
    startNests(world, () => met('Sold', { reason: 'R', message: 'm' }))
    await world.settle()
    const nest = await world.nest('a')
    expect(findCondition(nest, 'Sold')).toBeUndefined()
    expect(findCondition(nest, 'Ready')).toMatchObject({
      reason: 'ControlConditionNotOwned',
      unblock: expect.stringContaining('Ready, Paused'),
    })
  })

  test('a kind that was not declared cannot be read', async () => {
    const world = await makeWorld()
    await world.createNest('a')
    startNests(world, ({ read }) => (read(ConfigMap).list(), next))
    await world.settle()
    expect(findCondition(await world.nest('a'), 'Ready')).toMatchObject({ reason: 'ControlReadNotDeclared' })
  })

  test('one object that fails keeps no other waiting', async () => {
    const world = await makeWorld()
    for (const name of ['a', 'bad', 'c']) await world.createNest(name)
    startNests(
      world,
      ({ object }) => {
        if (object.metadata.name === 'bad') throw new Error('cannot')
        return report({ phase: 'Hatched' })
      },
      { concurrency: 1 },
    )
    await world.settle()
    expect((await world.nest('a')).status?.phase).toBe('Hatched')
    expect((await world.nest('c')).status?.phase).toBe('Hatched')
  })
})

describe('the deadline', () => {
  test('aborts the pass, is told by the condition, and the pass is tried again', async () => {
    const world = await makeWorld()
    await world.createNest('a')
    const { passes } = startNests(
      world,
      async ({ signal }) => {
        if (passes.length === 1) await world.clock.sleep(3_600_000, signal)
        return met('Ready', { reason: 'Fine', message: 'at last' })
      },
      { deadline: 5_000 },
    )
    await world.clock.advance(5_000)
    expect(findCondition(await world.nest('a'), 'Ready')).toMatchObject({ reason: 'DeadlineExceeded', message: 'not done after 5000 ms' })
    await world.clock.advance(5_000)
    expect(findCondition(await world.nest('a'), 'Ready')).toMatchObject({ reason: 'Fine' })
  })

  test('a pass that ignores it is told of as stuck, blocks only its own object, and can write nothing any more', async () => {
    const world = await makeWorld()
    await world.createNest('a')
    await world.createNest('b')
    const late: unknown[] = []
    const { passes } = startNests(
      world,
      async ({ object, store }) => {
        if (object.metadata.name === 'b' || passes.length > 2) return report({ phase: 'Hatched' })
        await world.clock.sleep(60_000)
        await store.create(ConfigMap, { metadata: { namespace: 'default', name: 'late' } }).catch((error: unknown) => late.push(error))
        return report({ phase: 'Building' })
      },
      { deadline: 5_000, concurrency: 1 },
    )
    await world.clock.advance(7_000)
    expect(findCondition(await world.nest('a'), 'Ready')).toMatchObject({ reason: 'Stuck', message: expect.stringContaining('5 s') })
    expect((await world.nest('b')).status?.phase).toBe('Hatched')
    await world.changeNest('a', { eggs: 2 })
    await world.clock.advance(50_000)
    expect(passes).toHaveLength(2)
    await world.clock.advance(60_000)
    expect(late).toMatchObject([{ code: 'DEADLINE_EXCEEDED' }])
    expect((await world.nest('a')).status?.phase).toBe('Hatched')
    expect(findCondition(await world.nest('a'), 'Ready')).toBeUndefined()
  })
})
