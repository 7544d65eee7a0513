import type { Chance, Clock, Log, Metrics } from '../../ports/index.ts'
import type { Kind, Resource } from '../../kinds/index.ts'
import type { Store } from '../../store/index.ts'
import type { EventType } from '../events/event-correlator.ts'
import type { RecordEvent } from '../events/event-recorder.ts'
import type { IndexFunction } from '../informer/object-index.ts'
import type { Informers } from '../informer/informers.ts'
import { RunningReconciler } from './running-reconciler.ts'
import type { OwnedConditions } from './status-draft.ts'
import type { Step } from './step.ts'
import type { Read, Watch } from './watches.ts'

/** One look at one object. Everything in it belongs to one moment; steps read nothing behind its back. */
export interface Pass<R extends Resource> {
  /** The object, frozen. Whatever this controller wrote before is in it. */
  readonly object: R
  /** `namespace/name`, or `name`. */
  readonly key: string
  /** The time at which the pass began, in milliseconds since 1970. */
  readonly now: number
  /** Reads kinds that the controller declared, from memory. */
  readonly read: Read
  /**
   * For what has to be asked or written elsewhere than in this object's status. Writes carry the pass's signal, are refused once
   * the pass is over or the leadership lost, and are seen by the next pass on this object. A Conflict restarts the pass.
   */
  readonly store: Store
  /** Aborted at the deadline. Every call to the outside gets it. */
  readonly signal: AbortSignal
  readonly log: Log
  readonly chance: Chance
  /** How often passes on this object failed in a row before this one. */
  readonly failures: number
  /** The number of this process's leadership, larger than that of all before it; 0 without election. For back ends that can fence. */
  readonly term: number
  /** Records a Kubernetes event about the object. Never waits, never fails. */
  readonly event: (type: EventType, reason: string, message: string) => void
}

/** A step: a plain function from what the pass knows to what is to be done. */
export type StepFunction<R extends Resource, S> = (pass: Pass<R> & S) => Step<R> | Promise<Step<R>>

/** A kind that passes read, with the indexes by which they do. */
export interface IndexedRead {
  readonly kind: Kind
  readonly indexes: Readonly<Record<string, IndexFunction<Resource>>>
}

/** What its author says about a controller. */
export interface ControllerOptions<R extends Resource, S> {
  /** For metrics, events and logs; unique in the program. Default: the kind's name in lower case. */
  readonly name?: string
  /** Which objects are its concern. Default: all. */
  readonly select?: (object: NoInfer<R>) => boolean
  /**
   * The conditions that it writes, and nobody else, each with the status that it has when all is well:
   * `{ Ready: 'True', Pending: 'False' }`. Failures of passes are told by the first.
   */
  readonly conditions?: OwnedConditions
  /** What else makes it look at an object. Kinds named here can be read, too. */
  readonly watches?: readonly Watch[]
  /** Further kinds that passes read; `indexed(Kind, {…})` if by an index. No pass starts before all are known. */
  readonly reads?: readonly (Kind | IndexedRead)[]
  /** What steps need to know besides the object, gathered once for all of them and merged into the pass. */
  readonly snapshot?: (pass: Pass<NoInfer<R>>) => S | Promise<S>
  /** In order, until one ends the pass. */
  readonly steps: readonly StepFunction<NoInfer<R>, S>[]
  /** Run after the others in any case, also when one of them waits or failed: sums up what is to be reported. */
  readonly always?: readonly StepFunction<NoInfer<R>, S>[]
  /** Kept on every object from before the first step until `cleanup` is through. */
  readonly finalizer?: string
  /**
   * Run instead of `steps` on an object that is being deleted. When all went on to the end and none asked to be called again,
   * the finalizer is taken away.
   */
  readonly cleanup?: readonly StepFunction<NoInfer<R>, S>[]
  /** Runs `steps` on objects that are being deleted, too: for whoever guards deletions by other means than a finalizer. */
  readonly stepsOnDeletion?: boolean
  /** Passes at one time. Default 32. */
  readonly concurrency?: number
  /** Milliseconds that a pass may take. Default 60,000. */
  readonly deadline?: number
  /** Longest pause before the first and before any retry, in milliseconds. Default 500 and 300,000. */
  readonly retry?: { readonly base: number; readonly cap: number }
  /** Milliseconds after which every object is looked at even if nothing seems to have happened. Default: never. */
  readonly resync?: number
}

