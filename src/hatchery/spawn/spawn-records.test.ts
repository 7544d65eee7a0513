import { expect, test } from 'vitest'
import { FlakyStore } from '../../control/testing/flaky-store.ts'
import { allKinds, Spawn } from '../../kinds/index.ts'
import { seededChance, silentLog, VirtualClock } from '../../ports/index.ts'
import { memoryStore, StoreError } from '../../store/index.ts'
import { SpawnRecords } from './spawn-records.ts'

const never = new AbortController().signal
const spec = { purpose: 'Job' as const, job: '1', version: 2 }
const why = { reason: 'Waits', message: 'it waits' }

function setUp() {
  const clock = new VirtualClock()
  const store = memoryStore({ kinds: allKinds, clock, chance: seededChance(1) })
  const unsteady = new FlakyStore(store)
  const failNext = (call: 'create' | 'update' | 'delete', when: 'before' | 'after') => {
    unsteady[when] = operation => {
      if (operation !== call) return
      unsteady[when] = () => {}
      throw new StoreError('ServiceUnavailable', 'no answer')
    }
  }
  const records = (hatchery = 'hv1') => new SpawnRecords({ store: unsteady, hatchery, clock, log: silentLog })
  const stored = async () => (await store.list(Spawn)).items.map(({ object }) => object)
  return { clock, store, unsteady, failNext, records, stored }
}

test('a record is durable when it is written, is read by the next run, and is written only if something changes', async () => {
  const { records, stored } = setUp()
  const first = records()
  await first.write('job-1', spec, { phase: 'Waiting', why })
  const [before] = await stored()
  await first.write('job-1', spec, { phase: 'Waiting', why })
  expect(await stored()).toEqual([before])
  const second = records()
  await second.load(never)
  expect(second.ofJob('1')).toEqual(before)
})

test.each(['a,b', 'a=b', 'a\\b', 'spec.purpose!=Job,', 'plain'])(
  'a hatchery may be named %j, and finds its records, and no others',
  async name => {
    const { records } = setUp()
    await records(name).write('job-1', spec, { phase: 'Waiting', why })
    await records('a').write('job-2', spec, { phase: 'Waiting', why })
    const next = records(name)
    await next.load(never)
    expect(Array.from(next.all(), spawn => next.nameOf(spawn))).toEqual(['job-1'])
  },
)

test('what was written and is not named stays; what is undefined goes', async () => {
  const { records } = setUp()
  const first = records()
  await first.write('job-1', spec, { phase: 'Cloning', vm: 'a', address: '10.0.0.1', why })
  await first.write('job-1', spec, { phase: 'Waiting', address: undefined })
  expect(first.ofJob('1')?.status).toMatchObject({ phase: 'Waiting', vm: 'a' })
  expect(first.ofJob('1')?.status).not.toHaveProperty('address')
})

test('a record that was made and never written to goes at the next start', async () => {
  const { store, records, stored } = setUp()
  await store.create(Spawn, { metadata: { name: 'job-1' }, spec: { ...spec, hatchery: 'hv1' } })
  const next = records()
  await next.load(never)
  expect(await stored()).toEqual([])
})

test('a record that a person removed is made again if it is still needed', async () => {
  const { store, records, stored } = setUp()
  const first = records()
  await first.write('job-1', spec, { phase: 'Waiting', why })
  await store.delete(Spawn, { name: 'job-1' })
  await first.write('job-1', spec, { phase: 'Taking' })
  expect((await stored())[0]?.status?.phase).toBe('Taking')
})

test('two hatcheries that share a store each have a record of one job, and see only their own', async () => {
  const { records, stored } = setUp()
  const [one, other] = [records('hv1'), records('hv2')]
  await one.write('job-1', spec, { phase: 'Waiting', why })
  await other.write('job-1', spec, { phase: 'Taking', why })
  expect((await stored()).map(({ metadata }) => metadata.name)).toEqual(['job-1', 'job-1.hv2'])
  const again = records('hv2')
  await again.load(never)
  expect(again.ofJob('1')?.status?.phase).toBe('Taking')
  await again.remove('job-1')
  expect((await stored()).map(({ spec: { hatchery } }) => hatchery)).toEqual(['hv1'])
})

