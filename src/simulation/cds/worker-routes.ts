import { CdsRefusal } from './cds-refusal.ts'
import { readToken, verifyToken } from './json-web-token.ts'
import type { Parts } from './parts.ts'
import { hatcheryV1, jobV1, jobV2, mayUpdateJobV2, mayUseRegion, workerV1, workerV2 } from './permissions.ts'
import { isOver } from './queue-v2.ts'
import type { BuiltinConsumer, JobV1, Service, StatusV2 } from './records.ts'
import { bodyOf, type Call, json, nothing, type Route, textAt } from './route.ts'
import * as wire from './wire.ts'

const day = 24 * 3_600_000

/** What a worker asks: sign in with the token that its hatchery made, take its job, say that it lives, send the result, sign out. */
export function workerRoutes(parts: Parts): readonly Route[] {
  const { queueV1, queueV2, workersV1, workersV2, clock } = parts
  return [
    {
      name: 'worker sign in v1',
      method: 'POST',
      path: '/auth/consumer/worker/signin',
      for: 'everybody',
      answer: call => signInV1(parts, call),
    },
    {
      name: 'worker sign out v1',
      method: 'POST',
      path: '/auth/consumer/worker/signout',
      for: 'v1',
      answer: call => {
        workersV1.disable(workerV1(call).worker, 'worker signed out')
        return nothing
      },
    },
    {
      name: 'worker waits v1',
      method: 'POST',
      path: '/worker/waiting',
      for: 'v1',
      answer: call => {
        workerV1(call)
        return nothing
      },
    },
    {
      name: 'worker refresh v1',
      method: 'POST',
      path: '/worker/refresh',
      for: 'v1',
      answer: call => {
        workerV1(call).worker.lastBeat = clock.now()
        return nothing
      },
    },
    {
      name: 'worker take v1',
      method: 'POST',
      path: '/queue/workflows/{job}/take',
      for: 'v1',
      scope: 'RunExecution',
      answer: call => {
        const job = jobV1(parts, call)
        const { worker } = workerV1(call)
        workersV1.take(worker, job)
        return json({ NodeJobRun: wire.jobV1(job, clock.now()), Secrets: [], Number: job.run, SubNumber: 0, ProjectKey: job.project.key })
      },
    },
    {
      name: 'result v1',
      method: 'POST',
      path: '/queue/workflows/{job}/result',
      for: 'v1',
      scope: 'RunExecution',
      answer: call => {
        const job = jobV1(parts, call)
        const body = bodyOf(call.request)
        const status = textAt(body, 'status')
        if (Number(body['buildID']) !== job.id) throw new CdsRefusal('forbidden')
        // A hatchery may only give up on a job that nobody has begun.
        if (call.caller?.consumer.kind === 'worker v1') workersV1.done(call.caller.consumer.worker)
        else if (hatcheryV1(call) && job.status !== 'Waiting') throw new CdsRefusal('forbidden')
        queueV1.end(job, status === 'Success' || status === 'Stopped' ? status : 'Fail', textAt(body, 'reason'))
        return nothing
      },
    },
    {
      name: 'worker sign in v2',
      method: 'POST',
      path: '/v2/queue/{region}/job/{job}/worker/signin',
      for: 'everybody',
      answer: call => signInV2(parts, call),
    },
    {
      name: 'worker take v2',
      method: 'POST',
      path: '/v2/queue/{region}/job/{job}/worker/take',
      for: 'signed in',
      scope: 'RunExecution',
      answer: call => {
        const { worker } = workerV2(call)
        const job = jobV2(parts, call)
        workersV2.take(worker, job)
        return json({ run_job: wire.jobV2(job), actions: null, signing_key: '', contexts: {}, sensitive_datas: [] })
      },
    },
    {
      name: 'worker refresh v2',
      method: 'POST',
      path: '/v2/queue/{region}/job/{job}/worker/refresh',
      for: 'signed in',
      scope: 'RunExecution',
      answer: call => {
        workerV2(call).worker.lastBeat = clock.now()
        return nothing
      },
    },
    {
      name: 'result v2',
      method: 'POST',
      path: '/v2/queue/{region}/job/{job}/result',
      for: 'signed in',
      scope: 'RunExecution',
      answer: call => {
        const hatchery = mayUpdateJobV2(parts, call)
        const body = bodyOf(call.request)
        const job = jobV2(parts, call)
        if (job.region !== call.path['region']) {
          throw new CdsRefusal('invalidData', `unknown job ${job.id} on region ${call.path['region']}`)
        }
        if (isOver(job.status)) throw new CdsRefusal('wrongRequest', `job ${job.name} is already in a final state ${job.status}`)
        if (job.hatchery !== hatchery.name) throw new CdsRefusal('forbidden')
        if (textAt(body, 'error') !== '') queueV2.inform(job, 'error', textAt(body, 'error'))
        queueV2.end(job, textAt(body, 'status') as StatusV2)
        return nothing
      },
    },
    {
      name: 'worker sign out v2',
      method: 'POST',
      path: '/v2/queue/{region}/job/{job}/worker/signout',
      for: 'signed in',
      scope: 'RunExecution',
      answer: call => {
        workersV2.signOut(workerV2(call).worker)
        return nothing
      },
    },
  ]
}