/** A controller's options together with its kind and its name. */
export interface ControllerDefinition<R extends Resource, S> extends ControllerOptions<R, S> {
  readonly kind: Kind<R>
  readonly name: string
}

/** What the program gives to each controller. */
export interface ControllerContext {
  readonly store: Store
  readonly clock: Clock
  readonly chance: Chance
  readonly log: Log
  readonly metrics: Metrics
  readonly informers: Informers
  readonly recordEvent: RecordEvent
  /** Throws `NotLeader` if this process must not act; otherwise says the term of its leadership. */
  readonly fence: () => number
}

/** A controller that is running. */
export interface RunningController {
  /** Resolves when it has read all that it needs to know and works. Rejects if it is stopped before. */
  readonly ready: Promise<void>
  /** Takes no new work, lets what is under way end within so many milliseconds, then aborts it. */
  stop(options: { readonly within: number }): Promise<void>
}

/** Something that `startControllers` can run. */
export interface Controller {
  readonly name: string
  /** The conditions that it writes on objects of `kind`. */
  readonly owns?: { readonly kind: Kind; readonly conditions: readonly string[] }
  start(context: ControllerContext): RunningController
}

/**
 * Declares a controller: a list of steps over one snapshot of one object.
 *
 * A pass runs when the object, or something that it watches, has changed, or when an earlier pass asked for it. It adds the
 * finalizer if there is one, gathers the snapshot, runs the steps, and writes the status once at the end, also if a step threw.
 * Steps return what they want: `next`, `done`, `again`, `report`, `record`, `met`, `wait`, `condition`, `remove`, or a list of
 * these. The controller's own status writes do not call it again.
 *
 * What a step throws decides what follows: `TerminalError` leaves the object alone until it changes; a Conflict of the store
 * restarts the pass at once; anything else is tried again after a growing pause. All but the Conflict are written into the
 * controller's first condition, and taken back when a later pass goes well without saying anything about it.
 *
 * @example
 * type ClaimPass = Pass<ClusterClaim> & { readonly pool: ClusterPool | undefined }
 *
 * export const claimController = controller(ClusterClaim, {
 *   conditions: { Pending: 'False', ClusterRunning: 'True' },
 *   watches: [mapped(ClusterDeployment, cluster => claimOf(cluster))],
 *   reads: [ClusterPool],
 *   snapshot: ({ object, read }) => ({ pool: read(ClusterPool).get(poolKey(object)) }),
 *   finalizer: 'hive.openshift.io/claim',
 *   steps: [expire, findCluster, grantAccess, reportRunning],
 *   cleanup: [returnCluster],
 * })
 *
 * function expire({ object, pool, now }: ClaimPass): Step<ClusterClaim> {
 *   const until = endOfLife(object, pool)
 *   if (until === undefined) return next
 *   return now >= until ? remove('its lifetime ended') : again(until)
 * }
 */
export function controller<R extends Resource, S = unknown>(kind: Kind<R>, options: ControllerOptions<R, S>): Controller {
  const definition = { ...options, kind, name: options.name ?? kind.singular }
  return {
    name: definition.name,
    owns: { kind, conditions: Object.keys(options.conditions ?? {}) },
    start: context => new RunningReconciler(definition, context),
  }
}

/** A kind that passes read by named indexes: `read(Kind).byIndex(name, value)`. */
export function indexed<T extends Resource>(kind: Kind<T>, indexes: Readonly<Record<string, IndexFunction<T>>>): IndexedRead {
  return { kind: kind, indexes: indexes as IndexedRead['indexes'] }
}
