import { expect, test } from 'vitest'
import { prometheusMetrics } from '../../ports/index.ts'
import type { Refusal } from '../gates/verdict.ts'
import type { Job } from '../jobs/job.ts'
import { GateWorld } from '../testing/gate-world.ts'
import { QueueMetrics, type QueueMetricsOptions } from './queue-metrics.ts'

type Waiting = ReturnType<QueueMetricsOptions['jobs']>[number]

/** A queue that a test fills by hand, and what its metrics say, without what all of them say alike. */
function queue() {
  const world = new GateWorld()
  const { settings, underWay, clock } = world
  const metrics = prometheusMetrics()
  const jobs: Waiting[] = []
  const told = new QueueMetrics({ settings, underWay, clock, metrics, jobs: () => jobs })
  const waits = (job: Job, refusal?: Pick<Refusal, 'gate' | 'reason'>, isStarting = false) =>
    jobs.push({ job, refusal: refusal === undefined ? undefined : { ...refusal, message: '' }, isStarting })
  const shown = async () => {
    told.update()
    const lines = (await metrics.text()).split('\n').filter(line => line.startsWith('cds_hatchery_'))
    return lines.map(line => line.replace('service_name="aviary",service_type="hatchery",', ''))
  }
  return { world, jobs, waits, shown, minutesAgo: (minutes: number) => ({ queued: clock.now() - minutes * 60_000 }) }
}

const full = { gate: 'Capacity', reason: 'MaxWorkerReached' } as const
const noModel = { gate: 'Model', reason: 'NoModel' } as const

test('jobs that wait are counted by what holds them back, each with the age of the oldest', async () => {
  const { world, waits, shown, minutesAgo } = queue()
  waits(world.v2Job('1', minutesAgo(2)), full)
  waits(world.v2Job('2', minutesAgo(7)), full)
  waits(world.v1Job('3', [], minutesAgo(1)), noModel)
  waits(world.v2Job('4', minutesAgo(3)))
  expect(await shown()).toEqual([
    'cds_hatchery_waiting_jobs{gate="Capacity",reason="MaxWorkerReached"} 2',
    'cds_hatchery_waiting_jobs{gate="Model",reason="NoModel"} 1',
    'cds_hatchery_waiting_jobs{gate="None",reason="NotDecidedYet"} 1',
    'cds_hatchery_waiting_job_oldest_seconds{gate="Capacity",reason="MaxWorkerReached"} 420',
    'cds_hatchery_waiting_job_oldest_seconds{gate="Model",reason="NoModel"} 60',
    'cds_hatchery_waiting_job_oldest_seconds{gate="None",reason="NotDecidedYet"} 180',
  ])
})

test('a job whose worker is being started waits no longer, and what nobody waits for is not shown', async () => {
  const { world, jobs, waits, shown, minutesAgo } = queue()
  waits(world.v2Job('1', minutesAgo(2)), full)
  expect(await shown()).toHaveLength(2)
  jobs.length = 0
  waits(world.v2Job('1', minutesAgo(2)), undefined, true)
  waits(world.v2Job('2', minutesAgo(2)))
  using _taken = world.underWay.begin({ purpose: 'Job', jobId: '2', vmName: '', size: { cpus: 1, memoryMB: 1 }, model: '' })
  expect(await shown()).toEqual([])
})

test('a job of which nobody knows when it was queued has no age, and one that a clock ahead of ours queued is new', async () => {
  const { world, waits, shown, minutesAgo } = queue()
  waits(world.v2Job('1', { queued: 0 }), full)
  waits(world.v2Job('2', minutesAgo(-1)), noModel)
  expect(await shown()).toEqual([
    'cds_hatchery_waiting_jobs{gate="Capacity",reason="MaxWorkerReached"} 1',
    'cds_hatchery_waiting_jobs{gate="Model",reason="NoModel"} 1',
    'cds_hatchery_waiting_job_oldest_seconds{gate="Model",reason="NoModel"} 0',
  ])
})
