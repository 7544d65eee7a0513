import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Nest } from '../../kinds/index.ts'
import { StoreError } from '../../store/index.ts'
import { InformerStopped, NotSynced } from '../errors.ts'
import { keyOf } from '../object-key.ts'
import { FlakyStore } from '../testing/flaky-store.ts'
import { makeWorld, type World } from '../testing/world.ts'
import { Informer, type InformerOptions } from './informer.ts'

interface Scene {
  readonly world: World
  readonly flaky: FlakyStore
  readonly informer: Informer<Nest>
  /** What handlers were told: `added a`, `changed a`, `removed a`. */
  readonly told: string[]
}

async function makeScene(options: Partial<InformerOptions<Nest>> = {}, before: readonly string[] = []): Promise<Scene> {
  const world = await makeWorld()
  for (const name of before) await world.createNest(name)
  const flaky = new FlakyStore(world.store)
  const informer = new Informer<Nest>({ ...world, store: flaky, kind: Nest, ...options })
  const told: string[] = []
  informer.on({
    added: ({ metadata }, initial) => told.push(`${initial ? 'found' : 'added'} ${metadata.name}`),
    changed: ({ metadata }, old) => told.push(`changed ${metadata.name} from ${old.spec.eggs}`),
    removed: ({ metadata }) => told.push(`removed ${metadata.name}`),
  })
  return { world, flaky, informer, told }
}

async function startScene(...args: Parameters<typeof makeScene>): Promise<Scene> {
  const scene = await makeScene(...args)
  scene.informer.start()
  await scene.world.settle()
  return scene
}

async function setEggs({ store, nest }: World, name: string, eggs: number): Promise<Nest> {
  const object = await nest(name)
  return store.update(Nest, { ...object, spec: { ...object.spec, eggs } })
}

const remove = ({ store }: World, name: string) => store.delete(Nest, { namespace: 'default', name })
const names = (informer: Informer<Nest>) => informer.list().map(({ metadata }) => metadata.name)

describe('unknown is not empty', () => {
  test('nothing can be read before everything was read once', async () => {
    const { informer, world } = await makeScene({}, ['a'])
    expect(informer.state).toBe('unknown')
    for (const read of [() => informer.get('default/a'), () => informer.list(), () => informer.size]) {
      expect(read).toThrow(expect.objectContaining({ code: NotSynced.code }))
    }
    informer.start()
    await informer.synced
    expect(informer.state).toBe('live')
    expect(names(informer)).toEqual(['a'])
    await world.settle()
  })

  test('a store that cannot be reached leaves it unknown until it can', async () => {
    const { informer, flaky, world } = await makeScene({}, ['a'])
    flaky.unreachable = new StoreError('ServiceUnavailable', 'away')
    informer.start()
    await world.clock.advance(120_000)
    expect(informer.state).toBe('unknown')
    expect(() => informer.list()).toThrow(/have not been read yet/)
    flaky.unreachable = undefined
    await world.clock.advance(30_000)
    expect(names(informer)).toEqual(['a'])
  })

  test('a stream that breaks in the middle of the first list shows nothing of it', async () => {
    const { informer, flaky, world } = await makeScene({}, ['a', 'b'])
    flaky.filter = event => (event.type === 'BOOKMARK' ? undefined : event)
    informer.start()
    await world.settle()
    expect(informer.state).toBe('unknown')
    flaky.filter = event => event
    flaky.break()
    await world.clock.advance(1_000)
    expect(names(informer)).toEqual(['a', 'b'])
  })
})

