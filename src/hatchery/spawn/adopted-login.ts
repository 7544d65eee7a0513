import type { Vm } from '../../platform/index.ts'
import { readWorkerNote } from '../fleet/worker-note.ts'
import { modelAsCode } from '../models/choose-model.ts'
import { needsSecrets } from '../models/model-password.ts'
import { starterFromV1, starterFromV2 } from '../models/starter-models.ts'
import type { Assignment } from './assignment.ts'
import { type GuestLogin, guestLogin } from './guest-login.ts'
import type { SpawnerOptions } from './spawner-options.ts'

type LoginModel = Parameters<typeof guestLogin>[1]

/**
 * As whom programs are started in a VM that an earlier run was about to make a worker: the same one as then, which may stand in the
 * worker model only. CDS is asked for that; if it has it no longer, the configuration alone decides.
 */
export async function adoptedLogin(options: SpawnerOptions, vm: Vm, assignment: Assignment, signal: AbortSignal): Promise<GuestLogin> {
  const { workerModelPath: path = '', vmwareModelPath: image = '' } = readWorkerNote(vm) ?? {}
  const unknown = { name: path || image, path, image, user: '', password: undefined, passwordProblem: undefined }
  if (path === '') return guestLogin(options.settings, (await modelV2(options, assignment, signal)) ?? { version: 2, ...unknown })
  return guestLogin(options.settings, (await modelV1(options, path, signal)) ?? { version: 1, ...unknown })
}

async function modelV1({ models, settings }: SpawnerOptions, path: string, signal: AbortSignal): Promise<LoginModel | undefined> {
  const model = await models.v1ByPath(path)
  if (model === undefined) return undefined
  const secrets = needsSecrets(model.password) ? await models.secrets(path, signal) : undefined
  return starterFromV1(model, settings, secrets)
}

/** A V2 job brings its model along; a V1 job names it, or has the default. */
async function modelV2(options: SpawnerOptions, { version, jobId }: Assignment, signal: AbortSignal): Promise<LoginModel | undefined> {
  const { cds, models, settings } = options
  const job = await (version === 2 ? cds.v2 : cds.v1)?.job(jobId, signal)
  if (job === undefined) return undefined
  const reference = version === 1 ? modelAsCode(job, settings) : ''
  const model = reference === '' ? job.model : await models.v2(reference)
  return model === undefined ? undefined : starterFromV2(model, settings)
}
