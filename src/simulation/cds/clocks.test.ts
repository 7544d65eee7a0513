import { describe, expect, test } from 'vitest'
import { cdsBench } from './testing/cds-bench.ts'

const second = 1_000
const minute = 60 * second

describe('what the simulated CDS does by itself, by the clock', () => {
  test('a V2 job that a hatchery took and never started is queued again after ten minutes', async () => {
    const { clock, cds, take, addJobV2 } = await cdsBench()
    const job = addJobV2()
    expect(await take(job)).toBe(200)
    await clock.advance(10 * minute)
    expect(job).toMatchObject({ status: 'Scheduling', hatchery: 'h1' })
    await clock.advance(2 * minute)
    expect(job).toMatchObject({ status: 'Waiting', hatchery: '' })
    expect(cds.heldJobs()).toEqual([])
  })

  test('a V2 job that nobody takes fails after an hour', async () => {
    const { clock, addJobV2 } = await cdsBench()
    const job = addJobV2()
    await clock.advance(60 * minute)
    expect(job.status).toBe('Waiting')
    await clock.advance(2 * minute)
    expect(job.status).toBe('Fail')
    expect(job.infos.at(-1)?.message).toContain('waiting state for too long')
  })

  test('the hour counts from when a V2 job was first queued, however often it was given back', async () => {
    const { clock, addJobV2, take, release } = await cdsBench()
    const job = addJobV2()
    await clock.advance(50 * minute)
    await take(job)
    expect(await release(job)).toBe(204)
    await clock.advance(12 * minute)
    expect(job.status).toBe('Fail')
  })

  test('the fifth release fails a V2 job, and each leaves a warning', async () => {
    const { addJobV2, take, release } = await cdsBench()
    const job = addJobV2()
    for (let count = 1; count <= 5; count++) {
      expect(job.status).toBe('Waiting')
      expect([await take(job), await release(job)]).toEqual([200, 204])
    }
    expect(job.status).toBe('Fail')
    expect(job.infos.map(info => info.level)).toEqual(['warning', 'warning', 'warning', 'warning', 'warning', 'error'])
    expect(await take(job)).toBe(400)
  })

  test('the row of a V2 worker that signed out goes within ten seconds', async () => {
    const { clock, cds, addJobV2, take, signIn, call } = await cdsBench()
    const job = addJobV2()
    await take(job)
    const session = await signIn(job, 'w1')
    await call('POST', `/v2/queue/eu/job/${job.id}/worker/signout`, undefined, session)
    expect(cds.workers().map(worker => worker.status)).toEqual(['Disabled'])
    await clock.advance(10 * second)
    expect(cds.workers()).toEqual([])
  })

  test('a V2 worker that gives no sign of life is disabled after five minutes, its row goes, and its job is stopped', async () => {
    const { clock, cds, addJobV2, take, signIn, call } = await cdsBench()
    const job = addJobV2()
    await take(job)
    const session = await signIn(job, 'w1')
    await call('POST', `/v2/queue/eu/job/${job.id}/worker/take`, undefined, session)
    await clock.advance(4 * minute)
    await call('POST', `/v2/queue/eu/job/${job.id}/worker/refresh`, undefined, session)
    await clock.advance(4 * minute)
    expect(cds.workers()).toHaveLength(1)
    await clock.advance(4 * minute)
    expect(cds.workers()).toEqual([])
    expect(job.status).toBe('Stopped')
    expect(cds.wrongs().onTwoWorkers).toEqual([])
  })

  test('a V1 booking without a delay lasts two minutes', async () => {
    const { clock, cds, call, hatchery } = await cdsBench()
    const job = cds.addJobV1()
    expect((await call('POST', `/queue/workflows/${job.id}/book`, { delay: 0 }, hatchery.sessionV1)).status).toBe(200)
    expect(cds.heldJobs()).toEqual([String(job.id)])
    await clock.advance(119 * second)
    expect((await call('POST', `/queue/workflows/${job.id}/book`, { delay: 0 }, hatchery.sessionV1)).body).toMatchObject({ id: 89 })
    await clock.advance(2 * second)
    expect(cds.heldJobs()).toEqual([])
    expect((await call('DELETE', `/queue/workflows/${job.id}/book`, undefined, hatchery.sessionV1)).body).toMatchObject({ id: 135 })
  })

  test('a silent V1 worker is disabled after five minutes, its row goes, and its job fails', async () => {
    const { clock, cds, signIn, call } = await cdsBench()
    const job = cds.addJobV1()
    const session = await signIn(job, 'w1')
    await call('POST', `/queue/workflows/${job.id}/take`, undefined, session)
    await clock.advance(5 * minute)
    expect(cds.workers().map(worker => worker.status)).toEqual(['Building'])
    await clock.advance(30 * second)
    expect(cds.workers()).toEqual([])
    expect(job.status).toBe('Fail')
  })

  test('the row of a V1 worker that signed out stays until five minutes after its last sign of life', async () => {
    const { clock, cds, signIn, call } = await cdsBench()
    const session = await signIn(cds.addJobV1(), 'w1')
    await clock.advance(2 * minute)
    await call('POST', '/auth/consumer/worker/signout', undefined, session)
    await clock.advance(2 * minute)
    expect(cds.workers().map(worker => worker.status)).toEqual(['Disabled'])
    await clock.advance(2 * minute)
    expect(cds.workers()).toEqual([])
  })

  test('a session lasts an hour, and a booked model six minutes', async () => {
    const { clock, cds, call, hatchery } = await cdsBench()
    cds.addModelV1({ name: 'deb', machine: { image: 'debian12' } })
    const book = async () => (await call('PUT', '/worker/model/shared.infra/deb/book', undefined, hatchery.sessionV1)).status
    expect([await book(), await book()]).toEqual([204, 403])
    await clock.advance(6 * minute)
    expect(await book()).toBe(204)
    await clock.advance(53 * minute)
    expect((await call('GET', '/worker', undefined, hatchery.sessionV1)).status).toBe(200)
    await clock.advance(2 * minute)
    expect((await call('GET', '/worker', undefined, hatchery.sessionV1)).body).toMatchObject({ id: 10 })
  })

  test('it rests when there is nothing left to look after', async () => {
    const { clock, cds, addJobV2 } = await cdsBench()
    const job = addJobV2()
    cds.stopJob(job.id)
    expect(await clock.runUntilIdle(minute)).toBe(true)
  })
})
