import { signedInHatchery, strangers, workerTokens } from '../hatchery.ts'
import { at, jsonOf, type Transcript } from '../transcript.ts'

const job = [
  'id',
  'project_id',
  'workflow_node_run_id',
  'status=',
  'queued',
  'region=',
  'bookedby',
  'exec_groups',
  'header',
  'job.action.name',
  'job.action.requirements',
  'job.action.requirements.[].type=',
  'job.action.requirements.[].value=',
]
const form = { BinaryCapabilities: ['git', 'gpg'], Version: 'snapshot', OS: 'linux', Arch: 'amd64' }
const signIn = { method: 'POST', path: '/auth/consumer/worker/signin', body: form } as const

/** A V1 job from the queue to its end, and everything that is refused on the way. */
export async function jobsV1(t: Transcript): Promise<void> {
  const h = await signedInHatchery(t, 'firsthand', 'eu')
  const other = await signedInHatchery(t, 'otherhand', 'eu')
  const token = h.sessionV1
  const id = await t.subject.startJobV1('V1A')
  const of = (what: string) => `/queue/workflows/${id}/${what}`
  const queued = async (what: string, by = token) => {
    const list = jsonOf(await t.quietly({ path: '/queue/workflows?modelType=vsphere', token: by })) as { id: number }[]
    t.say(`${what}: ${list.some(each => each.id === id) ? 'in the queue' : 'not in the queue'}`)
  }

  await queued('a new job')
  await t.ask('a job', { path: of('infos'), token, show: job })
  for (const what of ['987654321', 'nonsense', '-1']) await t.ask(`job ${what}`, { path: `/queue/workflows/${what}/infos`, token })
  await t.ask('booking a job that does not exist', { method: 'POST', path: '/queue/workflows/987654321/book', body: { delay: 60 }, token })
  await t.ask('releasing a job that does not exist', { method: 'DELETE', path: '/queue/workflows/987654321/book', token })
  await t.ask('a message on a job that does not exist', { method: 'POST', path: '/queue/workflows/987654321/spawn/infos', body: [], token })
  await t.ask('a result for a job that does not exist', {
    method: 'POST',
    path: '/queue/workflows/987654321/result',
    body: { id: 987654321, buildID: 987654321, status: 'Fail' },
    token,
  })
  await t.ask('releasing a job that is not booked', { method: 'DELETE', path: of('book'), token })
  await t.ask('booking with a body that is no JSON', { method: 'POST', path: of('book'), body: '{nope', token })
  await t.ask('booking by V2', { method: 'POST', path: of('book'), body: { delay: 60 }, token: h.sessionV2 })
  await t.ask('booking', {
    method: 'POST',
    path: of('book'),
    body: { delay: 60 },
    token,
    show: ['project_key=', 'workflow_name', 'workflow_id', 'run_id', 'node_run_name', 'node_run_id', 'job_name'],
  })
  await t.ask('booking again', { method: 'POST', path: of('book'), body: { delay: 60 }, token })
  await t.ask('booking by another', { method: 'POST', path: of('book'), body: { delay: 60 }, token: other.sessionV1 })
  await t.ask('a booked job', { path: of('infos'), token, show: ['status=', 'bookedby.name=', 'bookedby.id'] })
  await queued('a booked job')
  await t.ask('releasing', { method: 'DELETE', path: of('book'), token })
  await queued('a released job')
  await t.ask('booking for a second', { method: 'POST', path: of('book'), body: { delay: 1 }, token, show: ['job_name'] })
  await t.until('the booking runs out', 5, { path: of('infos'), token }, body => at(body, 'bookedby.name') === undefined)
  await t.ask('releasing what ran out', { method: 'DELETE', path: of('book'), token })
  await t.ask('booking what ran out by another', {
    method: 'POST',
    path: of('book'),
    body: { delay: 0 },
    token: other.sessionV1,
    show: ['job_name'],
  })
  await t.ask('releasing what another booked', { method: 'DELETE', path: of('book'), token })
  await t.ask('booking without a delay', { method: 'POST', path: of('book'), body: {}, token, show: ['job_name'] })
  const info = { remote_time: '2026-01-01T00:00:00Z', message: { id: 'MsgSpawnInfoHatcheryStarts', args: ['h', 'w', 'm'] } }
  await t.ask('a message', { method: 'POST', path: of('spawn/infos'), body: [info], token })
  await t.ask('a message that is no list', { method: 'POST', path: of('spawn/infos'), body: info, token })

  const worker = workerTokens(t.subject, h)
  const claims = { model: {}, job_id: id }
  await strangers(t, h, signIn, claims)
  await t.ask('worker with a token that is over', { ...signIn, token: worker('w0', claims, 1_700_000_000) })
  await t.ask('worker for a job that does not exist', { ...signIn, token: worker('w0', { model: {}, job_id: 987654321 }) })
  await t.ask('worker without a job', { ...signIn, token: worker('w0', { model: {} }) })
  await t.ask('worker without a name', { ...signIn, token: worker('', claims) })
  await t.ask('worker that registers without a model', { ...signIn, token: worker('w0', { model: {}, register_only: true }) })
  await t.ask('worker that registers with a job', { ...signIn, token: worker('w0', { ...claims, register_only: true }) })
  await t.ask('worker of a model that does not exist', { ...signIn, token: worker('w0', { model: { id: 987654, name: 'm' }, job_id: id }) })
  const signed = await t.ask('worker', {
    ...signIn,
    token: worker('w1', claims),
    show: [
      'id',
      'name=',
      'lastbeat',
      'model_id=',
      'model_name=',
      'job_run_id',
      'status=',
      'hatchery_id',
      'hatchery_name=',
      'version=',
      'os=',
      'arch=',
    ],
  })
  const session = signed.headers['x-cds-jwt'] ?? ''
  await t.ask('the same worker again', { ...signIn, token: worker('w1', claims) })
  await t.ask('another worker for the same job', { ...signIn, token: worker('w2', claims), show: ['name=', 'status='] })
  await t.ask('workers', { path: '/worker', token })
  await t.ask('workers of another hatchery', { path: '/worker', token: other.sessionV1 })
  await t.ask('the worker asks for workers', { path: '/worker', token: session })
  await t.ask('the worker waits', { method: 'POST', path: '/worker/waiting', token: session })
  await t.ask('the hatchery takes the job itself', { method: 'POST', path: of('take'), token })
  const second = await t.subject.startJobV1('V1A')
  await t.ask('the worker takes another job', { method: 'POST', path: `/queue/workflows/${second}/take`, token: session })
  await t.ask('the worker takes its job', {
    method: 'POST',
    path: of('take'),
    token: session,
    show: ['NodeJobRun.id', 'NodeJobRun.status=', 'ProjectKey='],
  })
  await t.ask('the worker takes its job again', { method: 'POST', path: of('take'), token: session })
  await t.ask('a job that is worked on', { path: of('infos'), token, show: ['status='] })
  await queued('a job that is worked on')
  await t.ask('the worker lives', { method: 'POST', path: '/worker/refresh', token: session })
  await t.ask('the hatchery lives as a worker', { method: 'POST', path: '/worker/refresh', token })
  await t.ask('the hatchery gives up on a job that is worked on', {
    method: 'POST',
    path: of('result'),
    body: { id, buildID: id, status: 'Fail', reason: 'tired' },
    token,
  })
  await t.ask('the worker is done', { method: 'POST', path: of('result'), body: { buildID: id, status: 'Success' }, token: session })
  await t.ask('the worker is done again', { method: 'POST', path: of('result'), body: { buildID: id, status: 'Success' }, token: session })
  await t.ask('a job that is over, at once', { path: of('infos'), token, show: ['status='] })
  await t.ask('booking it, at once', { method: 'POST', path: of('book'), body: { delay: 1 }, token })
  await t.until('a job that is over vanishes', 15, { path: of('infos'), token }, (_, status) => status === 403)
  await t.ask('booking a job that is over', { method: 'POST', path: of('book'), body: { delay: 1 }, token })
  await t.ask('releasing a job that is over', { method: 'DELETE', path: of('book'), token })
  await t.ask('a message on a job that is over', { method: 'POST', path: of('spawn/infos'), body: [info], token })
  await t.ask('the worker signs out', { method: 'POST', path: '/auth/consumer/worker/signout', token: session })
  await t.ask('the worker lives after that', { method: 'POST', path: '/worker/refresh', token: session })
  const list = jsonOf(await t.quietly({ path: '/worker', token })) as { id: string; name: string; status: string }[]
  t.say(`workers: ${list.map(each => `${each.name} ${each.status}`).join(', ')}`)

  await t.ask('disabling a worker that does not exist', {
    method: 'POST',
    path: '/worker/11111111-1111-4111-8111-111111111111/disable',
    token,
  })
  const w3 = await t.ask('worker of the second job', { ...signIn, token: worker('w3', { model: {}, job_id: second }), show: ['status='] })
  const idle = String(at(jsonOf(w3), 'id'))
  await t.ask('disabling a worker of another', { method: 'POST', path: `/worker/${idle}/disable`, token: other.sessionV1 })
  await t.ask('disabling a worker', { method: 'POST', path: `/worker/${idle}/disable`, token })
  await t.ask('disabling it again', { method: 'POST', path: `/worker/${idle}/disable`, token })
  await t.ask('the job that it never took', { path: `/queue/workflows/${second}/infos`, token, show: ['status='] })
  await t.ask('another worker for that job', { ...signIn, token: worker('w5', { model: {}, job_id: second }), show: ['status='] })

  const third = await t.subject.startJobV1('V1A')
  const w4 = await t.ask('worker of the third job', { ...signIn, token: worker('w4', { model: {}, job_id: third }), show: ['status='] })
  const w4Session = w4.headers['x-cds-jwt'] ?? ''
  await t.ask('it takes the job without any booking', {
    method: 'POST',
    path: `/queue/workflows/${third}/take`,
    token: w4Session,
    show: ['NodeJobRun.status='],
  })
  await t.ask('it is disabled', { method: 'POST', path: `/worker/${String(at(jsonOf(w4), 'id'))}/disable`, token })
  await t.ask('its job', { path: `/queue/workflows/${third}/infos`, token, show: ['status='] })
  await t.ask('the hatchery gives up on the second job', {
    method: 'POST',
    path: `/queue/workflows/${second}/result`,
    body: { id: second, buildID: second, status: 'Fail', remoteTime: '2026-01-01T00:00:00Z', reason: 'hatchery "firsthand" failed' },
    token,
  })
  await t.ask('the second job', { path: `/queue/workflows/${second}/infos`, token, show: ['status='] })
}
