import { signedInHatchery, workerTokens } from '../hatchery.ts'
import { jsonOf, type Transcript } from '../transcript.ts'

const model = [
  'id',
  'name=',
  'type=',
  'disabled=',
  'restricted=',
  'registered_os=',
  'registered_arch=',
  'need_registration=',
  'check_registration=',
  'user_last_modified',
  'group_id',
  'group.name=',
  'nb_spawn_err=',
  'is_deprecated=',
  'registered_capabilities',
  'model_virtual_machine.image=',
  'model_virtual_machine.cmd=',
  'model_virtual_machine.user=',
]

/** V1 models: reading them, booking one to register it, failing, registering. */
export async function models(t: Transcript): Promise<void> {
  const h = await signedInHatchery(t, 'modeller', 'eu')
  const other = await signedInHatchery(t, 'rival', 'eu')
  const token = h.sessionV1
  const id = await t.subject.addModelV1('deb')
  const of = (what = '', name = 'deb', group = 'shared.infra') => `/worker/model/${group}/${name}${what === '' ? '' : `/${what}`}`

  const list = jsonOf(await t.quietly({ path: '/worker/model/enabled', token })) as { name: string }[]
  t.say(`models: ${list.map(each => each.name).join(', ')}`)
  await t.ask('a model', { path: of(), token, show: model })
  await t.ask('a model that does not exist', { path: of('', 'ghost'), token })
  await t.ask('a model of a group that does not exist', { path: of('', 'deb', 'ghosts'), token })
  await t.ask('a model by V2', { path: of(), token: h.sessionV2 })
  const secrets = jsonOf(await t.ask('its secrets', { path: of('secret'), token })) as Record<string, unknown>[]
  t.say(
    `a secret: ${Object.keys(secrets[0] ?? {})
      .toSorted()
      .join(' ')}, ${String(secrets[0]?.['name'])}`,
  )
  await t.ask('secrets of a model that does not exist', { path: of('secret', 'ghost'), token })
  await t.ask('booking', { method: 'PUT', path: of('book'), token })
  await t.ask('booking again', { method: 'PUT', path: of('book'), token })
  await t.ask('booking by another', { method: 'PUT', path: of('book'), token: other.sessionV1 })
  await t.ask('booking a model that does not exist', { method: 'PUT', path: of('book', 'ghost'), token })
  await t.ask('an error without a text', { method: 'PUT', path: of('error'), body: { Error: '', Logs: null }, token })
  await t.ask('booking after that', { method: 'PUT', path: of('book'), token })
  await t.ask('an error', { method: 'PUT', path: of('error'), body: { Error: 'no such image', Logs: null }, token })
  await t.ask('a model after an error', { path: of(), token, show: ['nb_spawn_err=', 'last_spawn_err=', 'need_registration='] })
  await t.ask('booking after an error', { method: 'PUT', path: of('book'), token })
  const worker = workerTokens(t.subject, h)
  const claims = { model: { id, name: 'deb' }, register_only: true }
  const registering = await t.ask('worker that registers', {
    method: 'POST',
    path: '/auth/consumer/worker/signin',
    body: { BinaryCapabilities: ['git', 'gpg'], Version: 'snapshot', OS: 'linux', Arch: 'amd64' },
    token: worker('register-m1', claims),
    show: ['name=', 'model_id', 'model_name=', 'job_run_id=', 'status='],
  })
  const session = registering.headers['x-cds-jwt'] ?? ''
  await t.ask('a model after its registration', { path: of(), token, show: model })
  await t.ask('the worker signs out', { method: 'POST', path: '/auth/consumer/worker/signout', token: session })
  await t.ask('booking after the registration', { method: 'PUT', path: of('book'), token })
  const job = await t.subject.startJobV1('MOD')
  await t.ask('worker of the model for a job', {
    method: 'POST',
    path: '/auth/consumer/worker/signin',
    body: { BinaryCapabilities: ['git'], Version: 'snapshot', OS: 'linux', Arch: 'amd64' },
    token: worker('model-w1', { model: { id, name: 'deb' }, job_id: job }),
    show: ['model_id', 'model_name=', 'status='],
  })
}
