import type { Flavor, Size } from '../../platform/index.ts'
import type { Undertaking } from '../fleet/under-way.ts'
import type { StarterModel } from '../models/starter-model.ts'
import type { Assignment } from './assignment.ts'
import type { GuestLogin } from './guest-login.ts'

/** What is to be started. */
export interface WorkerPlan {
  readonly model: StarterModel
  /** Undefined: as the template is. */
  readonly flavor: Flavor | undefined
  readonly size: Size
  readonly unknownFlavor: string | undefined
}

/** One attempt to start a worker: what was decided, and how far it got. */
export interface Attempt {
  readonly assignment: Assignment
  readonly plan: WorkerPlan
  readonly undertaking: Undertaking
  readonly worker: string
  /** On the clock that never goes back. */
  readonly since: number
  /** For calls that change something: ends when the attempt's time is over, and only then. */
  readonly calls: AbortSignal
  /** For waits: ends also when the program stops. */
  readonly waits: AbortSignal
  /** The program stops. */
  readonly stop: AbortSignal
  /** Whether the job is ours, as far as is known. */
  taken: 'no' | 'maybe' | 'yes'
  /** Whether the worker may be running. */
  launched: 'no' | 'maybe' | 'yes'
  /** Whether a VM may still appear, because nobody knows what became of the call that makes it. */
  mayAppear: boolean
  login: GuestLogin | undefined
  /** The addresses that are held for its VM, until it is over. */
  readonly holding: DisposableStack
}

/** What became of an attempt. */
export type SpawnOutcome =
  | { readonly kind: 'started'; readonly worker: string }
  /** Somebody else has the job, or it is gone. */
  | { readonly kind: 'lost' }
  /** Everything is taken back. `until`: when it is worth another try. */
  | { readonly kind: 'failed'; readonly error: unknown; readonly until: number }
  /** The program stops. What was begun stays as it is, and its record says what it is. */
  | { readonly kind: 'left' }