describe('reading', () => {
  test('objects are found by key, by namespace and by index, and are frozen', async () => {
    const { informer, world } = await startScene({ indexes: { material: ({ spec }) => [spec.material] } })
    await world.createNest('a', { material: 'moss' })
    await world.createNest('b', { material: 'down' })
    await world.createNest('c', { material: 'moss' })
    await world.settle()
    expect(informer.get('default/b')?.spec.material).toBe('down')
    expect(informer.get('default/x')).toBeUndefined()
    expect(informer.list('default')).toHaveLength(3)
    expect(informer.list('elsewhere')).toEqual([])
    expect(informer.byIndex('material', 'moss').map(keyOf)).toEqual(['default/a', 'default/c'])
    expect(informer.byIndex('material', 'twig')).toEqual([])
    expect(Object.isFrozen(informer.get('default/a')?.spec)).toBe(true)
  })

  test('an index follows changes and removals, and can be added late', async () => {
    const { informer, world } = await startScene({}, ['a', 'b'])
    const byEggs = ({ spec }: Nest) => [String(spec.eggs)]
    informer.addIndex('eggs', byEggs)
    informer.addIndex('eggs', byEggs)
    expect(informer.byIndex('eggs', '1')).toHaveLength(2)
    await setEggs(world, 'a', 5)
    await remove(world, 'b')
    await world.settle()
    expect(informer.byIndex('eggs', '1')).toEqual([])
    expect(informer.byIndex('eggs', '5').map(keyOf)).toEqual(['default/a'])
  })

  test('an index that does not exist, or two of one name, are mistakes', async () => {
    const { informer } = await startScene({ indexes: { material: ({ spec }) => [spec.material] } })
    expect(() => informer.byIndex('colour', 'red')).toThrow(/no index colour/)
    expect(() => informer.addIndex('material', () => [])).toThrow(/already has another index material/)
  })

  test('an index function that throws hides the object from that index only', async () => {
    const { informer, world } = await startScene({
      indexes: {
        bad: ({ metadata }) => {
          if (metadata.name === 'a') throw new Error('cannot')
          return ['x']
        },
      },
    })
    await world.createNest('a')
    await world.createNest('b')
    await world.settle()
    expect(informer.byIndex('bad', 'x').map(keyOf)).toEqual(['default/b'])
    expect(names(informer)).toEqual(['a', 'b'])
    expect(world.log.lines.some(({ message }) => message === 'an index function failed')).toBe(true)
  })
})

describe('handlers', () => {
  test('are told of what is there and of every change, with the old state', async () => {
    const { informer, world, told } = await startScene({}, ['a'])
    await world.createNest('b')
    await setEggs(world, 'a', 4)
    await remove(world, 'b')
    await world.settle()
    expect(told).toEqual(['found a', 'added b', 'changed a from 1', 'removed b'])
    expect(informer.size).toBe(1)
  })

  test('one that comes late is told of what is there, and one that left is told nothing more', async () => {
    const { informer, world } = await startScene({}, ['a'])
    const late: string[] = []
    const leave = informer.on({ added: ({ metadata }, initial) => late.push(`${metadata.name} ${initial}`) })
    expect(late).toEqual(['a true'])
    leave()
    await world.createNest('b')
    await world.settle()
    expect(late).toEqual(['a true'])
  })

  test('one that throws or rejects breaks neither the stream nor the others', async () => {
    const { informer, world } = await startScene()
    informer.on({
      added: () => {
        throw new Error('bad handler')
      },
    })
    informer.on({ added: async () => Promise.reject(new Error('bad promise')) })
    const heard: string[] = []
    informer.on({ added: ({ metadata }) => heard.push(metadata.name) })
    await world.createNest('a')
    await world.createNest('b')
    await world.settle()
    expect(heard).toEqual(['a', 'b'])
    expect(world.log.lines.filter(({ message }) => message === 'an informer handler failed')).toHaveLength(4)
  })

  test('the cache shows a change before it is told', async () => {
    const { informer, world } = await startScene()
    const seen: unknown[] = []
    informer.on({ added: object => seen.push(informer.get(keyOf(object))), removed: object => seen.push(informer.get(keyOf(object))) })
    const nest = await world.createNest('a')
    await remove(world, 'a')
    await world.settle()
    expect(seen).toEqual([nest, undefined])
  })
})

