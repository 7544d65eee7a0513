import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { seededChance, VirtualClock } from '../../ports/index.ts'
import { type Lane, lanes, WorkQueue } from './work-queue.ts'

function makeQueue(options: { readonly patience?: number } = {}) {
  const clock = new VirtualClock()
  return { clock, queue: new WorkQueue({ clock, chance: seededChance(7), ...options }) }
}

/** Takes and gives back everything that is ready, in the order in which it comes. */
function drain(queue: WorkQueue): string[] {
  const keys: string[] = []
  for (let taken = queue.take(); taken !== undefined; taken = queue.take()) {
    keys.push(taken.key)
    queue.done(taken.key)
  }
  return keys
}

describe('a key is in the queue once', () => {
  test('however often it is added', () => {
    const { queue } = makeQueue()
    queue.add('a')
    queue.add('a')
    queue.add('b')
    queue.add('a', { after: 1_000 })
    expect(drain(queue)).toEqual(['a', 'b'])
  })

  test('and is handed to nobody else while a worker holds it, but comes back if it was added meanwhile', () => {
    const { queue } = makeQueue()
    queue.add('a')
    expect(queue.take()?.key).toBe('a')
    queue.add('a')
    expect(queue.take()).toBeUndefined()
    queue.done('a')
    expect(queue.take()?.key).toBe('a')
    queue.done('a')
    expect(queue.take()).toBeUndefined()
  })

  test('and giving back what nobody holds does nothing', () => {
    const { queue } = makeQueue()
    queue.done('a')
    queue.add('a')
    queue.done('a')
    expect(drain(queue)).toEqual(['a'])
  })
})

describe('delays', () => {
  test('a key is handed out when its time has come, not before', async () => {
    const { clock, queue } = makeQueue()
    queue.add('a', { after: 1_000 })
    expect(queue.take()).toBeUndefined()
    expect(queue.waiting).toBe(1)
    await clock.advance(999)
    expect(queue.take()).toBeUndefined()
    await clock.advance(1)
    expect(queue.take()?.key).toBe('a')
  })

  test('the earliest time wins, and an earlier look uses up the later one', async () => {
    const { clock, queue } = makeQueue()
    queue.add('a', { after: 5_000 })
    queue.add('a', { after: 1_000 })
    queue.add('a', { after: 9_000 })
    await clock.advance(1_000)
    expect(drain(queue)).toEqual(['a'])
    await clock.advance(10_000)
    expect(drain(queue)).toEqual([])
  })

  test('a delay that is asked for while a worker holds the key counts from then', async () => {
    const { clock, queue } = makeQueue()
    queue.add('a')
    queue.take()
    queue.add('a', { after: 500 })
    await clock.advance(200)
    queue.done('a')
    expect(queue.take()).toBeUndefined()
    await clock.advance(300)
    expect(queue.take()?.key).toBe('a')
  })

  test('what is due at different times comes in that order', async () => {
    const { clock, queue } = makeQueue()
    for (const after of [70, 10, 50, 30, 20, 60, 40]) queue.add(`at ${after}`, { after })
    await clock.advance(100)
    expect(drain(queue)).toEqual(['at 10', 'at 20', 'at 30', 'at 40', 'at 50', 'at 60', 'at 70'])
  })

  test('`onReady` is told of every key that can be taken, also of those whose time has come', async () => {
    let told = 0
    const clock = new VirtualClock()
    const queue = new WorkQueue({ clock, chance: seededChance(1), onReady: () => told++ })
    queue.add('a')
    queue.add('b', { after: 10 })
    expect(told).toBe(1)
    await clock.advance(10)
    expect(told).toBe(2)
  })
})

describe('lanes', () => {
  test('the most urgent goes first; inside a lane, who came first', () => {
    const { queue } = makeQueue()
    for (const lane of ['low', 'normal', 'high'] as const) for (const n of [1, 2]) queue.add(`${lane} ${n}`, { lane })
    expect(drain(queue)).toEqual(['high 1', 'high 2', 'normal 1', 'normal 2', 'low 1', 'low 2'])
  })

  test('a key moves up if it is added again in a more urgent lane, never down', () => {
    const { queue } = makeQueue()
    queue.add('a', { lane: 'low' })
    queue.add('b', { lane: 'normal' })
    queue.add('a', { lane: 'high' })
    queue.add('a', { lane: 'low' })
    expect(queue.depth('high')).toBe(1)
    expect(queue.depth('low')).toBe(0)
    expect(drain(queue)).toEqual(['a', 'b'])
  })

  test('a flood of urgent keys does not starve the others for ever', () => {
    const { queue } = makeQueue({ patience: 4 })
    queue.add('patient', { lane: 'low' })
    const order: string[] = []
    for (let n = 0; n < 10; n++) {
      queue.add(`urgent ${n}`, { lane: 'high' })
      queue.add(`urgent ${n} too`, { lane: 'high' })
      const key = queue.take()?.key ?? ''
      order.push(key)
      queue.done(key)
    }
    expect(order.indexOf('patient')).toBe(4)
  })
})