function signInV1(parts: Parts, { request }: Call) {
  const token = bearer(request.headers['authorization'])
  const form = formOf(bodyOf(request))
  const claims = claimsOf(token)
  const consumer = parts.services.get(textAt(claims, 'hatchery_name'))
  const service = consumer?.service
  if (consumer === undefined || service === undefined) throw new CdsRefusal('notAuthenticated')
  mustBeSigned(parts, token, service)
  const id = Number(claims['job_id'] ?? 0)
  const job = id > 0 ? parts.queueV1.find(id) : undefined
  if (id > 0 && job === undefined) throw new CdsRefusal('forbidden')
  const registerOnly = claims['register_only'] === true
  const name = textAt(claims, 'worker_model')
  const asked = claims['model'] as { readonly id?: number; readonly name?: string } | undefined
  const model = asked?.id === undefined || asked.id === 0 ? undefined : parts.models.byId(asked.id)
  const whole = name !== '' && registerOnly === (job === undefined) && (!registerOnly || model !== undefined)
  const unknownModel = asked?.id !== undefined && asked.id !== 0 && model === undefined
  if (!whole || unknownModel || parts.workersV1.isTaken(name, job?.id)) throw new CdsRefusal('notAuthenticated')
  if (job !== undefined && !mayRun(consumer, job)) throw new CdsRefusal('notAuthenticated')
  if (job !== undefined && model !== undefined && !job.groups.includes(model.group)) throw new CdsRefusal('notAuthenticated')
  const worker = parts.workersV1.add(
    { name, model, modelName: asked?.name ?? '', job, registerOnly },
    Object.assign(consumer, { service }),
    form.program,
  )
  if (registerOnly && model !== undefined) parts.models.registered(model, form.capabilities, form.program)
  const session = parts.accounts.open({ kind: 'worker v1', id: parts.chance.uuid(), worker, parent: consumer }, day)
  return json(wire.workerV1(worker), { 'x-cds-jwt': session })
}

/** Whether the consumer of a hatchery may start a worker for this job. */
function mayRun({ groups, bound }: BuiltinConsumer, job: JobV1): boolean {
  if (!job.groups.some(group => groups.includes(group))) return false
  if (bound.region === undefined || bound.region === '') return true
  return job.region === undefined ? bound.ignoreJobWithNoRegion !== true : job.region === bound.region
}

function signInV2(parts: Parts, { request, path }: Call) {
  const token = bearer(request.headers['authorization'])
  const form = formOf(bodyOf(request))
  const claims = claimsOf(token)
  const hatchery = parts.hatcheries.get(textAt(claims, 'hatchery_name'))
  if (hatchery === undefined) throw new CdsRefusal('notAuthenticated')
  mustBeSigned(parts, token, hatchery)
  const region = path['region'] ?? ''
  mayUseRegion(parts, hatchery, region)
  const job = parts.queueV2.find(textAt(claims, 'run_job_id'))
  if (job === undefined) throw new CdsRefusal('notFound')
  const fits = job.status === 'Scheduling' && job.hatchery === hatchery.name && job.id === path['job'] && job.region === region
  if (!fits) throw new CdsRefusal('forbidden')
  const name = textAt(claims, 'worker_model')
  if (name === '' || parts.workersV2.isNameTaken(name)) throw new CdsRefusal('notAuthenticated')
  const worker = parts.workersV2.add(name, textAt(claims, 'model_name'), job, hatchery, form.program)
  const parent = parts.accounts.consumerOfHatchery(hatchery)
  const session = parts.accounts.open({ kind: 'worker v2', id: parts.chance.uuid(), worker, parent }, day)
  return json(wire.workerV2(worker), { 'x-cds-jwt': session })
}

function bearer(authorization = ''): string {
  const token = authorization.replace(/^Bearer /, '')
  if (token === '') throw new CdsRefusal('notAuthenticated')
  return token
}

/** What the token says about the worker, believed unseen: only by it is it known whose key to check the signature with. */
function claimsOf(token: string): Readonly<Record<string, unknown>> {
  const worker = readToken(token)?.content['Worker']
  if (typeof worker !== 'object' || worker === null) throw new CdsRefusal('notAuthenticated')
  return worker as Readonly<Record<string, unknown>>
}

/** The signature must be that of the key which the hatchery sent with its latest sign-in. */
function mustBeSigned(parts: Parts, token: string, { key }: Pick<Service, 'key'>): void {
  const content = key === undefined ? undefined : verifyToken(token, ['RS512'], key)
  const now = Math.floor(parts.clock.now() / 1000)
  const valid = content !== undefined && Number(content['exp'] ?? Infinity) > now && Number(content['iat'] ?? 0) <= now
  if (!valid) throw new CdsRefusal('notAuthenticated')
}

function formOf(body: Readonly<Record<string, unknown>>) {
  const capabilities = Array.isArray(body['BinaryCapabilities']) ? body['BinaryCapabilities'].map(String) : []
  const program = { version: textAt(body, 'Version'), os: textAt(body, 'OS'), arch: textAt(body, 'Arch') }
  return { capabilities, program }
}
