import { describe, expect, test } from 'vitest'
import { CdsBench, never } from '../testing/cds-bench.ts'
import { plainSettings } from '../testing/plain-settings.ts'
import { cdsDate } from './cds-time.ts'
import { CdsAnswerNotUnderstood, CdsRefused, ModelReferenceNotValid } from './errors.ts'

const debian = { name: 'debian', type: 'vsphere', osarch: 'linux/amd64', spec: { image: 'debian12', flavor: 'small' } }
const lines = [{ status: 'OK', component: 'Workers', value: '0/10' }] as const

/** A bench that answers one path with something else than the simulated CDS would. */
function answering(path: string, ...answers: readonly { readonly status: number; readonly body?: string }[]): CdsBench {
  let call = 0
  return new CdsBench({ answer: ({ url }) => (url.pathname === path ? answers[Math.min(call++, answers.length - 1)] : undefined) })
}

describe('every call', () => {
  test('carries the headers that CDS reads, and its session except at the sign-in', async () => {
    const bench = new CdsBench({ sides: [1] })
    await bench.outcome(bench.v1.workers(never))
    const [signIn, workers] = bench.requests
    expect(workers?.headers).toMatchObject({
      'content-type': 'application/json',
      'accept-encoding': 'gzip',
      date: '1 Jan 2026 00:00:00 +0000',
      'x-cds-remotetime': '1 Jan 2026 00:00:00 +0000',
      authorization: expect.stringMatching(/^Bearer ey/),
    })
    expect(signIn?.headers).not.toHaveProperty('authorization')
    // Connections are kept: neither side needs a new one for each call.
    expect(workers?.headers).not.toHaveProperty('connection')
  })

  test.each([
    [0, '1 Jan 1970 00:00:00 +0000'],
    [1_793_846_460_000, '5 Nov 2026 02:41:00 +0000'],
  ])('writes %i as CDS wants it', (time, text) => expect(cdsDate(time)).toBe(text))

  test.each([409, 500, 502, 503])('that asks is sent again after status %i, three times in all, 250 ms apart', async status => {
    const bench = answering('/worker', { status })
    const work = bench.v1.workers(never).catch((error: unknown) => error)
    await bench.clock.advance(200)
    expect(bench.sent('/worker')).toHaveLength(1)
    await bench.clock.advance(250)
    expect(bench.sent('/worker')).toHaveLength(2)
    await bench.clock.advance(60_000)
    expect(bench.sent('/worker')).toHaveLength(3)
    expect(await work).toMatchObject({ code: CdsRefused.code, details: { status, id: 0, call: 'GET /worker' } })
  })

  test('that failed once succeeds at the second try', async () => {
    const bench = answering('/worker', { status: 503 }, { status: 200, body: '[]' })
    expect(await bench.outcome(bench.v1.workers(never))).toEqual([])
  })

  test.each([400, 403, 404, 302])('is not sent again after status %i', async status => {
    const bench = answering('/worker', { status, body: '{"id":11,"message":"forbidden","from":"no rights"}' })
    const error = await bench.outcome(bench.v1.workers(never)).catch((caught: unknown) => caught)
    expect(error).toMatchObject({ details: { status, id: 11 }, message: expect.stringContaining('forbidden: no rights') })
    expect(bench.sent('/worker')).toHaveLength(1)
  })

  test('has a deadline for all its tries together', async () => {
    const bench = new CdsBench({ answer: ({ url }) => (url.pathname === '/worker' ? new Promise(() => {}) : undefined) })
    let error: unknown
    bench.v1.workers(never).catch((caught: unknown) => (error = caught))
    await bench.clock.advance(4_900)
    expect(error).toBeUndefined()
    await bench.clock.advance(200)
    expect(error).toMatchObject({ code: 'DEADLINE_EXCEEDED' })
    expect(bench.sent('/worker')).toHaveLength(1)
  })

  test.each([
    ['a page of a proxy', { status: 200, body: '<html>' }],
    ['an object instead of a list', { status: 200, body: '{}' }],
  ])('answered with %s says so', async (_case, answer) => {
    const bench = answering('/worker', answer)
    await expect(bench.outcome(bench.v1.workers(never))).rejects.toMatchObject({ code: CdsAnswerNotUnderstood.code })
  })

  test('a session that CDS never accepts is refused, not asked for without end', async () => {
    const bench = answering('/worker', { status: 401, body: '{"id":10,"message":"not authenticated"}' })
    await expect(bench.outcome(bench.v1.workers(never))).rejects.toMatchObject({ details: { id: 10 } })
    expect(bench.sent('/worker')).toHaveLength(2)
  })
})

