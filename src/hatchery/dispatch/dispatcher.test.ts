import { expect, test } from 'vitest'
import { allKinds } from '../../kinds/index.ts'
import { seededChance } from '../../ports/index.ts'
import { memoryStore } from '../../store/index.ts'
import { SpawnRecords } from '../spawn/spawn-records.ts'
import { GateWorld } from '../testing/gate-world.ts'
import { Dispatcher } from './dispatcher.ts'

/** A dispatcher whose spawner only remembers what it was told to start, and whose gates break over the job `odd`. */
function dispatching() {
  const world = new GateWorld()
  const { clock, log, gates, attempts, underWay, inventory, settings } = world
  const store = memoryStore({ kinds: allKinds, clock, chance: seededChance('a dispatcher') })
  const records = new SpawnRecords({ store, hatchery: settings.name, clock, log })
  const started: string[] = []
  let breaks = true
  const dispatcher = new Dispatcher({
    hatchery: settings.name,
    cds: { v1: undefined, v2: undefined } as never,
    gates: {
      decide: (job, signal) => {
        if (job.id === 'odd' && breaks) throw new TypeError('cannot read properties of undefined')
        return gates.decide(job, signal)
      },
    },
    attempts,
    spawner: {
      spawn: async ({ job }, undertaking) => {
        using _over = undertaking
        started.push(job.id)
        return { kind: 'started', worker: `worker-of-${job.id}` }
      },
    },
    records,
    underWay,
    inventory,
    counters: { count: () => {} },
    clock,
    log,
  })
  return { world, dispatcher, started, mend: () => (breaks = false) }
}

test('a decision that breaks keeps neither other jobs nor the loop from going on, and is made again', async () => {
  const { world, dispatcher, started, mend } = dispatching()
  dispatcher.start()
  dispatcher.heard([world.v2Job('odd'), world.v2Job('plain')])
  await world.clock.advance(5_000)
  expect(started).toEqual(['plain'])
  expect(dispatcher.jobs()).toMatchObject([
    { job: { id: 'odd' }, refusal: { reason: 'NotDecided', message: expect.stringContaining('cannot read properties of undefined') } },
  ])
  expect(Array.from(dispatcher.health)).toEqual([['mainRoutine', true]])
  mend()
  await world.clock.advance(15_000)
  expect(started).toEqual(['plain', 'odd'])
  await dispatcher.stop()
})

test('a job that is told of many times at once is started once', async () => {
  const { world, dispatcher, started } = dispatching()
  dispatcher.start()
  const job = world.v2Job('plain')
  for (let times = 0; times < 5; times++) dispatcher.heard([job])
  await world.clock.advance(2_000)
  expect(started).toEqual(['plain'])
  await dispatcher.stop()
})

test.each([
  { why: 'CDS does not tell of its model', model: 'P/vcs/owner/repo/debian', fails: 'v2.model' },
  { why: 'CDS refuses to tell of its model', model: 'P/vcs/owner/repo/debian', refuses: 'v2.model P/vcs/owner/repo/debian' },
  { why: 'nobody can read the name of its model', model: 'P/vcs/owner/repo/' },
  { why: 'CDS refuses to tell of it', model: 'debian', refuses: 'v1.job 1' },
])('a job that waits because $why keeps no other waiting', async ({ model, fails = '', refuses = '' }) => {
  const { world, dispatcher, started } = dispatching()
  world.failing.add(fails)
  world.refusing.set(refuses, 500)
  dispatcher.start()
  dispatcher.heard([world.v1Job('1', [`model:${model}`]), world.v2Job('plain')])
  await world.clock.advance(5_000)
  expect(started).toEqual(['plain'])
  expect(dispatcher.jobs().map(({ job }) => job.id)).toEqual(['1'])
  await dispatcher.stop()
})

test.each([
  { what: 'does not answer', prepare: (world: GateWorld) => void world.failing.add('v2.job') },
  { what: 'is away behind a proxy', prepare: (world: GateWorld) => void world.refusing.set('v2.job 1', 502) },
])('a CDS that $what is asked for one job of many', async ({ prepare }) => {
  const { world, dispatcher } = dispatching()
  prepare(world)
  dispatcher.start()
  dispatcher.heard(['1', '2', '3'].map(id => world.v2Job(id)))
  await world.clock.advance(1_000)
  expect(world.calls).toEqual(['v2.job 1'])
  expect(dispatcher.jobs().map(({ refusal }) => refusal?.reason)).toEqual(Array(3).fill('CdsNotAnswering'))
  await dispatcher.stop()
})

test('attempts at a job count on when another hatchery had it in between', async () => {
  const { world, dispatcher } = dispatching()
  world.attempts.begin('1')
  dispatcher.start()
  dispatcher.heard([world.v2Job('1', { takenBy: 'another' })])
  await world.clock.advance(1_000)
  expect([dispatcher.jobs(), world.attempts.of('1').count]).toEqual([[], 1])
  await dispatcher.stop()
})
