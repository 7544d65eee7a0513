import type { WorkerNote } from '../fleet/worker-note.ts'
import type { V1Model } from '../cds/cds.ts'
import { modelPath } from '../models/starter-models.ts'

/** A template that belongs to a worker model, as far as it matters here. Undefined note: nobody can read it. */
export interface ModelTemplate {
  readonly note: WorkerNote | undefined
  /** Whether it is to be removed. */
  readonly isDoomed: boolean
}

/**
 * Whether a V1 model's template must be built (again): there is none, it cannot be read, it is that of a model of the same name in
 * another group, CDS asks for it, or the model was changed since (hatchery §6.7). A template that is about to be removed is not asked
 * about: the answer would soon be another one.
 */
export function needsRegistration(
  model: Pick<V1Model, 'group' | 'name' | 'needRegistration' | 'userLastModified'>,
  template: ModelTemplate | undefined,
): boolean {
  if (template?.note?.model !== true) return true
  if (template.isDoomed) return false
  if (template.note.workerModelPath !== modelPath(model)) return true
  return model.needRegistration || template.note.workerModelLastModified !== String(model.userLastModified)
}
