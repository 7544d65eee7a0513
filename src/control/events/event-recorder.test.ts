import { describe, expect, test } from 'vitest'
import { isoTime } from '../../ports/index.ts'
import { Event, Node } from '../../kinds/index.ts'
import { StoreError } from '../../store/index.ts'
import { FlakyStore } from '../testing/flaky-store.ts'
import { makeWorld, type World } from '../testing/world.ts'
import type { EventNote } from './event-correlator.ts'
import { eventExpiry } from './event-expiry.ts'
import { EventRecorder } from './event-recorder.ts'

const note = (message: string, more: Partial<EventNote> = {}): EventNote => ({
  type: 'Normal',
  reason: 'Said',
  controller: 'test',
  message,
  ...more,
})

async function makeScene() {
  let flaky: FlakyStore | undefined
  const world = await makeWorld({ wrap: store => (flaky = new FlakyStore(store)) })
  const nest = await world.createNest('a')
  return { world, nest, flaky: flaky as unknown as FlakyStore, recorder: new EventRecorder(world) }
}

async function events({ store }: World): Promise<Event[]> {
  return (await store.list(Event)).items.map(({ object }) => object)
}

test('an event says what happened to which object, when, and who tells it', async () => {
  const { world, nest, recorder } = await makeScene()
  recorder.record(nest, note('two eggs', { type: 'Warning', reason: 'Laid' }))
  await world.settle()
  const [event] = await events(world)
  expect(event).toMatchObject({
    type: 'Warning',
    reason: 'Laid',
    message: 'two eggs',
    count: 1,
    firstTimestamp: isoTime(world.clock.now()),
    lastTimestamp: isoTime(world.clock.now()),
    source: { component: 'test' },
    involvedObject: { apiVersion: nest.apiVersion, kind: 'Nest', namespace: 'default', name: 'a', uid: nest.metadata.uid },
  })
  expect(event?.metadata.name).toMatch(/^a\.[0-9a-f]{16}$/)
})

test('an event about an object without a namespace is kept in `default`', async () => {
  const { world, recorder } = await makeScene()
  const node = await world.store.create(Node, { metadata: { name: 'n1' }, spec: {} })
  recorder.record(node, note('booted'))
  await world.settle()
  expect((await events(world))[0]?.metadata.namespace).toBe('default')
})

describe('what is said again', () => {
  test('is counted, whether it was written already or not', async () => {
    const { world, nest, recorder } = await makeScene()
    recorder.record(nest, note('cheep'))
    recorder.record(nest, note('cheep'))
    await world.settle()
    await world.clock.advance(60_000)
    recorder.record(nest, note('cheep'))
    await world.settle()
    const all = await events(world)
    expect(all).toHaveLength(1)
    expect(all[0]).toMatchObject({ count: 3, lastTimestamp: isoTime(world.clock.now()) })
    expect(all[0]?.firstTimestamp).not.toBe(all[0]?.lastTimestamp)
  })

  test('stays as short as an event may be', async () => {
    const { world, nest, recorder } = await makeScene()
    for (let time = 0; time < 2; time++) {
      recorder.record(nest, note('cheep '.repeat(500)))
      await world.settle()
      const [event] = await events(world)
      expect(event?.count).toBe(time + 1)
      expect(event?.message).toHaveLength(1_024)
    }
  })

  test('is told anew if the first event has expired, and counted on if somebody touched it', async () => {
    const { world, nest, recorder } = await makeScene()
    recorder.record(nest, note('cheep'))
    await world.settle()
    const [first] = await events(world)
    await world.store.update(Event, { ...first!, metadata: { ...first!.metadata, labels: { touched: 'yes' } } })
    recorder.record(nest, note('cheep'))
    await world.settle()
    expect(await events(world)).toMatchObject([{ count: 2, metadata: { labels: { touched: 'yes' } } }])
    await world.store.delete(Event, { namespace: 'default', name: first!.metadata.name })
    recorder.record(nest, note('cheep'))
    await world.settle()
    expect(await events(world)).toMatchObject([{ count: 1 }])
  })

  test('with other words every time is combined after ten', async () => {
    const { world, nest, recorder } = await makeScene()
    for (let n = 0; n < 20; n++) recorder.record(nest, note(`cheep ${n}`))
    await world.settle()
    const all = await events(world)
    expect(all).toHaveLength(11)
    expect(all.find(({ message }) => message?.startsWith('(combined'))).toMatchObject({
      message: '(combined from similar events): cheep 19',
      count: 10,
    })
  })

  test('is muted for an object that floods, and for no other', async () => {
    const { world, nest, recorder } = await makeScene()
    const other = await world.createNest('b')
    for (let n = 0; n < 200; n++) recorder.record(nest, note(`${n}`, { reason: `Reason${n}` }))
    recorder.record(other, note('calm'))
    await world.settle()
    const count = (all: readonly Event[], name: string) => all.filter(({ involvedObject }) => involvedObject.name === name).length
    expect(count(await events(world), 'a')).toBe(25)
    expect(count(await events(world), 'b')).toBe(1)
    await world.clock.advance(600_000)
    for (let n = 0; n < 10; n++) recorder.record(nest, note('again', { reason: `Later${n}` }))
    await world.settle()
    expect(count(await events(world), 'a')).toBe(27)
  })
})

