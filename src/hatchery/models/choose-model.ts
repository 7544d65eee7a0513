import type { V1Model } from '../cds/cds.ts'
import { ModelReferenceNotValid } from '../cds/errors.ts'
import type { Fleet } from '../fleet/fleet.ts'
import type { UnderWay } from '../fleet/under-way.ts'
import type { Job } from '../jobs/job.ts'
import { needsRegistration } from '../registration/need-registration.ts'
import type { RegistrationWait, RegistrationWaits } from '../registration/registration-waits.ts'
import type { HatcherySettings } from '../settings.ts'
import type { Refusal } from '../gates/verdict.ts'
import { defaultModelV2 } from './default-model.ts'
import type { ModelBook } from './model-book.ts'
import { hasTooManyErrors, howToForgetErrors } from './spawn-errors.ts'
import type { StarterModel } from './starter-model.ts'
import { isModelNamed, modelPath, modelTitle, modelType, starterFromV1, starterFromV2 } from './starter-models.ts'

/** What a choice is made from. */
export interface ModelChoosing {
  readonly settings: Pick<HatcherySettings, 'defaultModelsV2' | 'defaultFlavor'>
  readonly book: ModelBook
  readonly fleet: Fleet
  readonly underWay: UnderWay
  /** Why models that must be registered are not. */
  readonly registrations: Pick<RegistrationWaits, 'of'>
  /** Whether a worker could be started from a model; why not, if not. */
  readonly canSpawn: (model: StarterModel) => Refusal | undefined
}

/** The model for a job, or why there is none. */
export type ModelChoice =
  /** `v1` is the model as CDS keeps it, for its secrets. */
  | { readonly kind: 'chosen'; readonly model: StarterModel; readonly v1: V1Model | undefined }
  | { readonly kind: 'none'; readonly refusal: Refusal }

/** A V1 job names a model as code by project, VCS, repository and name, which makes at least so many parts. */
const fewestParts = 5

/** The model for a V1 job: the one as code that it names, the default for its binaries, or the first V1 model that suits. */
export async function chooseModelV1(job: Job, choosing: ModelChoosing): Promise<ModelChoice> {
  const { book, settings } = choosing
  const wanted = modelWanted(job)
  const reference = modelAsCode(job, settings)
  if (reference !== '' && book.knowsV2) return await fromReference(reference, job, choosing)
  if (reference === '' || reference !== wanted) return await fromV1Models(job, wanted, choosing)
  const unblock = 'set commonConfiguration.api.tokenV2, or name a V1 model'
  return none('NoV2Token', `the job wants model ${wanted}, and this hatchery has no token for V2, so that it cannot be read`, unblock)
}

/** The model as code that a V1 job names, or the default one for its binaries if it names none; empty if neither. */
export function modelAsCode(job: Job, { defaultModelsV2 }: Pick<HatcherySettings, 'defaultModelsV2'>): string {
  const wanted = modelWanted(job)
  if (wanted === '') return defaultModelV2(defaultModelsV2, job.requirements)
  return wanted.split('/').length >= fewestParts ? wanted : ''
}

/** The model that a V1 job names, whichever sort it is; empty if it names none. */
function modelWanted({ requirements }: Job): string {
  return requirements.find(({ type }) => type === 'model')?.value.split(' ')[0] ?? ''
}

/** The model for a V2 job: CDS sends it along. */
export function modelOfV2Job(job: Job, { defaultFlavor }: Pick<HatcherySettings, 'defaultFlavor'>): ModelChoice {
  const { model, runsOn } = job
  if ((runsOn?.model ?? '') === '') return none('NoModel', 'the job names no worker model', 'write the model into runs-on of the job')
  if (model === undefined) return none('ModelNotFound', `CDS does not say what model "${runsOn?.model}" is`, 'check runs-on of the job')
  if (model.type !== modelType) return wrongType(model.name, model.type)
  if (model.image === '') return none('ModelNotValid', `worker model ${model.name} names no image`, 'set spec.image of the model')
  return { kind: 'chosen', model: starterFromV2(model, { runsOnFlavor: runsOn?.flavor ?? '', defaultFlavor }), v1: undefined }
}

async function fromReference(reference: string, { requirements }: Job, choosing: ModelChoosing): Promise<ModelChoice> {
  const { book, settings, canSpawn } = choosing
  const found = await book.v2(reference).catch((error: unknown) => {
    if (!ModelReferenceNotValid.is(error)) throw error
    return error
  })
  if (found instanceof Error) return none('ModelNotFound', found.message, found.fix ?? '')
  if (found === undefined) return none('ModelNotFound', `CDS has no worker model ${reference}`, 'check its name, repository and branch')
  if (found.type !== modelType) return wrongType(reference, found.type)
  if (found.image === '') return none('ModelNotValid', `worker model ${reference} names no image`, 'set spec.image of the model')
  const model = starterFromV2(found, { requirements, defaultFlavor: settings.defaultFlavor })
  const refusal = canSpawn(model)
  return refusal === undefined ? { kind: 'chosen', model, v1: undefined } : { kind: 'none', refusal }
}