describe('reading what one wrote', () => {
  test('`waitFor` resolves when the revision, or a later one, was seen', async () => {
    const { informer, world } = await startScene()
    const nest = await world.createNest('a')
    await informer.waitFor(nest.metadata.resourceVersion ?? '')
    expect(informer.get('default/a')).toEqual(nest)
    await informer.waitFor('1')
  })

  test('a bookmark counts as having seen everything before it', async () => {
    const { informer, world, flaky } = await startScene()
    flaky.filter = event => (event.type === 'BOOKMARK' ? event : undefined)
    const nest = await world.createNest('a')
    let seen = false
    void informer.waitFor(nest.metadata.resourceVersion ?? '').then(() => (seen = true))
    await world.clock.advance(1_000)
    expect(seen).toBe(false)
    await world.clock.advance(120_000)
    expect(seen).toBe(true)
  })

  test('it gives up at its deadline, and when the informer is stopped', async () => {
    const { informer, world } = await startScene()
    using deadline = world.clock.deadline(5_000)
    const late = informer.waitFor('999', deadline.signal).catch((error: unknown) => error)
    await world.clock.advance(5_000)
    expect(await late).toMatchObject({ code: 'DEADLINE_EXCEEDED' })
    const stopped = informer.waitFor('999').catch((error: unknown) => error)
    await informer.stop()
    expect(await stopped).toMatchObject({ code: InformerStopped.code })
    await expect(informer.waitFor('999')).rejects.toThrow(/was stopped/)
  })
})

describe('a broken stream', () => {
  test('goes on from the last revision, misses nothing and repeats nothing', async () => {
    const { informer, world, flaky, told } = await startScene({}, ['a'])
    flaky.cut()
    await world.createNest('b')
    await remove(world, 'a')
    await world.clock.advance(1_000)
    expect(told).toEqual(['found a', 'added b', 'removed a'])
    expect(flaky.watches.at(-1)).toMatchObject({ resourceVersion: expect.any(String), bookmarks: true })
    expect(flaky.watches.at(-1)).not.toHaveProperty('initialEvents')
    expect(names(informer)).toEqual(['b'])
  })

  test('that repeats what was told before is not believed twice', async () => {
    const { informer, world, flaky, told } = await startScene({}, ['a'])
    flaky.repeatFrom = informer.revision
    await setEggs(world, 'a', 2)
    await world.createNest('b')
    await setEggs(world, 'a', 3)
    await remove(world, 'b')
    await world.settle()
    const once = ['found a', 'changed a from 1', 'added b', 'changed a from 2', 'removed b']
    expect(told).toEqual(once)
    flaky.cut()
    await world.clock.advance(1_000)
    expect(told.filter(line => line.includes(' a'))).toEqual(once.filter(line => line.includes(' a')))
    expect(names(informer)).toEqual(['a'])
  })

  test('an orderly end is no outage; an error is, until something is heard again', async () => {
    const { informer, world, flaky } = await startScene()
    flaky.cut()
    await world.settle()
    expect(informer.state).toBe('live')
    await world.clock.advance(1_000)
    flaky.break()
    await world.settle()
    expect(informer.state).toBe('syncing')
    await world.clock.advance(1_000)
    await world.createNest('a')
    await world.settle()
    expect(informer.state).toBe('live')
  })

  test('while the store is away what was read stays readable, and tries get rarer', async () => {
    const { informer, world, flaky } = await startScene({}, ['a'])
    flaky.unreachable = new StoreError('ServiceUnavailable', 'away')
    flaky.break()
    await world.clock.advance(600_000)
    expect(names(informer)).toEqual(['a'])
    expect(flaky.watches.length).toBeLessThan(100)
    expect(flaky.watches.length).toBeGreaterThan(20)
  })

  test('that is silent for too long, without even a bookmark, is given up: everything is read anew, and nothing is missed', async () => {
    const { informer, world, flaky } = await startScene({ silence: 200_000 })
    await world.clock.advance(600_000)
    expect(flaky.watches).toHaveLength(1)
    flaky.filter = event => (flaky.watches.length === 1 ? undefined : event)
    await world.createNest('a')
    await world.clock.advance(150_000)
    expect(informer.size).toBe(0)
    await world.clock.advance(150_000)
    expect(flaky.watches).toHaveLength(2)
    expect(flaky.watches[1]).toMatchObject({ initialEvents: true })
    expect(names(informer)).toEqual(['a'])
  })

  test('ends with the informer', async () => {
    const { informer, world, flaky } = await startScene()
    await informer.stop()
    await world.settle()
    expect(flaky.open).toBe(0)
    expect(informer.size).toBe(0)
  })
})