describe('failures', () => {
  test('are counted for each key, put it off for longer and longer, and can be forgotten', () => {
    const clock = new VirtualClock()
    const queue = new WorkQueue({ clock, chance: { ...seededChance(1), fraction: () => 1 }, retry: { base: 100, cap: 1_000 } })
    expect([1, 2, 3, 4, 5, 6].map(() => queue.failed('a'))).toEqual([100, 200, 400, 800, 1_000, 1_000])
    expect(queue.failed('b')).toBe(100)
    expect(queue.failures('a')).toBe(6)
    queue.forget('a')
    expect(queue.failures('a')).toBe(0)
    expect(queue.failed('a')).toBe(100)
  })
})

test('a stopped queue hands out nothing, takes nothing in, and leaves no timer behind', async () => {
  const { clock, queue } = makeQueue()
  queue.add('held')
  queue.take()
  queue.add('ready')
  queue.add('later', { after: 10 })
  queue.stop()
  queue.add('too late')
  queue.add('held')
  queue.done('held')
  expect(queue.take()).toBeUndefined()
  expect([queue.depth(), queue.waiting, queue.taken]).toEqual([0, 0, 0])
  expect(await clock.runUntilIdle(1_000)).toBe(true)
})

/** The queue in the simplest words: for each key what was asked for and not yet handed out. */
interface Model {
  readonly asked: Map<string, { lane: number; due: number }>
  readonly held: Set<string>
}

type Command =
  | { readonly do: 'add'; readonly key: string; readonly lane: Lane; readonly after: number }
  | { readonly do: 'take' }
  | { readonly do: 'done'; readonly which: number }
  | { readonly do: 'wait'; readonly time: number }

const command: fc.Arbitrary<Command> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('add' as const),
      key: fc.constantFrom('a', 'b', 'c', 'd', 'e'),
      lane: fc.constantFrom(...lanes),
      after: fc.constantFrom(0, 0, 5, 10, 30),
    }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('take' as const) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('done' as const), which: fc.nat(4) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('wait' as const), time: fc.constantFrom(1, 5, 20) }) },
)

test('whatever is done to it: no key is held twice, nothing is lost, nothing comes early or unasked', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(command, { maxLength: 60 }), async commands => {
      const { clock, queue } = makeQueue()
      const model: Model = { asked: new Map(), held: new Set() }
      const check = (key: string | undefined) => {
        const ready = [...model.asked].filter(([name, { due }]) => due <= clock.monotonic() && !model.held.has(name)).map(([name]) => name)
        if (key === undefined) return expect(ready).toEqual([])
        expect(ready).toContain(key)
        model.asked.delete(key)
        model.held.add(key)
      }
      for (const next of commands) {
        if (next.do === 'add') {
          const before = model.asked.get(next.key)
          const wanted = { lane: lanes.indexOf(next.lane), due: clock.monotonic() + next.after }
          model.asked.set(next.key, { lane: Math.min(before?.lane ?? 9, wanted.lane), due: Math.min(before?.due ?? Infinity, wanted.due) })
          queue.add(next.key, next)
        } else if (next.do === 'take') check(queue.take()?.key)
        else if (next.do === 'done') {
          const key = [...model.held][next.which]
          if (key !== undefined) {
            model.held.delete(key)
            queue.done(key)
          }
        } else await clock.advance(next.time)
        expect(queue.taken).toBe(model.held.size)
      }
      for (const key of model.held) queue.done(key)
      model.held.clear()
      await clock.advance(1_000)
      const rest = drain(queue)
      expect(rest.toSorted()).toEqual([...model.asked.keys()].toSorted())
    }),
    { numRuns: 200 },
  )
})
