import { describe, expect, test } from 'vitest'
import { prometheusMetrics, recordingLog, seededChance, VirtualClock } from '../../ports/index.ts'
import { allKinds, Event, Namespace, Nest } from '../../kinds/index.ts'
import { startControllers } from '../../control/index.ts'
import { memoryStore } from '../../store/index.ts'
import { nestController } from './nest-controller.ts'
import { seasonController } from './season.ts'

const pace = 10_000

async function setUp({ season = false } = {}) {
  const clock = new VirtualClock({ start: 1_800_000_000_000 })
  const chance = seededChance('demo')
  const store = memoryStore({ kinds: allKinds, clock, chance })
  await store.create(Namespace, { metadata: { name: 'default' }, spec: {} })
  const controllers = [nestController({ pace }), ...(season ? [seasonController({ pace })] : [])]
  const running = startControllers({ store, clock, chance, log: recordingLog(), metrics: prometheusMetrics(), controllers })
  const create = (name: string, spec: Partial<Nest['spec']>) => store.create(Nest, { metadata: { namespace: 'default', name }, spec })
  const nest = (name: string) => store.get(Nest, { namespace: 'default', name })
  const patch = async (name: string, spec: Partial<Nest['spec']>) => {
    const object = await nest(name)
    await store.update(Nest, { ...object, spec: { ...object.spec, ...spec } })
  }
  const ready = async (name: string) => (await nest(name)).status?.conditions?.find(({ type }) => type === 'Ready')
  return { clock, store, running, create, nest, patch, ready }
}

describe('a nest', () => {
  test('is built, brooded egg by egg, and hatched', async () => {
    const { clock, create, nest, ready } = await setUp()
    await create('robin', { eggs: 2 })
    const seen: string[] = []
    for (let seconds = 0; seconds <= 40; seconds += 5) {
      const { status } = await nest('robin')
      seen.push(`${status?.phase} ${status?.hatched}`)
      await clock.advance(5000)
    }
    expect([...new Set(seen)]).toEqual(['undefined undefined', 'Building 0', 'Brooding 0', 'Brooding 1', 'Hatched 2'])
    expect(await ready('robin')).toMatchObject({ status: 'True', reason: 'Hatched' })
  })

  test('says what it waits for, until when, and what happens then', async () => {
    const { clock, create, ready } = await setUp()
    await create('robin', { eggs: 2, material: 'down' })
    await clock.advance(1000)
    expect(await ready('robin')).toMatchObject({
      status: 'False',
      reason: 'Building',
      message: 'down is being carried in and woven',
      until: '2027-01-15T08:00:20Z',
      then: 'the eggs are laid',
    })
    await clock.advance(20_000)
    expect(await ready('robin')).toMatchObject({ reason: 'Brooding', message: 'egg 1 of 2 is being brooded' })
  })

  test('tells of each egg as an event', async () => {
    const { clock, create, store } = await setUp()
    await create('robin', { eggs: 2 })
    await clock.advance(60_000)
    const events = (await store.list(Event)).items.map(({ object }) => object.message)
    expect(events).toEqual(expect.arrayContaining(['egg 1 of 2 has hatched', 'egg 2 of 2 has hatched']))
  })

  test('that is paused waits for a person and says how to go on', async () => {
    const { clock, create, patch, nest, ready } = await setUp()
    await create('owl', { paused: true })
    await clock.advance(3_600_000)
    expect(await ready('owl')).toMatchObject({ reason: 'Paused', unblock: expect.stringContaining('kubectl patch nest owl') as string })
    await patch('owl', { paused: false })
    await clock.advance(60_000)
    expect((await nest('owl')).status?.phase).toBe('Hatched')
  })

  test('waits for the one that was in its tree first, and goes on when that one is through', async () => {
    const { clock, create, patch, nest, ready } = await setUp()
    await create('owl', { paused: true, site: 'elm' })
    await clock.advance(1000)
    await create('starling', { site: 'elm' })
    await create('tit', { site: 'oak' })
    await clock.advance(60_000)
    expect((await nest('tit')).status?.phase).toBe('Hatched')
    expect(await ready('starling')).toMatchObject({
      reason: 'TreeTaken',
      message: 'Nest/default/owl was in elm first and has not hatched yet',
      unblock: 'see what Nest/default/owl waits for, or delete it',
    })
    await patch('owl', { paused: false })
    await clock.advance(120_000)
    expect((await nest('starling')).status?.phase).toBe('Hatched')
  })

  test('with more eggs than before broods again; with fewer it is done', async () => {
    const { clock, create, patch, nest } = await setUp()
    await create('robin', { eggs: 1 })
    await clock.advance(60_000)
    await patch('robin', { eggs: 3 })
    await clock.advance(1000)
    expect((await nest('robin')).status).toMatchObject({ phase: 'Brooding', hatched: 1 })
    await clock.advance(60_000)
    expect((await nest('robin')).status).toMatchObject({ phase: 'Hatched', hatched: 3 })
    await patch('robin', { eggs: 0 })
    await clock.advance(1000)
    expect((await nest('robin')).status).toMatchObject({ phase: 'Hatched', hatched: 0 })
  })
})

describe('the demo', () => {
  test('lays out its nests, lets them fly, and begins again, but leaves other people’s nests alone', async () => {
    const { clock, create, store, nest } = await setUp({ season: true })
    await create('mine', { eggs: 1 })
    await clock.advance(1000)
    const first = await nest('robin')
    await clock.advance(600_000)
    expect((await store.list(Nest)).items.map(({ object }) => object.metadata.name)).toEqual(
      expect.arrayContaining(['mine', 'owl', 'starling']),
    )
    let again: Nest | undefined
    for (let i = 0; i < 60 && again === undefined; i++) {
      await clock.advance(10_000)
      again = await nest('robin').catch(() => undefined)
    }
    expect(again?.metadata.uid).not.toBe(first.metadata.uid)
    expect((await nest('mine')).status?.phase).toBe('Hatched')
  })
})
