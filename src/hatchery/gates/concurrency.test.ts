import fc from 'fast-check'
import { expect, test } from 'vitest'
import { seededChance } from '../../ports/index.ts'
import type { Undertaking } from '../fleet/under-way.ts'
import { GateWorld } from '../testing/gate-world.ts'
import type { Verdict } from './verdict.ts'

const setting = fc.record({
  maxWorker: fc.integer({ min: 0, max: 12 }),
  maxConcurrentProvisioning: fc.integer({ min: 1, max: 8 }),
  maxCpus: fc.constantFrom(0, 8, 20, 40),
  maxMemoryMB: fc.constantFrom(0, 30_000, 60_000),
  free: fc.integer({ min: 0, max: 8 }),
  ready: fc.array(fc.constantFrom('', 'small', 'large'), { maxLength: 5 }),
  workers: fc.integer({ min: 0, max: 6 }),
  flavors: fc.array(fc.constantFrom('', 'small', 'medium', 'large'), { minLength: 1, maxLength: 25 }),
  /** Each job is decided on so often at a time. */
  twice: fc.boolean(),
  delays: fc.integer({ min: 0, max: 1_000 }),
  seed: fc.integer(),
})

test('however many decisions run at a time, no limit is passed, no job and no VM is taken twice, and no address is promised twice', async () => {
  await fc.assert(
    fc.asyncProperty(setting, async ({ maxWorker, maxConcurrentProvisioning, maxCpus, maxMemoryMB, free, ready, workers, ...more }) => {
      const world = new GateWorld({ settings: { maxCpus, maxMemoryMB }, provision: { maxWorker, maxConcurrentProvisioning } })
      const chance = seededChance(more.seed)
      world.addresses.free = free
      world.vm({ name: 'debian12', template: true, cpus: 3, memoryMB: 3000, power: 'off' })
      for (const [index, flavor] of ready.entries()) world.provision(`provision-v2-${index}`, 'debian12', {}, { flavor })
      for (let number = 0; number < workers; number++) {
        world.vm({ name: `w${number}`, cpus: 1, memoryMB: 1024, note: {} })
        if (chance.fraction() < 0.7) world.register(`w${number}`)
      }
      const jobs = more.flavors.map((flavor, index) => world.v2Job(`job-${index}`, { runsOn: { model: 'debian', flavor } }))
      const allocatedBefore = world.fleet.allocated()
      const decisions: Promise<Verdict>[] = []
      for (const job of more.twice ? [...jobs, ...jobs] : jobs) {
        world.delay = Math.floor(chance.fraction() * more.delays)
        decisions.push(world.decide(job))
        if (chance.fraction() < 0.3) await world.clock.advance(Math.floor(chance.fraction() * 500))
      }
      await world.clock.advance(60_000)
      const verdicts = await Promise.all(decisions)
      const begun = verdicts.flatMap((verdict): Undertaking[] => (verdict.kind === 'go' ? [verdict.undertaking] : []))

      expect(new Set(begun.map(({ jobId }) => jobId)).size).toBe(begun.length)
      const claimed = begun.flatMap(({ vmId }) => (vmId === undefined ? [] : [vmId]))
      expect(new Set(claimed).size).toBe(claimed.length)
      expect(begun.length - claimed.length).toBeLessThanOrEqual(free)
      expect(begun.length).toBeLessThanOrEqual(maxConcurrentProvisioning)
      if (maxWorker > 0) expect(begun.length).toBeLessThanOrEqual(Math.max(0, maxWorker - workers))
      const sum = (part: 'cpus' | 'memoryMB') => allocatedBefore[part] + begun.reduce((total, { size }) => total + size[part], 0)
      if (maxCpus > 0 && begun.length > 0) expect(sum('cpus')).toBeLessThanOrEqual(maxCpus)
      if (maxMemoryMB > 0 && begun.length > 0) expect(sum('memoryMB')).toBeLessThanOrEqual(maxMemoryMB)
      for (const verdict of verdicts) if (verdict.kind === 'wait') expect(verdict.refusal.message).not.toBe('')
    }),
    { numRuns: 150 },
  )
})

test('what could start is started: one more is refused only if it would pass a limit', async () => {
  const world = new GateWorld({ provision: { maxWorker: 5, maxConcurrentProvisioning: 5 } })
  const verdicts = await Promise.all(Array.from({ length: 20 }, (_, index) => world.decide(world.v2Job(`job-${index}`))))
  expect(verdicts.filter(({ kind }) => kind === 'go')).toHaveLength(5)
})

test('of several decisions on one job one begins it and the others leave it alone', async () => {
  const world = new GateWorld()
  world.v1Model()
  const job = world.v1Job('42')
  const verdicts = await Promise.all(Array.from({ length: 5 }, () => world.decide(job)))
  expect(verdicts.map(({ kind }) => kind).toSorted()).toEqual(['drop', 'drop', 'drop', 'drop', 'go'])
})