test.each(['before', 'after'] as const)(
  'a record whose removal was not answered is forgotten at once and deleted from the store later: %s it was done',
  async when => {
    const { clock, failNext, records, stored } = setUp()
    const first = records()
    await first.load(never)
    await first.write('job-1', spec, { phase: 'Launching', why })
    failNext('delete', when)
    await first.remove('job-1')
    expect([first.ofJob('1'), Array.from(first.all())]).toEqual([undefined, []])
    failNext('delete', 'before')
    await clock.advance(60_000)
    expect([await stored(), first.ofJob('1')]).toEqual([[], undefined])
  },
)

test.each(['create', 'update'] as const)(
  'a record that was made, but not all of it answered, goes if nobody writes it again: %s',
  async call => {
    const { clock, failNext, records, stored } = setUp()
    const first = records()
    await first.load(never)
    failNext(call, 'after')
    await expect(first.write('job-1', spec, { phase: 'Taking', why })).rejects.toThrow('no answer')
    expect(await stored()).toHaveLength(1)
    await clock.advance(60_000)
    expect(await stored()).toEqual([])
  },
)

test('a record that was written before stays as it was if no answer comes', async () => {
  const { clock, failNext, records, stored } = setUp()
  const first = records()
  await first.load(never)
  await first.write('job-1', spec, { phase: 'Waiting', why })
  failNext('update', 'before')
  await expect(first.write('job-1', spec, { phase: 'Taking' })).rejects.toThrow('no answer')
  await clock.advance(60_000)
  expect((await stored())[0]?.status?.phase).toBe('Waiting')
})

test('a record in doubt that is written again stays', async () => {
  const { clock, failNext, records, stored } = setUp()
  const first = records()
  await first.load(never)
  failNext('create', 'after')
  await expect(first.write('job-1', spec, { phase: 'Taking', why })).rejects.toThrow('no answer')
  await first.write('job-1', spec, { phase: 'Waiting', why })
  await clock.advance(60_000)
  expect((await stored())[0]?.status?.phase).toBe('Waiting')
})

test('a store that is away is not asked more often the more writes it has refused', async () => {
  const { clock, unsteady, records } = setUp()
  const first = records()
  await first.load(never)
  let looks = 0
  unsteady.before = operation => {
    if (operation === 'get') looks++
    throw new StoreError('ServiceUnavailable', 'no answer')
  }
  for (let writes = 0; writes < 50; writes++) {
    await expect(first.write('job-1', spec, { phase: 'Waiting', why })).rejects.toThrow('no answer')
  }
  await clock.advance(60_000)
  expect(looks).toBe(12)
})

test('a record in doubt is never that of another hatchery, and is left alone when the hatchery stops', async () => {
  const { clock, failNext, records, stored } = setUp()
  const [one, other] = [records('hv1'), records('hv2')]
  const stop = new AbortController()
  await one.load(never)
  await other.load(stop.signal)
  await one.write('job-1', spec, { phase: 'Waiting', why })
  await other.write('job-1', spec, { phase: 'Waiting', why })
  failNext('delete', 'before')
  await other.remove('job-1')
  stop.abort()
  await clock.advance(60_000)
  expect(await stored()).toHaveLength(2)
  const again = records('hv2')
  await again.load(never)
  failNext('delete', 'before')
  await again.remove('job-1')
  await clock.advance(60_000)
  expect((await stored()).map(({ spec: { hatchery } }) => hatchery)).toEqual(['hv1'])
})

test('writes of one record come one after another, whoever asks for them', async () => {
  const { records, stored } = setUp()
  const first = records()
  await Promise.all([
    first.write('job-1', spec, { phase: 'Taking', why }),
    first.write('job-1', spec, { phase: 'Cloning' }),
    first.write('job-1', spec, { phase: 'Booting', vm: 'x' }),
  ])
  expect((await stored())[0]?.status).toMatchObject({ phase: 'Booting', vm: 'x' })
})
