import { describe, expect, test } from 'vitest'
import { Secret, seededChance, Unreachable, VirtualClock } from '../../ports/index.ts'
import { connectToCds } from './connect.ts'
import { SimulatedCds } from './simulated-cds.ts'
import { cdsBench, debian } from './testing/cds-bench.ts'
import type { CdsEvent } from './witness.ts'

describe('faults on the way to the simulated CDS', () => {
  test('a call that never arrived has no effect', async () => {
    const { cds, addJobV2, take } = await cdsBench()
    const job = addJobV2()
    cds.faults.cutNext('take v2', 'before')
    await expect(take(job)).rejects.toMatchObject({ code: Unreachable.code, details: { sent: false } })
    expect(job.status).toBe('Waiting')
  })

  test('a call whose reply is lost has its effect', async () => {
    const { cds, addJobV2, take } = await cdsBench()
    const job = addJobV2()
    cds.faults.cutNext('take v2', 'after')
    await expect(take(job)).rejects.toMatchObject({ code: Unreachable.code, details: { sent: true } })
    expect(job).toMatchObject({ status: 'Scheduling', hatchery: 'h1' })
    expect(await take(job)).toBe(404)
  })

  test('a call that hangs meets the deadline of whoever waits', async () => {
    const { cds, addJobV2, take } = await cdsBench()
    cds.faults.cutNext('take v2', 'hang')
    await expect(take(addJobV2())).rejects.toThrow(/not done after/)
  })

  test('nobody reaches an API that is away, and its web sockets break', async () => {
    const { clock, cds, hatchery, call } = await cdsBench()
    const { webSockets } = connectToCds(cds, clock)
    const connecting = webSockets.connect({
      url: 'ws://cds.simulated/v2/hatchery/ws',
      headers: { authorization: new Secret(`Bearer ${hatchery.sessionV2}`) },
      signal: new AbortController().signal,
    })
    await clock.advance(100)
    const { messages } = await connecting
    const heard = messages[Symbol.asyncIterator]().next()
    expect(cds.webSockets()).toEqual({ v1: 0, v2: 1 })
    cds.setReachable(false)
    await expect(heard).rejects.toMatchObject({ code: Unreachable.code })
    expect(cds.webSockets()).toEqual({ v1: 0, v2: 0 })
    await expect(call('GET', '/v2/worker', undefined, hatchery.sessionV2)).rejects.toMatchObject({ code: Unreachable.code })
    cds.setReachable(true)
    expect((await call('GET', '/v2/worker', undefined, hatchery.sessionV2)).status).toBe(200)
  })

  test('faults at random come from the seed', async () => {
    const story = async () => {
      const { cds, addJobV2, take, release } = await cdsBench('story')
      cds.faults.atRandom(seededChance('faults'), { before: 0.2, after: 0.2 })
      const said: string[] = []
      for (let count = 0; count < 20; count++) {
        const job = addJobV2()
        const outcome = async (work: Promise<number>) => String(await work.catch((error: Error) => error.message))
        said.push(job.id, await outcome(take(job)), job.status, await outcome(release(job)), job.status)
      }
      return said
    }
    const first = await story()
    expect(first.some(line => line.includes('connection'))).toBe(true)
    expect(await story()).toEqual(first)
  })
})

describe('a program that is connected to the simulated CDS', () => {
  test('gets no answer once it has crashed, though what it sent arrives', async () => {
    const clock = new VirtualClock()
    const cds = new SimulatedCds({ clock, chance: seededChance(1) })
    const token = cds.addHatcheryV2({ name: 'h1', region: 'eu' })
    const events: CdsEvent[] = []
    cds.listen(event => events.push(event))
    const { http, crash } = connectToCds(cds, clock)
    let answered = false
    const body = JSON.stringify({ token, name: 'h1', type: 'vsphere' })
    const end = () => {
      answered = true
    }
    void http.send({ method: 'POST', url: 'http://cds.simulated/v2/auth/consumer/hatchery/signin', body }).then(end, end)
    crash()
    await clock.advance(60_000)
    expect(events.map(event => event.what)).toEqual(['signed in'])
    expect(answered).toBe(false)
  })
})

describe('what the simulated CDS never forgets', () => {
  test('a job on two workers at once', async () => {
    const { cds, addJobV2, take, release, signIn, call } = await cdsBench()
    const job = addJobV2()
    const begin = async (worker: string) => {
      await take(job)
      const session = await signIn(job, worker)
      return (await call('POST', `/v2/queue/eu/job/${job.id}/worker/take`, undefined, session)).status
    }
    expect(await begin('w1')).toBe(200)
    expect(cds.wrongs()).toEqual({ onTwoWorkers: [], startedAgain: [], resurrected: [], takenFromWorker: [] })
    await release(job)
    expect(await begin('w2')).toBe(200)
    expect(cds.wrongs()).toEqual({ onTwoWorkers: [job.id], startedAgain: [job.id], resurrected: [], takenFromWorker: [job.id] })
  })

  test('a job that was over and is back in the queue', async () => {
    const { cds, addJobV2, take, release, signIn, call } = await cdsBench()
    const job = addJobV2()
    await take(job)
    const session = await signIn(job, 'w1')
    await call('POST', `/v2/queue/eu/job/${job.id}/worker/take`, undefined, session)
    expect((await call('POST', `/v2/queue/eu/job/${job.id}/result`, { status: 'Success' }, session)).status).toBe(204)
    expect(await release(job)).toBe(204)
    expect(job.status).toBe('Waiting')
    expect(cds.wrongs().resurrected).toEqual([job.id])
  })

  test('who has a token that was replaced is not let in', async () => {
    const { cds, call, hatchery } = await cdsBench()
    const signIn = async (token: string | undefined) => {
      const body = { ...hatchery.bodyV2, token }
      return (await call('POST', '/v2/auth/consumer/hatchery/signin', body)).status
    }
    const { v2 } = cds.renewTokens('h1')
    expect([await signIn(hatchery.tokenV2), await signIn(v2)]).toEqual([403, 200])
    cds.endSessions()
    expect((await call('GET', '/v2/worker', undefined, hatchery.sessionV2)).status).toBe(401)
  })

  test('which calls were made how often', async () => {
    const { cds, addJobV2, take } = await cdsBench()
    await take(addJobV2())
    expect(Object.fromEntries(cds.calls())).toEqual({ 'sign in v1': 1, 'sign in v2': 1, 'take v2': 1 })
  })
})

test('a V2 model that V1 jobs name is found by project, server, repository, name and branch', async () => {
  const { cds, call, hatchery } = await cdsBench()
  cds.addModelV2('PROJ/forge/o/r/deb', debian)
  const get = async (branch: string) =>
    await call('GET', `/v2/project/PROJ/vcs/forge/repository/o%2Fr/workermodel/deb?branch=${branch}`, undefined, hatchery.sessionV2)
  expect(await get('master')).toEqual({ status: 200, body: debian })
  expect((await get('other')).body).toMatchObject({ id: 38 })
})
