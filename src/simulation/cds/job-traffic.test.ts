import { expect, test } from 'vitest'
import { seededChance, VirtualClock } from '../../ports/index.ts'
import { jobTraffic } from './job-traffic.ts'
import { SimulatedCds } from './simulated-cds.ts'
import { debian } from './testing/cds-bench.ts'

async function anHour(seed: string) {
  const clock = new VirtualClock()
  const chance = seededChance(seed)
  const cds = new SimulatedCds({ clock, chance })
  const leave = jobTraffic({
    cds,
    clock,
    chance,
    jobs: [{ v2: { region: 'eu', model: debian }, weight: 3 }, { v1: { project: 'OLD' } }],
    every: [10_000, 50_000],
    silent: 0.2,
    stopped: 0.1,
  })
  await clock.advance(3_600_000)
  leave()
  const before = cds.jobsV2().length
  await clock.advance(3_600_000)
  return { v1: cds.jobsV1(), v2: cds.jobsV2(), before }
}

test('people start jobs at the pace and in the mixture that they were told, until they leave', async () => {
  const { v1, v2, before } = await anHour('pace')
  expect(v1.length + v2.length).toBeGreaterThan(90)
  expect(v1.length + v2.length).toBeLessThan(160)
  expect(v2.length).toBeGreaterThan(2 * v1.length)
  expect(v2.length).toBe(before)
  expect(v2.some(job => job.status === 'Stopped')).toBe(true)
})

test('the same seed brings the same jobs', async () => {
  const ids = async () => (await anHour('again')).v2.map(job => [job.id, job.queued, job.status])
  expect(await ids()).toEqual(await ids())
})
