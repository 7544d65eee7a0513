import type { Flavor, Size } from '../../platform/index.ts'
import type { Undertaking } from '../fleet/under-way.ts'
import type { Job } from '../jobs/job.ts'
import type { StarterModel } from '../models/starter-model.ts'

/** What is to be started, decided but not begun. */
export interface SpawnPlan {
  readonly job: Job
  readonly model: StarterModel
  /** Undefined: as the template is. */
  readonly flavor: Flavor | undefined
  /** The flavor that was asked for and is not in the configuration; the spawn fails with it and says so to the user. */
  readonly unknownFlavor: string | undefined
  /** What the worker will take. */
  readonly size: Size
}

/** Why a job cannot start yet: which gate, one word, a sentence with its numbers, and what would help. */
export interface Refusal {
  readonly gate: 'Inventory' | 'Job' | 'Capacity' | 'Region' | 'Model' | 'CanSpawn' | 'Resources' | 'Attempts'
  /** As a condition's reason: `MaxWorkerReached`. */
  readonly reason: string
  readonly message: string
  readonly unblock?: string
  /** When it is worth looking again if nothing changes, milliseconds since 1970; undefined: when something changes. */
  readonly until?: number
}

/** What the gates say of a job. */
export type Verdict =
  /**
   * The undertaking is entered already, so that the next decision counts it. Its `vmId` is the VM that stands ready and is to be
   * claimed, kept for this job from now on; undefined: a fresh clone. Whoever takes the verdict disposes of the undertaking in the end.
   */
  | { readonly kind: 'go'; readonly plan: SpawnPlan; readonly undertaking: Undertaking }
  | { readonly kind: 'wait'; readonly refusal: Refusal }
  /** It is no longer ours: gone, taken, not waiting, or for others. */
  | { readonly kind: 'drop'; readonly why: string }
  /** It was tried too often and is to be ended as failed (V1). */
  | { readonly kind: 'fail'; readonly why: string }