async function fromV1Models(job: Job, wanted: string, choosing: ModelChoosing): Promise<ModelChoice> {
  const { book, settings, canSpawn } = choosing
  const models = (await book.v1()).filter(({ type, disabled }) => type === modelType && !disabled)
  const named = wanted === '' ? models : models.filter(model => isModelNamed(model, wanted))
  const obstacles: Obstacle[] = []
  let refused: Refusal | undefined
  for (const v1 of named) {
    const obstacle = obstacleOf(v1, job, wanted !== '', choosing)
    if (obstacle !== undefined) {
      obstacles.push({ ...obstacle, why: `${modelTitle(v1)}: ${obstacle.why}` })
      continue
    }
    const model = starterFromV1(v1, { requirements: job.requirements, defaultFlavor: settings.defaultFlavor })
    const refusal = canSpawn(model)
    if (refusal === undefined) return { kind: 'chosen', model, v1 }
    refused ??= refusal
  }
  if (refused !== undefined) return { kind: 'none', refusal: refused }
  const what = wanted === '' ? `none of ${models.length} worker models suits the job` : `no worker model "${wanted}" suits the job`
  const v2 = settings.defaultModelsV2.length > 0 && !book.knowsV2 ? '; default models as code need tokenV2' : ''
  const unblock = obstacles.find(each => each.unblock !== undefined)?.unblock
  return none(
    'NoModel',
    `${what}${listed(obstacles)}${v2}`,
    unblock ?? 'add a worker model that suits the job, or correct its requirements',
  )
}

/** Why a V1 model is not the one for a job, and what would help; undefined: to suit the job. */
interface Obstacle {
  readonly why: string
  readonly unblock?: string | undefined
}

function listed(obstacles: readonly Obstacle[]): string {
  if (obstacles.length === 0) return ''
  const first = obstacles.slice(0, 5).map(({ why }) => why)
  return `: ${first.join('; ')}${obstacles.length > 5 ? `; and ${obstacles.length - 5} more` : ''}`
}

/** Why a job cannot have a V1 model now. Until a model is registered nobody knows what it has; one that failed too often never is. */
function obstacleOf(v1: V1Model, job: Job, isWanted: boolean, choosing: ModelChoosing): Obstacle | undefined {
  const failed = hasTooManyErrors(v1) ? { why: `starting it failed ${v1.spawnErrors} times`, unblock: howToForgetErrors } : undefined
  const barred = whyBarred(v1, job, isWanted)
  if (barred !== undefined) return { why: barred }
  if (isUnregistered(v1, choosing)) return failed ?? unregistered(choosing.registrations.of(modelPath(v1)))
  const lacking = whatLacks(v1, job, isWanted)
  return lacking === undefined ? failed : { why: lacking }
}

function unregistered(wait: RegistrationWait | undefined): Obstacle {
  const because = wait === undefined ? '' : ` (${wait.reason}: ${wait.message})`
  return { why: `it is not registered yet${because}`, unblock: wait?.unblock }
}

function isUnregistered(model: V1Model, { fleet, underWay }: Pick<ModelChoosing, 'fleet' | 'underWay'>): boolean {
  const template = fleet.modelTemplate(model.name)
  const isDoomed = template !== undefined && underWay.doomed.has(template.vm.id)
  return needsRegistration(model, template === undefined ? undefined : { note: template.note, isDoomed })
}

/** Why a V1 job may not have a V1 model, whatever becomes of that; undefined if it may. */
function whyBarred({ group, isDeprecated }: V1Model, { groups }: Job, isWanted: boolean): string | undefined {
  if (groups.length > 0 && !groups.includes(group)) return `group ${group} may not run the job`
  return isDeprecated && !isWanted ? 'it is deprecated' : undefined
}

/** What a V1 model does not have that a V1 job needs; undefined if it has all of it. */
function whatLacks(model: V1Model, { requirements }: Job, isWanted: boolean): string | undefined {
  const of = (type: string) => requirements.filter(each => each.type === type)
  const osArch = `${model.registeredOs}/${model.registeredArch}`
  const other = of('os-architecture').find(({ value }) => value !== osArch)
  if (other !== undefined && model.registeredOs !== '' && model.registeredArch !== '') return `it is for ${osArch}, not ${other.value}`
  if (isWanted || of('hostname').length > 0) return undefined
  const missing = of('binary').find(({ name, value }) => !model.capabilities.includes(value) && !model.capabilities.includes(name))
  return missing === undefined ? undefined : `it has no binary ${missing.value}`
}

function wrongType(name: string, type: string): ModelChoice {
  const refusal: Refusal = {
    gate: 'CanSpawn',
    reason: 'WrongModelType',
    message: `worker model ${name} is of type "${type}", and this hatchery starts "${modelType}" only`,
    unblock: 'use another model, or let another hatchery take the job',
  }
  return { kind: 'none', refusal }
}

function none(reason: string, message: string, unblock: string): ModelChoice {
  return { kind: 'none', refusal: { gate: 'Model', reason, message, unblock } }
}
