import { signedInHatchery, strangers, workerTokens } from '../hatchery.ts'
import { at, jsonOf, type Transcript } from '../transcript.ts'

const form = { BinaryCapabilities: null, Version: 'snapshot', OS: 'linux', Arch: 'amd64' }
const runJob = [
  'id',
  'job_id',
  'workflow_run_id',
  'project_key=',
  'workflow_name',
  'run_number',
  'run_attempt=',
  'status=',
  'queued',
  'region=',
  'hatchery_name=',
  'worker_name=',
]

/** A V2 job from the queue to its end, and everything that is refused on the way. */
export async function jobsV2(t: Transcript): Promise<void> {
  const h = await signedInHatchery(t, 'gull', 'south')
  const other = await signedInHatchery(t, 'heron', 'south')
  const far = await signedInHatchery(t, 'ibis', 'north')
  await t.subject.addRegion('west')
  const token = h.sessionV2
  await t.ask('an empty queue', { path: '/v2/queue/south?osarch=linux/amd64', token })
  await t.ask('workers when there are none', { path: '/v2/worker', token })
  const start = () => t.subject.startJobV2({ project: 'V2A', region: 'south', image: 'debian12', flavor: 'small' })
  const id = await start()
  const of = (what = '', region = 'south', job = id) => `/v2/queue/${region}/job/${job}${what === '' ? '' : `/${what}`}`
  const ghost = '11111111-1111-4111-8111-111111111111'

  await t.ask('the queue', { path: '/v2/queue/south?osarch=linux/amd64', token })
  await t.ask('the queue of another architecture', { path: '/v2/queue/south?osarch=linux/arm64', token })
  await t.ask('the queue of another region', { path: '/v2/queue/north', token })
  await t.ask('the queue of a region that nobody was granted', { path: '/v2/queue/west', token })
  await t.ask('the queue of a region that does not exist', { path: '/v2/queue/nowhere', token })
  await t.ask('a job', {
    path: of(),
    token,
    show: [
      ...runJob.map(each => `runjob.${each}`),
      'runjob.job.runs-on.model',
      'runjob.job.runs-on.flavor=',
      'model.name=',
      'model.type=',
      'model.osarch=',
      'model.spec.image=',
    ],
  })
  await t.ask('a job that does not exist', { path: of('', 'south', ghost), token })
  await t.ask('a job whose id is nonsense', { path: of('', 'south', 'nonsense'), token })
  await t.ask('a job of another region', { path: of('', 'north'), token: far.sessionV2 })
  await t.ask('a job in a region that is not granted', { path: of('', 'north'), token })
  await t.ask('taking a job that does not exist', { method: 'POST', path: of('hatchery/take', 'south', ghost), token })
  await t.ask('taking a job of another region', { method: 'POST', path: of('hatchery/take', 'north'), token: far.sessionV2 })
  await t.ask('taking in a region that is not granted', { method: 'POST', path: of('hatchery/take', 'north'), token })
  await t.ask('taking by V1', { method: 'POST', path: of('hatchery/take'), token: h.sessionV1 })
  await t.ask('releasing what nobody took', { method: 'DELETE', path: of('hatchery/take'), token })
  const worker = workerTokens(t.subject, h)
  const claims = { model_name: 'deb', run_job_id: id }
  const signIn = { method: 'POST', path: of('worker/signin'), body: form } as const
  await t.ask('worker before the job is taken', { ...signIn, token: worker('early', claims) })
  await t.ask('taking', { method: 'POST', path: of('hatchery/take'), token, show: [...runJob, 'scheduled'] })
  await t.ask('taking again', { method: 'POST', path: of('hatchery/take'), token })
  await t.ask('taking by another', { method: 'POST', path: of('hatchery/take'), token: other.sessionV2 })
  await t.ask('the queue without it', { path: '/v2/queue/south?osarch=linux/amd64', token })
  await t.ask('a job that another has taken', { path: of(), token: other.sessionV2, show: ['runjob.status=', 'runjob.hatchery_name='] })
  await t.ask('releasing what another took', { method: 'DELETE', path: of('hatchery/take'), token: other.sessionV2 })
  const info = { level: 'info', message: 'hello', time: '2026-01-01T00:00:00Z' }
  await t.ask('a message', { method: 'POST', path: of('info'), body: info, token })
  await t.ask('a message that is no JSON', { method: 'POST', path: of('info'), body: '{nope', token })
  await t.ask('a message at a time that is none', { method: 'POST', path: of('info'), body: { ...info, time: 'noon' }, token })
  await t.ask('a message on a job that does not exist', { method: 'POST', path: of('info', 'south', ghost), body: info, token })
  await t.ask('releasing', { method: 'DELETE', path: of('hatchery/take'), token })
  await t.ask('a released job', { path: of(), token, show: ['runjob.status=', 'runjob.hatchery_name='] })
  await t.ask('taking what was released', { method: 'POST', path: of('hatchery/take'), token, show: ['status='] })

  await strangers(t, h, signIn, claims)
  await t.ask('worker of another hatchery', { ...signIn, token: workerTokens(t.subject, other)('w0', claims) })
  await t.ask('worker with a token that is over', { ...signIn, token: worker('w0', claims, 1_700_000_000) })
  await t.ask('worker for a job that does not exist', { ...signIn, token: worker('w0', { ...claims, run_job_id: ghost }) })
  await t.ask('worker for another job than that of its token', {
    ...signIn,
    path: of('worker/signin', 'south', ghost),
    token: worker('w0', claims),
  })
  await t.ask('worker in another region', { ...signIn, path: of('worker/signin', 'north'), token: worker('w0', claims) })
  await t.ask('worker in a region that does not exist', { ...signIn, path: of('worker/signin', 'nowhere'), token: worker('w0', claims) })
  await t.ask('worker without a name', { ...signIn, token: worker('', claims) })
  const signed = await t.ask('worker', {
    ...signIn,
    token: worker('v2w1', claims),
    show: ['id', 'name=', 'last_beat', 'model_name=', 'run_job_id', 'status=', 'hatchery_id', 'hatchery_name=', 'version=', 'os=', 'arch='],
  })
  const session = signed.headers['x-cds-jwt'] ?? ''
  await t.ask('the same worker again', { ...signIn, token: worker('v2w1', claims) })
  await t.ask('another worker for the same job', { ...signIn, token: worker('v2w2', claims), show: ['name=', 'status='] })
  await t.ask('workers', { path: '/v2/worker', token })
  await t.ask('workers of another hatchery', { path: '/v2/worker', token: other.sessionV2 })
  await t.ask('the hatchery takes the job as a worker', { method: 'POST', path: of('worker/take'), token })
  await t.ask('the worker takes another job', { method: 'POST', path: of('worker/take', 'south', ghost), token: session })
  await t.ask('the worker takes the job as a hatchery', { method: 'POST', path: of('hatchery/take'), token: session })
  await t.ask('the worker takes its job', {
    method: 'POST',
    path: of('worker/take'),
    token: session,
    show: ['run_job.status=', 'run_job.worker_name=', 'run_job.started'],
  })
  await t.ask('the worker takes its job again', { method: 'POST', path: of('worker/take'), token: session })
  await t.ask('the worker lives', { method: 'POST', path: of('worker/refresh'), token: session })
  await t.ask('a job that is worked on', { path: of(), token, show: ['runjob.status=', 'runjob.worker_name='] })
  await t.ask('taking a job that is worked on', { method: 'POST', path: of('hatchery/take'), token })
  await t.ask('worker for a job that is worked on', { ...signIn, token: worker('v2w3', claims) })
  await t.ask('a result of another hatchery', { method: 'POST', path: of('result'), body: { status: 'Fail' }, token: other.sessionV2 })
  await t.ask('the worker is done', { method: 'POST', path: of('result'), body: { status: 'Success' }, token: session })
  await t.ask('the worker is done again', { method: 'POST', path: of('result'), body: { status: 'Success' }, token: session })
  await t.ask('a job that is over', { path: of(), token, show: ['runjob.status=', 'runjob.hatchery_name=', 'runjob.ended'] })
  await t.ask('taking a job that is over', { method: 'POST', path: of('hatchery/take'), token })
  await t.ask('a message on a job that is over', { method: 'POST', path: of('info'), body: info, token })
  await t.ask('the worker signs out', { method: 'POST', path: of('worker/signout'), token: session })
  await t.until('the row of a worker that signed out goes', 15, { path: '/v2/worker', token }, body =>
    Array.isArray(body) ? !body.some(each => at(each, 'name') === 'v2w1') : body === null,
  )
  await t.ask('the worker lives after that', { method: 'POST', path: of('worker/refresh'), token: session })
  await t.ask('releasing a job that is over', { method: 'DELETE', path: of('hatchery/take'), token })
  await t.ask('it is back', { path: of(), token, show: ['runjob.status=', 'runjob.hatchery_name='] })

  const weary = await start()
  for (let count = 1; count <= 5; count++) {
    await t.quietly({ method: 'POST', path: of('hatchery/take', 'south', weary), token })
    await t.ask(`release number ${count}`, { method: 'DELETE', path: of('hatchery/take', 'south', weary), token })
  }
  await t.ask('a job that was given back five times', {
    path: of('', 'south', weary),
    token,
    show: ['runjob.status=', 'runjob.hatchery_name='],
  })
  await t.ask('taking it', { method: 'POST', path: of('hatchery/take', 'south', weary), token })
  const failing = await start()
  await t.quietly({ method: 'POST', path: of('hatchery/take', 'south', failing), token })
  await t.ask('the hatchery ends a job that it has taken', {
    method: 'POST',
    path: of('result', 'south', failing),
    body: { status: 'Fail', error: 'no' },
    token,
  })
  await t.ask('that job', { path: of('', 'south', failing), token, show: ['runjob.status='] })
  t.say(`V2 queue after all: ${(jsonOf(await t.quietly({ path: '/v2/queue/south', token })) as unknown[] | null)?.length ?? 0}`)
}