describe('a revision that is no longer kept', () => {
  test('everything is read anew, and the difference is told, missed deletions included', async () => {
    const { informer, world, flaky, told } = await startScene({}, ['kept', 'changed', 'deleted', 'replaced'])
    told.length = 0
    flaky.refuseToResume = true
    flaky.unreachable = new StoreError('ServiceUnavailable', 'away')
    flaky.break()
    await world.settle()
    await remove(world, 'deleted')
    await remove(world, 'replaced')
    await world.createNest('replaced')
    await setEggs(world, 'changed', 7)
    await world.createNest('new')
    flaky.unreachable = undefined
    await world.clock.advance(60_000)
    expect(told.toSorted()).toEqual(['added new', 'added replaced', 'changed changed from 1', 'removed deleted', 'removed replaced'])
    expect(told.indexOf('removed replaced')).toBeLessThan(told.indexOf('added replaced'))
    expect(names(informer).toSorted()).toEqual(['changed', 'kept', 'new', 'replaced'])
  })

  test('nobody sees an empty or shrunken collection meanwhile', async () => {
    const { informer, world, flaky } = await startScene({}, ['a', 'b', 'c'])
    const sizes = new Set<number>()
    const look = (event: Parameters<FlakyStore['filter']>[0]) => {
      sizes.add(informer.size)
      return event
    }
    flaky.filter = look
    for (let round = 0; round < 5; round++) {
      flaky.expire()
      for (let step = 0; step < 20; step++) {
        await world.clock.advance(50)
        sizes.add(informer.size)
      }
    }
    expect([...sizes]).toEqual([3])
  })

  test('the new list is asked to be no older than what was seen', async () => {
    const { world, flaky, informer } = await startScene({}, ['a'])
    const { revision } = informer
    flaky.expire()
    await world.clock.advance(1_000)
    expect(flaky.watches.at(-1)).toMatchObject({ initialEvents: true, resourceVersion: revision })
  })

  test('unless the store says that it has never been so far: then it was restored, and what it has counts', async () => {
    const { world, flaky, informer, told } = await startScene({}, ['a', 'b'])
    const restored = await makeWorld()
    await restored.createNest('a', { eggs: 9 })
    const other = new FlakyStore(restored.store)
    flaky.watch = (kind, options) => {
      if (options.resourceVersion !== undefined) {
        other.unreachable = new StoreError(options.initialEvents === true ? 'Timeout' : 'Expired', 'Too large resource version')
      } else other.unreachable = undefined
      return other.watch(kind, options)
    }
    told.length = 0
    flaky.cut()
    await world.clock.advance(10_000)
    // The object has the uid and the revision that it had before, and yet is another.
    expect(told).toEqual(['removed b', 'changed a from 1'])
    expect(informer.get('default/a')?.spec.eggs).toBe(9)
  })
})

test('a bookmark from before what was seen tells that the store was restored', async () => {
  const { world, flaky, informer } = await startScene({}, ['a', 'b'])
  let restored = 0
  informer.on({ restored: () => restored++ })
  flaky.filter = event => (event.type === 'BOOKMARK' && !event.initialEventsEnd ? { ...event, resourceVersion: '1' } : event)
  await world.clock.advance(90_000)
  expect(restored).toBe(1)
  expect(flaky.watches.at(-1)).not.toHaveProperty('resourceVersion')
  expect(names(informer)).toEqual(['a', 'b'])
})