describe('the heartbeat', () => {
  test('tells both sides the status, line by line', async () => {
    const bench = new CdsBench()
    await bench.outcome(Promise.all([bench.v1.heartbeat(lines, never), bench.v2.heartbeat(lines, never)]))
    const line = { ...lines[0], type: 'hatchery', service: 'aviary', hostname: 'nest1' }
    expect(bench.simulated.statusOf('aviary')).toEqual({ v1: [line], v2: [line] })
    expect(JSON.parse(bench.sent('/services/heartbeat')[0]?.text() ?? '')).toHaveProperty('now', '2026-01-01T00:00:00.000000Z')
  })
})

describe('the CDN', () => {
  test('is where CDS says, or not there yet', async () => {
    const bench = new CdsBench()
    const expected = { http: 'http://cdn.simulated:8089', tcp: 'cdn.simulated:8090', tcpTls: false }
    expect(await bench.outcome(Promise.all([bench.v1.cdn(never), bench.v2.cdn(never)]))).toEqual([expected, expected])
    bench.simulated.setCdn(undefined)
    expect(await bench.outcome(Promise.all([bench.v1.cdn(never), bench.v2.cdn(never)]))).toEqual([undefined, undefined])
  })
})

describe('the V1 queue', () => {
  test('gives jobs that wait and that nobody has, oldest first, with what is asked of a worker', async () => {
    const bench = new CdsBench()
    bench.simulated.addJobV1({
      requirements: [{ name: 'git', type: 'binary', value: 'git' }],
      project: 'BIRDS',
      workflow: 'hatch',
      name: 'egg',
    })
    bench.simulated.addJobV1()
    await bench.outcome(bench.v1.book('2', 600, never))
    expect(await bench.outcome(bench.v1.waitingJobs(never))).toEqual([
      {
        version: 1,
        id: '1',
        project: 'BIRDS',
        queued: 1_767_225_600_000,
        status: 'Waiting',
        takenBy: '',
        requirements: expect.arrayContaining([{ name: 'git', type: 'binary', value: 'git' }]),
        groups: ['shared.infra'],
        model: undefined,
        runsOn: undefined,
        title: 'BIRDS/hatch#1.0 egg',
      },
    ])
    expect(await bench.outcome(bench.v1.job('2', never))).toMatchObject({ takenBy: 'aviary' })
  })

  test.each([
    [{}, '?modelType=vsphere'],
    [{ region: 'eu' }, '?modelType=vsphere&region=eu&region='],
    [{ region: 'eu', ignoreJobWithNoRegion: true }, '?modelType=vsphere&region=eu'],
  ])('asks for the jobs of its region: %j', async (more, search) => {
    const bench = new CdsBench({ settings: { provision: { ...plainSettings().provision, ...more } } })
    await bench.outcome(bench.v1.waitingJobs(never))
    expect(bench.sent('/queue/workflows')[0]?.url.search).toBe(search)
  })

  test('one odd job does not spoil the list', async () => {
    const odd = [
      null,
      7,
      {},
      { id: 'x' },
      { id: 3, status: 'Waiting' },
      { id: 4, status: 'Building' },
      { id: 5, status: 'Waiting', bookedby: { id: 9 } },
      {
        id: 6,
        status: 'Waiting',
        job: { action: { requirements: null } },
        exec_groups: null,
        queued: 'yesterday',
        bookedby: null,
        header: 1,
      },
    ]
    const bench = answering('/queue/workflows', { status: 200, body: JSON.stringify(odd) })
    const jobs = await bench.outcome(bench.v1.waitingJobs(never))
    expect(jobs.map(job => job.id)).toEqual(['3', '6'])
    expect(jobs[1]).toMatchObject({ requirements: [], groups: [], project: '', title: '' })
    expect(bench.log.lines).toContainEqual(
      expect.objectContaining({ level: 'warn', fields: { call: 'GET /queue/workflows', left_out: 4 } }),
    )
  })

  test('numbers larger than JavaScript can hold stay what they are', async () => {
    const id = '9223372036854775807'
    const body = `[{"id":${id},"status":"Waiting","project_id":9007199254740993}]`
    const bench = answering('/queue/workflows', { status: 200, body })
    expect(await bench.outcome(bench.v1.waitingJobs(never))).toMatchObject([{ id, project: '9007199254740993' }])
    await bench.outcome(bench.v1.fail(id, 'no', never))
    expect(bench.sent(`/queue/workflows/${id}/result`)[0]?.text()).toMatch(new RegExp(`^{"id":${id},"buildID":${id},`))
  })

  test('a job that is over no longer waits, and nothing that is done to it fails', async () => {
    const bench = new CdsBench()
    bench.simulated.addJobV1()
    bench.simulated.stopJob('1')
    expect((await bench.outcome(bench.v1.job('1', never)))?.status).not.toBe('Waiting')
    await bench.outcome(bench.v1.release('1', never))
    await bench.outcome(bench.v1.spawnInfo('1', 'MsgSpawnInfoHatcheryStarts', [], never))
    await bench.outcome(bench.v1.fail('1', 'no', never))
  })

  test('a job is booked for as long as asked, once', async () => {
    const bench = new CdsBench()
    const job = bench.simulated.addJobV1()
    expect(await bench.outcome(bench.v1.book('1', 600, never), 1000)).toBe(true)
    expect(job.booking?.until).toBeGreaterThan(bench.clock.now() + 598_000)
    expect(await bench.outcome(bench.v1.book('1', 600, never))).toBe(false)
  })

  test('a booking is given back, but never another’s', async () => {
    const bench = new CdsBench()
    const job = bench.simulated.addJobV1()
    await bench.outcome(bench.v1.book('1', 600, never))
    await bench.outcome(bench.v1.release('1', never))
    expect(bench.simulated.heldJobs()).toEqual([])
    if (job.booking === undefined) await bench.outcome(bench.v1.book('1', 600, never))
    Object.assign(job.booking ?? {}, { service: { name: 'another', id: 9 } })
    await bench.outcome(bench.v1.release('1', never))
    expect(bench.simulated.heldJobs()).toEqual(['1'])
  })

  test('what happens is said to whoever watches the job, in CDS’s own messages', async () => {
    const bench = new CdsBench()
    const job = bench.simulated.addJobV1()
    await bench.outcome(bench.v1.spawnInfo('1', 'MsgSpawnInfoHatcheryStarts', ['aviary', 'w', 'm'], never))
    expect(job.infos).toMatchObject([{ id: 'MsgSpawnInfoHatcheryStarts', args: ['aviary', 'w', 'm'] }])
    expect(bench.sent('/queue/workflows/1/spawn/infos')[0]?.text()).toMatch(/^\[{"api_time":"0001-01-01T00:00:00Z","remote_time":"2026-/)
  })

  test('a job that was tried too often is ended, as long as it waits', async () => {
    const bench = new CdsBench()
    const job = bench.simulated.addJobV1()
    await bench.outcome(bench.v1.fail('1', 'hatchery "aviary" failed to start worker after 5 attempts', never))
    expect(job).toMatchObject({ status: 'Fail', reason: 'hatchery "aviary" failed to start worker after 5 attempts' })
  })
})

describe('a V1 job that CDS no longer shows', () => {
  test.each([
    [403, 11],
    [404, 112],
  ])('is gone: status %i, error %i', async (status, id) => {
    const bench = new CdsBench({
      answer: ({ url }) => (url.pathname.startsWith('/queue/workflows/5/') ? { status, body: `{"id":${id}}` } : undefined),
    })
    expect(await bench.outcome(bench.v1.job('5', never))).toBeUndefined()
    expect(await bench.outcome(bench.v1.book('5', 600, never))).toBe(false)
    await bench.outcome(bench.v1.release('5', never))
    await bench.outcome(bench.v1.spawnInfo('5', 'MsgSpawnInfoHatcheryStarts', [], never))
    await bench.outcome(bench.v1.fail('5', 'no', never))
  })
})

describe('the V2 queue', () => {
  test('gives jobs without their model, and a job with it', async () => {
    const bench = new CdsBench()
    const { id } = bench.simulated.addJobV2({
      region: 'north',
      model: debian,
      project: 'BIRDS',
      workflow: 'hatch',
      name: 'egg',
      flavor: 'large',
    })
    const expected = {
      version: 2,
      id,
      project: 'BIRDS',
      status: 'Waiting',
      takenBy: '',
      runsOn: { model: 'BIRDS/forge/o/r/debian@refs/heads/master', flavor: 'large' },
      title: 'BIRDS/hatch#1 egg',
    }
    expect(await bench.outcome(bench.v2.waitingJobs(never))).toMatchObject([{ ...expected, model: undefined }])
    expect(await bench.outcome(bench.v2.job(id, never))).toMatchObject({
      ...expected,
      model: { name: 'debian', type: 'vsphere', osArch: 'linux/amd64', image: 'debian12', flavor: 'small', user: '', password: '' },
    })
  })

  test('understands runs-on as text too', async () => {
    const bench = new CdsBench()
    bench.simulated.addJobV2({ region: 'north', model: debian, runsOnAsText: true })
    expect(await bench.outcome(bench.v2.waitingJobs(never))).toMatchObject([{ runsOn: { flavor: '' } }])
  })

  test('is empty when CDS says null', async () => {
    const bench = new CdsBench()
    expect(await bench.outcome(Promise.all([bench.v2.waitingJobs(never), bench.v2.workers(never)]))).toEqual([[], []])
  })

  test('one odd job does not spoil the list', async () => {
    const odd = [null, {}, { id: 'a', status: 'Waiting' }, { id: 'b', status: 'Waiting', job: { 'runs-on': 7 }, queued: 3 }]
    const bench = answering('/v2/queue/north', { status: 200, body: JSON.stringify(odd) })
    const jobs = await bench.outcome(bench.v2.waitingJobs(never))
    expect(jobs.map(({ id, runsOn }) => [id, runsOn])).toEqual([
      ['a', undefined],
      ['b', undefined],
    ])
  })

  test('a job that is unknown is gone, and cannot be taken', async () => {
    const bench = new CdsBench()
    const id = '00000000-0000-4000-8000-000000000000'
    expect(await bench.outcome(bench.v2.job(id, never))).toBeUndefined()
    expect(await bench.outcome(bench.v2.take(id, never))).toBe(false)
    await bench.outcome(bench.v2.release(id, never))
    await bench.outcome(bench.v2.info(id, 'info', 'hello', never))
  })

  test('a job is taken by one only, and not when it is over', async () => {
    const bench = new CdsBench()
    const { id } = bench.simulated.addJobV2({ region: 'north', model: debian })
    expect(await bench.outcome(bench.v2.take(id, never))).toBe(true)
    expect(await bench.outcome(bench.v2.take(id, never))).toBe(false)
    bench.simulated.stopJob(id)
    expect(await bench.outcome(bench.v2.take(id, never))).toBe(false)
  })

  test('a job goes back into the queue while it is in our hands, and never when it is over', async () => {
    const bench = new CdsBench()
    const job = bench.simulated.addJobV2({ region: 'north', model: debian })
    await bench.outcome(bench.v2.take(job.id, never))
    await bench.outcome(bench.v2.release(job.id, never))
    expect(job.status).toBe('Waiting')
    await bench.outcome(bench.v2.take(job.id, never))
    job.status = 'Success'
    await bench.outcome(bench.v2.release(job.id, never))
    expect(job.status).toBe('Success')
  })

  test('what happens is said to whoever watches the job', async () => {
    const bench = new CdsBench()
    const job = bench.simulated.addJobV2({ region: 'north', model: debian })
    await bench.outcome(bench.v2.info(job.id, 'warning', 'a bit slow', never))
    expect(job.infos).toMatchObject([{ level: 'warning', message: 'a bit slow' }])
  })
})

describe('workers', () => {
  const v1 = { id: 'w1', name: 'one', status: 'Building', job_run_id: 12, model_name: 'deb', hatchery_name: 'aviary' }
  const v2 = { id: 'w2', name: 'two', status: 'Waiting', run_job_id: 'j2', model_name: 'debian' }

  test('are read from both sides, with the answer as it came', async () => {
    const first = answering('/worker', { status: 200, body: JSON.stringify([v1, { ...v1, job_run_id: null }, {}]) })
    expect(await first.outcome(first.v1.workers(never))).toEqual([
      { version: 1, id: 'w1', name: 'one', status: 'Building', jobId: '12', modelName: 'deb', raw: v1 },
      expect.objectContaining({ jobId: '' }),
    ])
    const second = answering('/v2/worker', { status: 200, body: JSON.stringify([v2]) })
    expect(await second.outcome(second.v2.workers(never))).toEqual([
      { version: 2, id: 'w2', name: 'two', status: 'Waiting', jobId: 'j2', modelName: 'debian', raw: v2 },
    ])
  })

  test('one that is gone counts as disabled', async () => {
    const bench = new CdsBench()
    await bench.outcome(bench.v1.disableWorker('unknown', never))
    expect(bench.sent('/worker/unknown/disable')).toHaveLength(1)
  })
})

describe('V1 models', () => {
  const machine = { image: 'debian12', flavor: 'small', pre_cmd: 'a', cmd: 'b', post_cmd: 'c', user: 'root', password: '{{.secrets.x}}' }

  test('are read with all that a hatchery needs', async () => {
    const bench = new CdsBench()
    bench.simulated.addModelV1({ name: 'deb', machine, secrets: new Map([['secrets.x', 'hidden']]) })
    const expected = {
      id: 1,
      name: 'deb',
      group: 'shared.infra',
      type: 'vsphere',
      needRegistration: true,
      userLastModified: 1_767_225_600,
      spawnErrors: 0,
      capabilities: [],
      image: 'debian12',
      flavor: 'small',
      preCmd: 'a',
      cmd: 'b',
      postCmd: 'c',
      user: 'root',
      password: '{{.secrets.x}}',
    }
    expect(await bench.outcome(bench.v1.models(never))).toMatchObject([expected])
    expect(await bench.outcome(bench.v1.model('shared.infra/deb', never))).toMatchObject(expected)
    expect(await bench.outcome(bench.v1.model('shared.infra/none', never))).toBeUndefined()
    const secrets = await bench.outcome(bench.v1.modelSecrets('shared.infra/deb', never))
    expect(Array.from(secrets, ([name, value]) => [name, value.reveal()])).toEqual([['secrets.x', 'hidden']])
  })

  test('know their programs by value and by name, and make do without a machine', async () => {
    const model = { id: 7, name: 'm', registered_capabilities: [{ name: 'go', value: '/usr/bin/go' }, null], model_virtual_machine: null }
    const bench = answering('/worker/model/enabled', { status: 200, body: JSON.stringify([model, {}]) })
    expect(await bench.outcome(bench.v1.models(never))).toMatchObject([
      { capabilities: ['/usr/bin/go', 'go'], image: '', userLastModified: 0 },
    ])
  })

  test('are registered by one at a time, and a failure is told', async () => {
    const bench = new CdsBench()
    const model = bench.simulated.addModelV1({ name: 'deb', machine })
    expect(await bench.outcome(bench.v1.bookModel('shared.infra/deb', never))).toBe(true)
    expect(await bench.outcome(bench.v1.bookModel('shared.infra/deb', never))).toBe(false)
    await bench.outcome(bench.v1.modelError('shared.infra/deb', 'it broke', never))
    expect(model).toMatchObject({ spawnErrors: 1, lastSpawnError: 'it broke' })
    expect(bench.sent('/worker/model/shared.infra/deb/error')[0]?.text()).toBe('{"Error":"it broke","Logs":null}')
  })
})

describe('a V2 model', () => {
  test.each([
    ['PROJ/github/owner/repo/debian', '/v2/project/PROJ/vcs/github/repository/owner%2Frepo/workermodel/debian', 'master'],
    ['PROJ/github/repo/debian@feature/x', '/v2/project/PROJ/vcs/github/repository/repo/workermodel/debian', 'feature/x'],
    ['PROJ/github/a/b/c/debian@', '/v2/project/PROJ/vcs/github/repository/a%2Fb%2Fc/workermodel/debian', 'master'],
  ])('%s is asked for at %s', async (reference, path, branch) => {
    const bench = new CdsBench()
    bench.simulated.addModelV2(reference.split('@')[0] ?? '', debian, branch)
    expect(await bench.outcome(bench.v2.model(reference, never))).toMatchObject({ name: 'debian', image: 'debian12' })
    expect(bench.sent(path)[0]?.url.searchParams.get('branch')).toBe(branch)
  })

  test('that does not exist is none, and a name that names none is refused', async () => {
    const bench = new CdsBench()
    expect(await bench.outcome(bench.v2.model('PROJ/github/repo/none', never))).toBeUndefined()
    for (const reference of ['debian', 'a/b/c', 'a//b/c']) {
      await expect(bench.outcome(bench.v2.model(reference, never))).rejects.toMatchObject({ code: ModelReferenceNotValid.code })
    }
  })

  test.each([
    ['decrypted, if CDS can', 'eGZ2', { status: 200, body: JSON.stringify({ ...debian, spec: { password: 'plain' } }) }, 'plain'],
    ['as it stands, if CDS cannot', 'eGZ2', { status: 500 }, 'eGZ2'],
    ['as it stands, if it is a variable', '${{ secrets.X }}', { status: 500 }, '${{ secrets.X }}'],
  ])('has its password %s', async (_case, password, answer, expected) => {
    const bench = new CdsBench({ answer: ({ url }) => (url.searchParams.get('withSecrets') === 'true' ? answer : undefined) })
    bench.simulated.addModelV2('P/v/r/debian', { ...debian, spec: { ...debian.spec, password } })
    expect(await bench.outcome(bench.v2.model('P/v/r/debian', never))).toMatchObject({ image: 'debian12', password: expected })
  })
})