describe('whoever tells of something', () => {
  test('is never held up and never fails, whatever the store does', async () => {
    const { world, nest, recorder, flaky } = await makeScene()
    flaky.before = operation => {
      if (operation === 'create') throw new StoreError('ServiceUnavailable', 'away')
    }
    recorder.record(nest, note('lost'))
    await world.clock.advance(120_000)
    flaky.before = () => {}
    recorder.record(nest, note('found'))
    await world.settle()
    expect((await events(world)).map(({ message }) => message)).toEqual(['found'])
    expect(await world.metrics.text()).toContain('aviary_controller_events_dropped_total 1')
  })

  test('loses nothing to a short outage', async () => {
    const { world, nest, recorder, flaky } = await makeScene()
    let failures = 2
    flaky.before = operation => {
      if (operation === 'create' && failures-- > 0) throw new StoreError('ServiceUnavailable', 'away')
    }
    recorder.record(nest, note('patient'))
    await world.clock.advance(30_000)
    expect((await events(world)).map(({ message }) => message)).toEqual(['patient'])
  })

  test.each(['create', 'update'])('is told once if only the reply to the %s was lost', async lost => {
    const { world, nest, recorder, flaky } = await makeScene()
    let failures = 2
    flaky.after = operation => {
      if (operation === lost && failures-- > 0) throw new StoreError('Timeout', 'no reply')
    }
    for (const count of [1, 2, 3]) {
      recorder.record(nest, note('cheep'))
      await world.clock.advance(30_000)
      expect(await events(world)).toMatchObject([{ message: 'cheep', count }])
    }
  })

  test('is counted with what somebody else counted meanwhile, though the reply was lost', async () => {
    const { world, nest, recorder, flaky } = await makeScene()
    recorder.record(nest, note('cheep'))
    await world.settle()
    const [first] = await events(world)
    await world.store.update(Event, { ...first!, count: 10 })
    let failures = 1
    flaky.after = operation => {
      if (operation === 'update' && failures-- > 0) throw new StoreError('Timeout', 'no reply')
    }
    recorder.record(nest, note('cheep'))
    await world.clock.advance(30_000)
    expect(await events(world)).toMatchObject([{ count: 11 }])
  })

  test('does not fill the memory while the store hangs', async () => {
    const { world, recorder, flaky } = await makeScene()
    flaky.before = () => new Promise(() => {})
    for (let n = 0; n < 2_000; n++) {
      recorder.record({ apiVersion: 'v1', kind: 'Node', metadata: { name: `n${n}`, uid: `u${n}` } }, note('x'))
    }
    await world.settle()
    expect(await world.metrics.text()).toContain('aviary_controller_events_dropped_total 1000')
  })
})

test('texts that are too long are cut, names too', async () => {
  const { world, recorder } = await makeScene()
  const nest = await world.createNest(`${'a'.repeat(235)}.${'b'.repeat(17)}`)
  recorder.record(nest, note('x'.repeat(5_000), { reason: 'R'.repeat(500) }))
  await world.settle()
  const [event] = await events(world)
  expect(event?.message).toHaveLength(1_024)
  expect(event?.reason).toHaveLength(128)
  expect(event?.metadata.name.length).toBeLessThanOrEqual(253)
})

test('stopping writes what is waiting, for a while', async () => {
  const { world, nest, recorder } = await makeScene()
  recorder.record(nest, note('last words'))
  await recorder.stop({ within: 1_000 })
  expect((await events(world)).map(({ message }) => message)).toEqual(['last words'])
  recorder.record(nest, note('too late'))
  await world.settle()
  expect(await events(world)).toHaveLength(1)
})

test('events are removed an hour after they last happened', async () => {
  const { world, nest, recorder } = await makeScene()
  world.start(eventExpiry())
  recorder.record(nest, note('once'))
  recorder.record(nest, note('twice'))
  await world.clock.advance(1_800_000)
  recorder.record(nest, note('twice'))
  await world.clock.advance(1_799_000)
  expect(await events(world)).toHaveLength(2)
  await world.clock.advance(2_000)
  expect((await events(world)).map(({ message }) => message)).toEqual(['twice'])
  await world.clock.advance(1_800_000)
  expect(await events(world)).toEqual([])
})
