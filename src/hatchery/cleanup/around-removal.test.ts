import { describe, expect, test } from 'vitest'
import { takenJob } from '../testing/scripted-cds.ts'
import { prepared } from './testing/prepared-cleaner.ts'

const minute = 60_000
const job = '6f1c2c52-7f3e-4c57-9b7e-0d8f6a3b1c11'

describe('the job of a VM that is gone', () => {
  test.each([
    { name: 'it runs and its worker is known', status: 'Building', worker: 'Building', takenBy: 'aviary', released: true },
    { name: 'it is taken and its worker never came', status: 'Scheduling', worker: undefined, takenBy: 'aviary', released: true },
    { name: 'it ended well', status: 'Success', worker: 'Building', takenBy: 'aviary', released: false },
    { name: 'it failed', status: 'Fail', worker: 'Building', takenBy: 'aviary', released: false },
    { name: 'it waits again already', status: 'Waiting', worker: undefined, takenBy: '', released: false },
    { name: 'another hatchery has it', status: 'Building', worker: 'Building', takenBy: 'another', released: false },
    { name: 'its worker is disabled, as one that finished', status: 'Building', worker: 'Disabled', takenBy: 'aviary', released: false },
    { name: 'it runs with a worker that is not known', status: 'Building', worker: undefined, takenBy: 'aviary', released: false },
  ])('is given back: $released, if $name', async ({ status, worker, takenBy, released }) => {
    const { bench, killAwol, isThere } = await prepared((outside, now) => {
      outside.addVm('worker', { workerStartTime: now - 500 * minute, jobId: job }, { power: 'off' })
    })
    bench.cds.jobs.set(job, takenJob(job, { status, takenBy }))
    if (worker !== undefined) bench.cds.register('worker', { status: worker, jobId: job })
    await killAwol()
    expect(isThere('worker')).toBe(false)
    expect(bench.cds.told).toEqual(released ? [`release ${job}`] : [])
  })

  test('is not given back if another VM has it, or one is being started for it', async () => {
    const { bench, run, killAwol } = await prepared((outside, now) => {
      outside.addVm('worker', { workerStartTime: now - 500 * minute, jobId: job }, { power: 'off' })
      outside.addVm('next', { workerStartTime: now, jobId: job }, { power: 'on' })
      outside.addVm('third', { workerStartTime: now - 500 * minute, jobId: job.replace('6', '7') }, { power: 'off' })
    })
    for (const id of [job, job.replace('6', '7')]) bench.cds.jobs.set(id, takenJob(id))
    const size = { cpus: 0, memoryMB: 0 }
    run.underWay.begin({ purpose: 'Job', jobId: job.replace('6', '7'), vmName: 'fourth', size, model: '' })
    await killAwol()
    expect(bench.cds.told).toEqual([])
  })

  test.each([
    { name: 'its worker is disabled', worker: 'Disabled', failing: '', released: false },
    { name: 'nobody knows its worker, because CDS did not list them', worker: undefined, failing: 'v2.workers', released: false },
    { name: 'its worker never came', worker: undefined, failing: '', released: true },
  ])('is given back when a marked VM goes: $released, if $name', async ({ worker, failing, released }) => {
    const { bench, run, killAwol, isThere } = await prepared((outside, now) => {
      outside.addVm('worker', { workerStartTime: now, jobId: job }, { power: 'on' })
    })
    bench.cds.jobs.set(job, takenJob(job))
    if (worker !== undefined) bench.cds.register('worker', { status: worker, jobId: job })
    if (failing !== '') bench.cds.failing.add(failing)
    run.underWay.doomed.add(run.fleet.ownNamed('worker')!.vm.id)
    await killAwol()
    expect([isThere('worker'), bench.cds.told]).toEqual([false, released ? [`release ${job}`] : []])
  })

  test.each([
    { name: 'it runs', status: 'Building', worker: 'Building', holder: false, released: true },
    { name: 'it ended', status: 'Success', worker: 'Building', holder: false, released: false },
    { name: 'its worker is disabled', status: 'Building', worker: 'Disabled', holder: false, released: false },
    { name: 'another VM has it', status: 'Building', worker: 'Building', holder: true, released: false },
  ])('and that nobody here removed is given back: $released, if $name', async ({ status, worker, holder, released }) => {
    const { bench, killAwol } = await prepared((outside, now) => {
      if (holder) outside.addVm('next', { workerStartTime: now, jobId: job }, { power: 'on' })
    })
    bench.cds.jobs.set(job, takenJob(job, { status }))
    bench.cds.register('vanished', { status: worker, jobId: job })
    await killAwol()
    expect(bench.cds.told).toEqual([])
    await killAwol()
    expect(bench.cds.told).toEqual(released ? [`release ${job}`] : [])
  })

  test.each([
    { name: 'its worker never came', jobId: job, status: 'Scheduling', worker: undefined, released: true },
    { name: 'it waits, booked by us', jobId: '42', status: 'Waiting', worker: undefined, released: true },
    { name: 'a worker runs it that nobody lists', jobId: job, status: 'Building', worker: undefined, released: false },
    { name: 'it ended', jobId: job, status: 'Success', worker: undefined, released: false },
    { name: 'its worker finished', jobId: job, status: 'Scheduling', worker: 'Disabled', released: false },
  ])('whose VM others removed is given back soon: $released, if $name', async ({ jobId, status, worker, released }) => {
    const { bench, run, cleaner } = await prepared((outside, now) => {
      outside.addVm('worker', { workerStartTime: now, jobId }, { power: 'on' })
    })
    cleaner.start()
    bench.cds.jobs.set(jobId, takenJob(jobId, { status, version: jobId === job ? 2 : 1 }))
    if (worker !== undefined) bench.cds.register('worker', { status: worker, jobId })
    bench.world.removeVm(run.fleet.ownNamed('worker')!.vm.id)
    await bench.clock.advance(20_000)
    expect(bench.cds.told).toEqual(released ? [`${jobId === job ? '' : 'v1.'}release ${jobId}`] : [])
    await bench.pass(10)
    expect(bench.cds.told.length).toBeLessThan(2)
    await cleaner.stop()
  })

  test('whose VM others removed is given back when CDS can be asked again', async () => {
    const { bench, run, cleaner } = await prepared((outside, now) => {
      outside.addVm('worker', { workerStartTime: now, jobId: job }, { power: 'on' })
    })
    cleaner.start()
    bench.cds.jobs.set(job, takenJob(job))
    bench.cds.failing.add('v2.workers')
    bench.world.removeVm(run.fleet.ownNamed('worker')!.vm.id)
    await bench.pass(5)
    expect(bench.cds.told).toEqual([])
    bench.cds.failing.clear()
    await bench.pass(5)
    expect(bench.cds.told).toEqual([`release ${job}`])
    await cleaner.stop()
  })

  test('of V1 that runs is left to CDS', async () => {
    const { bench, killAwol } = await prepared((outside, now) => {
      outside.addVm('worker', { workerStartTime: now - 500 * minute, jobId: '42' }, { power: 'off' })
    })
    bench.cds.jobs.set('42', takenJob('42', { version: 1, status: 'Building' }))
    bench.cds.register('worker', { version: 1, jobId: '42' })
    await killAwol()
    expect(bench.cds.told).toEqual([])
  })
})
