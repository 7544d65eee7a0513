import { expect, test } from 'vitest'
import { isoTime } from '../../ports/index.ts'
import { Event } from '../../kinds/index.ts'
import { makeWorld, type World } from '../testing/world.ts'
import { eventExpiry } from './event-expiry.ts'

const minute = 60_000

/** An Event that is told now and says of itself that it happened so many minutes from now. */
async function tell({ store, clock }: World, name: string, minutes: number): Promise<void> {
  const lastTimestamp = isoTime(clock.now() + minutes * minute)
  const involvedObject = { apiVersion: 'v1', kind: 'Node', name: 'n' }
  await store.create(Event, { metadata: { namespace: 'default', name }, involvedObject, lastTimestamp })
}

async function isKept({ store }: World, name: string): Promise<boolean> {
  return (await store.list(Event)).items.some(({ object }) => object.metadata.name === name)
}

test.each([
  ['happened just now', 0],
  ['happened long ago, but is told of only now', -1_000],
  ['will not happen for a century', 50_000_000],
])('an event that %s is kept for an hour from when it was made', async (_, minutes) => {
  const world = await makeWorld()
  world.start(eventExpiry())
  await tell(world, 'told', minutes)
  await world.clock.advance(59 * minute)
  expect(await isKept(world, 'told')).toBe(true)
  await world.clock.advance(2 * minute)
  expect(await isKept(world, 'told')).toBe(false)
})

test('a clock that is a little ahead is believed', async () => {
  const world = await makeWorld()
  world.start(eventExpiry())
  await tell(world, 'ahead', 5)
  await world.clock.advance(64 * minute)
  expect(await isKept(world, 'ahead')).toBe(true)
  await world.clock.advance(2 * minute)
  expect(await isKept(world, 'ahead')).toBe(false)
})

test('an event that keeps happening is kept', async () => {
  const world = await makeWorld()
  world.start(eventExpiry())
  await tell(world, 'often', 0)
  await world.clock.advance(50 * minute)
  const event = await world.store.get(Event, { namespace: 'default', name: 'often' })
  await world.store.update(Event, { ...event, lastTimestamp: isoTime(world.clock.now()) })
  await world.clock.advance(59 * minute)
  expect(await isKept(world, 'often')).toBe(true)
  await world.clock.advance(2 * minute)
  expect(await isKept(world, 'often')).toBe(false)
})
