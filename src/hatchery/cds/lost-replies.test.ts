import { describe, expect, test } from 'vitest'
import { seededChance } from '../../ports/index.ts'
import { CdsBench, never } from '../testing/cds-bench.ts'

const debian = { name: 'debian', type: 'vsphere', osarch: 'linux/amd64', spec: { image: 'debian12' } }

/** How a call can go wrong on its way. */
const faults = ['before', 'after', 'hang'] as const

describe.each(faults)('when the reply is lost (%s)', fault => {
  test('a booking is ours, and there is one', async () => {
    const bench = new CdsBench()
    bench.simulated.addJobV1()
    bench.simulated.faults.cutNext('book v1', fault)
    expect(await bench.outcome(bench.v1.book('1', 600, never))).toBe(true)
    expect(bench.simulated.heldJobs()).toEqual(['1'])
  })

  test('a taken job is ours', async () => {
    const bench = new CdsBench()
    const { id } = bench.simulated.addJobV2({ region: 'north', model: debian })
    bench.simulated.faults.cutNext('take v2', fault)
    expect(await bench.outcome(bench.v2.take(id, never))).toBe(true)
    expect(bench.simulated.jobV2(id)).toMatchObject({ status: 'Scheduling', hatchery: 'aviary' })
  })

  test('a booking is given back', async () => {
    const bench = new CdsBench()
    bench.simulated.addJobV1()
    await bench.outcome(bench.v1.book('1', 600, never))
    bench.simulated.faults.cutNext('release v1', fault)
    await bench.outcome(bench.v1.release('1', never))
    expect(bench.simulated.heldJobs()).toEqual([])
  })

  test('a V2 job is given back once: five times would end it', async () => {
    const bench = new CdsBench()
    const job = bench.simulated.addJobV2({ region: 'north', model: debian })
    await bench.outcome(bench.v2.take(job.id, never))
    bench.simulated.faults.cutNext('release v2', fault)
    await bench.outcome(bench.v2.release(job.id, never))
    expect(job.status).toBe('Waiting')
    expect(job.infos.filter(info => info.message.includes('stops working'))).toHaveLength(1)
  })

  test('an error of a model is not counted twice', async () => {
    const bench = new CdsBench()
    const machine = { image: 'i', flavor: '', pre_cmd: '', cmd: '', post_cmd: '', user: '', password: '' }
    const model = bench.simulated.addModelV1({ name: 'deb', machine })
    bench.simulated.faults.cutNext('model error v1', fault)
    await bench.outcome(bench.v1.modelError('shared.infra/deb', 'no', never)).catch(() => {})
    expect(model.spawnErrors).toBeLessThanOrEqual(1)
  })

  test('a message is not shown twice', async () => {
    const bench = new CdsBench()
    const one = bench.simulated.addJobV1()
    const two = bench.simulated.addJobV2({ region: 'north', model: debian })
    bench.simulated.faults.cutNext('spawn info v1', fault)
    bench.simulated.faults.cutNext('info v2', fault)
    await bench.outcome(bench.v1.spawnInfo('1', 'MsgSpawnInfoHatcheryStarts', [], never)).catch(() => {})
    await bench.outcome(bench.v2.info(two.id, 'info', 'hello', never)).catch(() => {})
    expect(one.infos.length).toBeLessThanOrEqual(1)
    expect(two.infos.length).toBeLessThanOrEqual(1)
  })

  test('a result is sent, and a list is read', async () => {
    const bench = new CdsBench()
    const job = bench.simulated.addJobV1()
    bench.simulated.faults.cutNext('queue v1', fault === 'hang' ? 'after' : fault)
    bench.simulated.faults.cutNext('result v1', fault === 'hang' ? 'after' : fault)
    expect(await bench.outcome(bench.v1.waitingJobs(never))).toHaveLength(1)
    await bench.outcome(bench.v1.fail('1', 'no', never))
    expect(job.status).toBe('Fail')
  })
})

describe('when it cannot be found out', () => {
  test('whether a job is ours, the caller is told so', async () => {
    const bench = new CdsBench()
    bench.simulated.addJobV1()
    await bench.outcome(bench.v1.signIn(never))
    bench.simulated.faults.cutNext('book v1', 'after')
    bench.simulated.listen(() => bench.simulated.setReachable(false))
    await expect(bench.outcome(bench.v1.book('1', 600, never))).rejects.toMatchObject({ code: 'UNREACHABLE' })
  })

  test('a job that another took meanwhile is not ours', async () => {
    const bench = new CdsBench()
    const job = bench.simulated.addJobV2({ region: 'north', model: debian })
    await bench.outcome(bench.v2.signIn(never))
    bench.simulated.faults.cutNext('take v2', 'after')
    bench.simulated.listen(({ what }) => {
      if (what === 'job taken') job.hatchery = 'another'
    })
    expect(await bench.outcome(bench.v2.take(job.id, never))).toBe(false)
  })

  test('a caller who gives up is obeyed', async () => {
    const bench = new CdsBench()
    const controller = new AbortController()
    const work = bench.v1.workers(controller.signal)
    work.catch(() => {})
    controller.abort('enough')
    await expect(work).rejects.toBe('enough')
  })
})

describe('whatever goes wrong on the way', () => {
  const seeds = Array.from({ length: 40 }, (_, seed) => seed)

  test.each(seeds)('what is said to be ours is ours, and what is given back is free (seed %i)', async seed => {
    const bench = new CdsBench()
    const one = String(bench.simulated.addJobV1().id)
    const two = bench.simulated.addJobV2({ region: 'north', model: debian })
    bench.simulated.faults.atRandom(seededChance(seed), { before: 0.15, after: 0.2, hang: 0.05 })
    const held = (id: string) => bench.simulated.heldJobs().includes(id)
    // Undefined: nobody could tell.
    const said = async (work: Promise<boolean>) => await bench.outcome(work, 120_000).catch(() => undefined)
    const done = async (work: Promise<void>) =>
      await bench.outcome(work, 120_000).then(
        () => true,
        () => false,
      )
    for (let round = 0; round < 3; round++) {
      const booked = await said(bench.v1.book(one, 3600, never))
      if (booked === true) expect(held(one)).toBe(true)
      const taken = await said(bench.v2.take(two.id, never))
      if (taken === true) expect(held(two.id)).toBe(true)
      if (await done(bench.v1.release(one, never))) expect(held(one)).toBe(false)
      if (await done(bench.v2.release(two.id, never))) expect(held(two.id)).toBe(false)
    }
    const releases = two.infos.filter(info => info.message.includes('stops working')).length
    expect(releases).toBeLessThanOrEqual(3)
    expect(two.status).not.toBe('Fail')
  })
})
