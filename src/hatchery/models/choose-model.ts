import type { V1Model } from '../cds/cds.ts'
import { ModelReferenceNotValid } from '../cds/errors.ts'
import type { Fleet } from '../fleet/fleet.ts'
import type { UnderWay } from '../fleet/under-way.ts'
import type { Job } from '../jobs/job.ts'
import { needsRegistration } from '../registration/need-registration.ts'
import type { HatcherySettings } from '../settings.ts'
import type { Refusal } from '../gates/verdict.ts'
import { defaultModelV2 } from './default-model.ts'
import type { ModelBook } from './model-book.ts'
import type { StarterModel } from './starter-model.ts'
import { isModelNamed, modelTitle, modelType, starterFromV1, starterFromV2 } from './starter-models.ts'

/** What a choice is made from. */
export interface ModelChoosing {
  readonly settings: Pick<HatcherySettings, 'defaultModelsV2' | 'defaultFlavor'>
  readonly book: ModelBook
  readonly fleet: Fleet
  readonly underWay: UnderWay
  /** Whether a worker could be started from a model; why not, if not. */
  readonly canSpawn: (model: StarterModel) => Refusal | undefined
}

/** The model for a job, or why there is none. */
export type ModelChoice =
  /** `v1` is the model as CDS keeps it, for its secrets. */
  | { readonly kind: 'chosen'; readonly model: StarterModel; readonly v1: V1Model | undefined }
  | { readonly kind: 'none'; readonly refusal: Refusal }

/** More failures than this, and a V1 model is left alone until somebody looks at it. */
export const mostSpawnErrors = 5

/** A V1 job names a model as code by project, VCS, repository and name, which makes at least so many parts. */
const fewestParts = 5

/** The model for a V1 job: the one as code that it names, the default for its binaries, or the first V1 model that suits. */
export async function chooseModelV1(job: Job, choosing: ModelChoosing): Promise<ModelChoice> {
  const [wanted = ''] = job.requirements.filter(({ type }) => type === 'model').map(({ value }) => value.split(' ')[0] ?? '')
  const { book, settings } = choosing
  if (wanted.split('/').length >= fewestParts) {
    if (book.knowsV2) return await fromReference(wanted, job, choosing)
    const unblock = 'set commonConfiguration.api.tokenV2, or name a V1 model'
    return none('NoV2Token', `the job wants model ${wanted}, and this hatchery has no token for V2, so that it cannot be read`, unblock)
  }
  const usual = wanted === '' ? defaultModelV2(settings.defaultModelsV2, job.requirements) : ''
  if (usual !== '' && book.knowsV2) return await fromReference(usual, job, choosing)
  return await fromV1Models(job, wanted, choosing)
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

async function fromV1Models(job: Job, wanted: string, { book, fleet, underWay, settings, canSpawn }: ModelChoosing): Promise<ModelChoice> {
  const models = (await book.v1()).filter(({ type, disabled }) => type === modelType && !disabled)
  const named = wanted === '' ? models : models.filter(model => isModelNamed(model, wanted))
  const reasons: string[] = []
  let refused: Refusal | undefined
  for (const v1 of named) {
    const why = isUnregistered(v1, fleet, underWay) ? 'it is not registered yet' : whyNot(v1, job, wanted !== '')
    if (why !== undefined) {
      reasons.push(`${modelTitle(v1)}: ${why}`)
      continue
    }
    const model = starterFromV1(v1, { requirements: job.requirements, defaultFlavor: settings.defaultFlavor })
    const refusal = canSpawn(model)
    if (refusal === undefined) return { kind: 'chosen', model, v1 }
    refused ??= refusal
  }
  if (refused !== undefined) return { kind: 'none', refusal: refused }
  const list =
    reasons.length === 0 ? '' : `: ${reasons.slice(0, 5).join('; ')}${reasons.length > 5 ? `; and ${reasons.length - 5} more` : ''}`
  const what = wanted === '' ? `none of ${models.length} worker models suits the job` : `no worker model "${wanted}" suits the job`
  const v2 = settings.defaultModelsV2.length > 0 && !book.knowsV2 ? '; default models as code need tokenV2' : ''
  return none('NoModel', `${what}${list}${v2}`, 'add a worker model that suits the job, or correct its requirements')
}

function isUnregistered(model: V1Model, fleet: Fleet, underWay: UnderWay): boolean {
  const template = fleet.modelTemplate(model.name)
  const isDoomed = template !== undefined && underWay.doomed.has(template.vm.id)
  return needsRegistration(model, template === undefined ? undefined : { note: template.note, isDoomed })
}

/** Why a V1 model cannot run a V1 job; undefined if it can. */
function whyNot(model: V1Model, job: Job, isWanted: boolean): string | undefined {
  if (model.spawnErrors > mostSpawnErrors) return `starting it failed ${model.spawnErrors} times`
  if (job.groups.length > 0 && !job.groups.includes(model.group)) return `group ${model.group} may not run the job`
  if (model.isDeprecated && !isWanted) return 'it is deprecated'
  const of = (type: string) => job.requirements.filter(each => each.type === type)
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
