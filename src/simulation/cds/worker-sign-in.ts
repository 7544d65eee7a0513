import type { ServedRequest, ServedResponse } from '../../ports/index.ts'
import { CdsRefusal } from './cds-refusal.ts'
import { readToken, verifyToken } from './json-web-token.ts'
import type { Parts } from './parts.ts'
import { mayUseRegion } from './permissions.ts'
import type { BuiltinConsumer, Introduction, JobV1, WorkerConsumerV1, WorkerConsumerV2, WorkerV1 } from './records.ts'
import { bodyOf, type Call, json, textAt } from './route.ts'
import * as wire from './wire.ts'

const day = 24 * 3_600_000

/** A V1 worker comes with the token that its hatchery made: for a job, or only to be looked at. */
export function signInV1(parts: Parts, { request }: Call): ServedResponse {
  const { token, claims, program, capabilities } = broughtBy(request)
  const parent = parts.services.get(textAt(claims, 'hatchery_name'))
  const hatchery = parent?.service
  if (parent === undefined || hatchery === undefined) throw new CdsRefusal('notAuthenticated')
  mustBeSigned(parts, token, hatchery)
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
  if (job !== undefined && !mayRun(parent, job)) throw new CdsRefusal('notAuthenticated')
  if (job !== undefined && model !== undefined && !job.groups.includes(model.group)) throw new CdsRefusal('notAuthenticated')
  const worker = parts.workersV1.add({ name, model, modelName: asked?.name ?? '', job }, hatchery, program)
  if (registerOnly && model !== undefined) parts.models.registered(model, capabilities, program)
  return welcome(parts, { kind: 'worker v1', id: parts.chance.uuid(), worker, parent }, wire.workerV1(worker))
}

/** Whether the consumer of a hatchery may start a worker for this job. */
function mayRun({ groups, bound }: BuiltinConsumer, job: JobV1): boolean {
  if (!job.groups.some(group => groups.includes(group))) return false
  if (bound.region === undefined || bound.region === '') return true
  return job.region === undefined ? bound.ignoreJobWithNoRegion !== true : job.region === bound.region
}

/** A V2 worker comes with the token that its hatchery made, for the job that the hatchery has taken. */
export function signInV2(parts: Parts, { request, path }: Call): ServedResponse {
  const { token, claims, program } = broughtBy(request)
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
  const worker = parts.workersV2.add(name, textAt(claims, 'model_name'), job, hatchery, program)
  const parent = parts.accounts.consumerOfHatchery(hatchery)
  return welcome(parts, { kind: 'worker v2', id: parts.chance.uuid(), worker, parent }, wire.workerV2(worker))
}

function welcome(parts: Parts, consumer: WorkerConsumerV1 | WorkerConsumerV2, row: object): ServedResponse {
  return json(row, { 'x-cds-jwt': parts.accounts.open(consumer, day) })
}

interface Brought {
  readonly token: string
  /** What the token says about the worker, believed unseen: only by it is it known whose key to check the signature with. */
  readonly claims: Readonly<Record<string, unknown>>
  readonly program: WorkerV1['program']
  readonly capabilities: readonly string[]
}

/** What a worker has with it when it comes. */
function broughtBy(request: ServedRequest): Brought {
  const token = (request.headers['authorization'] ?? '').replace(/^Bearer /, '')
  if (token === '') throw new CdsRefusal('notAuthenticated')
  const body = bodyOf(request)
  const claims = readToken(token)?.content['Worker']
  if (typeof claims !== 'object' || claims === null) throw new CdsRefusal('notAuthenticated')
  return {
    token,
    claims: claims as Readonly<Record<string, unknown>>,
    program: { version: textAt(body, 'Version'), os: textAt(body, 'OS'), arch: textAt(body, 'Arch') },
    capabilities: Array.isArray(body['BinaryCapabilities']) ? body['BinaryCapabilities'].map(String) : [],
  }
}

/** The signature must be that of the key which the hatchery sent with its latest sign-in. */
function mustBeSigned(parts: Parts, token: string, { key }: Introduction): void {
  const content = key === undefined ? undefined : verifyToken(token, ['RS512'], key)
  const now = Math.floor(parts.clock.now() / 1000)
  const valid = content !== undefined && Number(content['exp'] ?? Infinity) > now && Number(content['iat'] ?? 0) <= now
  if (!valid) throw new CdsRefusal('notAuthenticated')
}
