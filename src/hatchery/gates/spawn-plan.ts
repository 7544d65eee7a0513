import type { Size } from '../../platform/index.ts'
import type { Fleet } from '../fleet/fleet.ts'
import { bareJob } from '../jobs/bare-job.ts'
import type { Job } from '../jobs/job.ts'
import type { StarterModel } from '../models/starter-model.ts'
import type { HatcherySettings } from '../settings.ts'
import type { SpawnPlan } from './verdict.ts'

/** What is to be started for a job from a model. */
export function planFor(job: Job, model: StarterModel, { flavors }: Pick<HatcherySettings, 'flavors'>, fleet: Fleet): SpawnPlan {
  const flavor = flavors.find(model.flavor)
  // A configuration without flavors resizes nothing (hatchery §13.7, flavors §C.10): every worker has its template's resources.
  const unknownFlavor = flavor === undefined && model.flavor !== '' && flavors.all.length > 0 ? model.flavor : undefined
  // Without a flavor a worker is as large as its template. One that nobody knows is not taken for an obstacle.
  const { cpus, memoryMB }: Size = flavor ?? fleet.template(model.template) ?? fleet.template(model.image) ?? { cpus: 0, memoryMB: 0 }
  return { job, model, flavor, unknownFlavor, size: { cpus, memoryMB } }
}

/** What stands for a job where a V1 model is registered: number 0, as the original calls it. */
export function registrationJob(model: StarterModel, now: number): Job {
  return bareJob({ version: 1, id: '0', queued: now, title: `registration of ${model.path}` })
}
