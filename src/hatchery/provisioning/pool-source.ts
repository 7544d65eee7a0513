import type { Size } from '../../platform/index.ts'
import type { V1Model } from '../cds/cds.ts'
import type { Fleet } from '../fleet/fleet.ts'
import type { UnderWay } from '../fleet/under-way.ts'
import { modelType } from '../models/starter-models.ts'
import { needsRegistration } from '../registration/need-registration.ts'
import type { HatcherySettings } from '../settings.ts'
import type { Pool } from './pool.ts'

/** From what VMs of a pool are made at the moment, or why none can be. */
export type PoolSource =
  | {
      readonly kind: 'template'
      readonly template: string
      readonly lastModified: string
      readonly size: Size
      readonly resize: Size | undefined
    }
  | { readonly kind: 'none'; readonly why: PoolWait }

/** Why a pool gets no VM at the moment. */
export interface PoolWait {
  /** One word. */
  readonly reason: string
  readonly message: string
  readonly unblock?: string
  /** When it is looked at again if nothing changes, milliseconds since 1970. */
  readonly until?: number
}

/** What is known of the V1 model of a pool: the model, that there is none, or why it could not be asked for. */
export type KnownModel = V1Model | undefined | { readonly problem: string }

/** What decides about a source. */
export interface SourceOptions {
  readonly settings: Pick<HatcherySettings, 'flavors'>
  readonly fleet: Fleet
  readonly underWay: UnderWay
}

/** From what a pool's VMs are made: V2 of the template itself; V1 of the one that was built for the model, if it needs no other. */
export function sourceOf({ settings, fleet, underWay }: SourceOptions, pool: Pool, model: KnownModel): PoolSource {
  const flavor = pool.flavor === undefined ? undefined : settings.flavors.find(pool.flavor)
  if (pool.flavor !== undefined && flavor === undefined) {
    const known = settings.flavors.all.map(({ name }) => name).join(', ')
    return none(
      'FlavorUnknown',
      `flavor "${pool.flavor}" not found in hatchery configuration`,
      `use one of ${known}, or add it to the flavors`,
    )
  }
  if (pool.version === 1) {
    const why = notReady(pool, model, { fleet, underWay })
    if (why !== undefined) return { kind: 'none', why }
  }
  const name = pool.version === 1 ? (model as V1Model).name : pool.model
  const template = fleet.template(name)
  if (template === undefined)
    return none('TemplateMissing', `there is no template "${name}"`, 'make it in vSphere, or correct workerProvisioning')
  const lastModified = pool.version === 1 ? String((model as V1Model).userLastModified) : ''
  const size = flavor ?? { cpus: template.cpus, memoryMB: template.memoryMB }
  return { kind: 'template', template: name, lastModified, size, resize: flavor }
}

/** Why no VM can be made for a V1 model now; undefined if one can. */
function notReady(
  { model: path }: Pool,
  model: KnownModel,
  { fleet, underWay }: Pick<SourceOptions, 'fleet' | 'underWay'>,
): PoolWait | undefined {
  if (model === undefined) {
    return {
      reason: 'ModelMissing',
      message: `CDS has no enabled worker model "${path}"`,
      unblock: 'enable it in CDS, or correct workerProvisioning',
    }
  }
  if ('problem' in model) return { reason: 'ModelNotKnown', message: model.problem }
  if (model.type !== modelType) {
    return { reason: 'ModelOfOtherType', message: `the worker model "${path}" is of type "${model.type}", not "${modelType}"` }
  }
  const built = fleet.modelTemplate(model.name)
  const template = built === undefined ? undefined : { note: built.note, isDoomed: underWay.doomed.has(built.vm.id) }
  if (model.checkRegistration || template?.isDoomed === true || needsRegistration(model, template)) {
    return {
      reason: 'NeedsRegistration',
      message: `the worker model "${path}" must be registered first`,
      unblock: 'wait for its registration',
    }
  }
  return undefined
}

function none(reason: string, message: string, unblock: string): PoolSource {
  return { kind: 'none', why: { reason, message, unblock } }
}