describe('comparing with the store', () => {
  test('mends what the stream left out, and says so', async () => {
    const { informer, world, flaky, told } = await startScene({ compareEvery: 600_000 }, ['a', 'b'])
    told.length = 0
    flaky.filter = event => (event.type === 'BOOKMARK' ? event : undefined)
    await world.createNest('c')
    await remove(world, 'a')
    await setEggs(world, 'b', 3)
    await world.clock.advance(300_000)
    expect(names(informer)).toEqual(['a', 'b'])
    await world.clock.advance(420_000)
    expect(told.toSorted()).toEqual(['added c', 'changed b from 1', 'removed a'])
    expect(informer.get('default/b')?.spec.eggs).toBe(3)
    expect(world.log.lines.some(({ message }) => message === 'the stream of changes left something out')).toBe(true)
  })

  test('finds nothing to mend when nothing is wrong, however much happens meanwhile', async () => {
    const { informer, world, told } = await startScene({ compareEvery: 60_000 })
    for (let n = 0; n < 50; n++) {
      await world.createNest(`n${n}`)
      if (n % 3 === 0) await remove(world, `n${n}`)
      await world.clock.advance(7_000)
    }
    expect(told).toHaveLength(50 + 17)
    expect(informer.size).toBe(33)
    expect(world.log.lines).toEqual([])
  })
})

test('what happens while the list is read proves nothing against the stream', async () => {
  const { informer, world, flaky, told } = await startScene({ compareEvery: 60_000 }, ['a', 'b'])
  flaky.after = async operation => {
    if (operation !== 'list') return
    await remove(world, 'a')
    await world.createNest('c')
    await setEggs(world, 'b', 4)
    flaky.after = () => {}
  }
  await world.clock.advance(90_000)
  expect(told).toEqual(['found a', 'found b', 'removed a', 'added c', 'changed b from 1'])
  expect(names(informer)).toEqual(['b', 'c'])
  expect(world.log.lines).toEqual([])
})

/** One thing that happens to the store or to the way to it. */
const happening = fc.oneof(
  { weight: 5, arbitrary: fc.record({ do: fc.constant('write' as const), name: fc.constantFrom('a', 'b', 'c', 'd'), eggs: fc.nat(12) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('remove' as const), name: fc.constantFrom('a', 'b', 'c', 'd') }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constantFrom('cut' as const, 'break' as const, 'expire' as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constantFrom('forget' as const, 'remember' as const) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('wait' as const), time: fc.constantFrom(0, 10, 500, 5_000) }) },
)

test('whatever breaks: in the end it shows what the store has, and what it told adds up to that', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(happening, { maxLength: 40 }), async happenings => {
      const { world, flaky, informer } = await startScene({ indexes: { eggs: ({ spec }) => [String(spec.eggs)] } })
      const replica = new Map<string, Nest>()
      informer.on({
        added: object => {
          expect(replica.has(keyOf(object))).toBe(false)
          replica.set(keyOf(object), object)
        },
        changed: (object, old) => {
          expect(replica.get(keyOf(object))).toBe(old)
          replica.set(keyOf(object), object)
        },
        removed: object => {
          expect(replica.get(keyOf(object))).toBe(object)
          replica.delete(keyOf(object))
        },
      })
      for (const next of happenings) {
        if (next.do === 'write') {
          await setEggs(world, next.name, next.eggs).catch(() => world.createNest(next.name, { eggs: next.eggs }))
        } else if (next.do === 'remove') await remove(world, next.name).catch(() => {})
        else if (next.do === 'wait') await world.clock.advance(next.time)
        else if (next.do === 'forget') flaky.refuseToResume = true
        else if (next.do === 'remember') flaky.refuseToResume = false
        else flaky[next.do]()
      }
      await world.clock.advance(120_000)
      const { items } = await world.store.list(Nest)
      const expected = items.map(({ object }) => object)
      expect(informer.list().toSorted(byName)).toEqual(expected)
      expect([...replica.values()].toSorted(byName)).toEqual(expected)
      for (let eggs = 0; eggs <= 12; eggs++) {
        expect(informer.byIndex('eggs', String(eggs)).toSorted(byName)).toEqual(expected.filter(({ spec }) => spec.eggs === eggs))
      }
      expect(world.log.lines.filter(({ level }) => level === 'error')).toEqual([])
      await informer.stop()
      await world.store.close()
    }),
    { numRuns: 60 },
  )
})

function byName(a: Nest, b: Nest): number {
  return a.metadata.name < b.metadata.name ? -1 : 1
}
