import { DeadlineExceeded } from '../../ports/index.ts'
import type { Resource } from '../../kinds/index.ts'
import { type Store, StoreError, undefinedIf } from '../../store/index.ts'
import { findCondition } from '../conditions.ts'
import { NotLeader, RecordedNothing } from '../errors.ts'
import { hasFinalizer, isBeingDeleted, withFinalizer, withoutFinalizer } from '../finalizers.ts'
import { revisionOf } from '../informer/differences.ts'
import type { Informer } from '../informer/informer.ts'
import { keyOf, parseKey } from '../object-key.ts'
import type { Job, Verdict } from '../queue/workers.ts'
import { asDraft } from './as-draft.ts'
import type { ControllerContext, ControllerDefinition, Pass, StepFunction } from './controller.ts'
import { CurrentPass } from './current-pass.ts'
import { failureCondition, isFailureCondition, stuckCondition } from './failure-condition.ts'
import { KeyMemory } from './key-memory.ts'
import { StatusDraft } from './status-draft.ts'
import { TrackedStore, writeOf } from './tracked-store.ts'
import { type Walk, walk } from './walk.ts'
import type { Read } from './watches.ts'

/** Passes in a row that `record` may start before others get their turn. */
const mostRestarts = 16

/** Does the passes of one controller. */
export class Reconciler<R extends Resource, S> {
  readonly memory = new KeyMemory()
  readonly #options: ControllerDefinition<R, S>
  readonly #context: ControllerContext
  readonly #informer: Informer<R>
  readonly #read: Read
  /** The condition that tells of failures. */
  readonly #failureType: string | undefined

  constructor(options: ControllerDefinition<R, S>, context: ControllerContext, informer: Informer<R>, read: Read) {
    this.#options = options
    this.#context = context
    this.#informer = informer
    this.#read = read
    this.#failureType = Object.keys(options.conditions ?? {})[0]
  }

  /** Looks at one object; several times if steps record intents. */
  async work(job: Job): Promise<Verdict> {
    for (let restarts = 0; restarts < mostRestarts; restarts++) {
      if (this.memory.hasWrites(job.key)) await this.memory.seeWrites(job.key, this.#context.informers, job.signal)
      let object = this.#informer.get(job.key)
      if (this.#isOutdated(job.key, object)) object = await this.#ask(job.key)
      if (object === undefined) {
        this.memory.forget(job.key)
        return { result: 'gone' }
      }
      if (!this.#isConcern(object)) return { result: 'done' }
      const verdict = await this.#pass(object, job)
      if (verdict !== 'restart') return verdict
    }
    return { result: 'done', after: 0, lane: 'low' }
  }

  /** An object that carries our finalizer must be cleaned up, even if it is no longer selected: nobody else will. */
  #isConcern(object: R): boolean {
    const { select, finalizer } = this.#options
    if (select === undefined || select(object)) return true
    return finalizer !== undefined && isBeingDeleted(object) && hasFinalizer(object, finalizer)
  }

  /** Says on the object that its pass hangs. */
  async reportStuck(key: string, seconds: number): Promise<void> {
    const object = this.#informer.get(key)
    if (this.#failureType === undefined || object === undefined) return
    const draft = this.#draft(object)
    draft.state(stuckCondition(this.#failureType, seconds))
    await this.#writeStatus(object, draft)
  }

  /** Whether the informer has not heard of the change that the last pass collided with: asking is cheaper than colliding again. */
  #isOutdated(key: string, object: R | undefined): boolean {
    const collision = this.memory.takeCollision(key)
    return object !== undefined && collision !== undefined && revisionOf(object) === collision
  }

  #ask(key: string): Promise<R | undefined> {
    return this.#context.store.get(this.#options.kind, parseKey(key)).catch(undefinedIf('NotFound'))
  }

  async #pass(seen: R, job: Job): Promise<Verdict | 'restart'> {
    const { kind, always = [], finalizer, snapshot } = this.#options
    const steps = this.#stepsFor(seen)
    if (steps === undefined) {
      this.memory.handled(job.key, revisionOf(seen))
      return { result: 'done' }
    }
    let object = seen
    let draft = this.#draft(seen)
    try {
      if (finalizer !== undefined && lacks(seen, finalizer)) {
        object = await this.#storeFor(job).update<R>(kind, asDraft(withFinalizer(seen, finalizer)))
        draft = this.#draft(object)
      }
      const pass = this.#prepare(object, job)
      if (snapshot !== undefined) Object.assign(pass, await snapshot(pass))
      const course = await walk(steps, always, pass, draft)
      if (course.failure !== undefined) throw course.failure.error
      return await this.#conclude(object, draft, course)
    } catch (error) {
      await this.#tellFailure(object, draft, error, job)
      throw error
    }
  }

  /** Undefined if there is nothing to do: the object is being deleted, and this controller is through with it. */
  #stepsFor(object: R): readonly StepFunction<R, S>[] | undefined {
    const { steps, cleanup = [], finalizer, stepsOnDeletion = false } = this.#options
    if (!isBeingDeleted(object) || stepsOnDeletion) return steps
    return finalizer !== undefined && hasFinalizer(object, finalizer) ? cleanup : undefined
  }

  /** A pass that knows everything but the snapshot. */
  #prepare(object: R, job: Job): Pass<R> & S {
    const parts = { controller: this.#options.name, context: this.#context, object, job, read: this.#read, store: this.#storeFor(job) }
    return new CurrentPass<R>(parts) as Pass<R> as Pass<R> & S
  }

  /** Does what the steps asked for. */
  async #conclude(object: R, draft: StatusDraft, { go, waiting, again, why }: Walk): Promise<Verdict | 'restart'> {
    if (go === 'remove') {
      await this.#remove(object, why)
      return { result: 'done' }
    }
    this.#takeBackFailure(object, draft)
    if (go === 'on') draft.confirm()
    const isCleanup = isBeingDeleted(object) && this.#options.finalizer !== undefined
    if (isCleanup && go !== 'restart' && !waiting && again === Number.POSITIVE_INFINITY) return this.#release(object, draft)
    const written = await this.#writeStatus(object, draft)
    if (written === undefined) return { result: 'gone' }
    if (go === 'restart') {
      if (written === object) throw RecordedNothing({ controller: this.#options.name })
      return 'restart'
    }
    const result = waiting ? 'waiting' : 'done'
    return again === Number.POSITIVE_INFINITY ? { result } : { result, after: Math.max(0, again - this.#context.clock.now()) }
  }

  /** Writes the status if it changed. Undefined if the object is gone; the object itself if there was nothing to write. */
  async #writeStatus(object: R, draft: StatusDraft): Promise<R | undefined> {
    const { store, fence } = this.#context
    const { kind } = this.#options
    const key = keyOf(object)
    const status = draft.changed()
    if (status === undefined) {
      this.memory.handled(key, revisionOf(object))
      return object
    }
    fence()
    const written = await store.update<R>(kind, asDraft<R>({ ...object, status }), { subresource: 'status' }).catch(undefinedIf('NotFound'))
    if (written === undefined) return undefined
    this.memory.wrote(key, writeOf(kind, written))
    this.memory.handled(key, revisionOf(written))
    return written
  }

  async #remove(object: R, why: string): Promise<void> {
    const { store, fence, recordEvent } = this.#context
    const { uid, resourceVersion } = object.metadata
    fence()
    await store
      .delete(this.#options.kind, parseKey(keyOf(object)), {
        ...(uid === undefined ? {} : { uid }),
        ...(resourceVersion === undefined ? {} : { resourceVersion }),
      })
      .catch(undefinedIf('NotFound'))
    recordEvent(object, { type: 'Normal', reason: 'Removed', message: why, controller: this.#options.name })
  }

  /** Takes the finalizer away. The status is written only if somebody is left to read it. */
  async #release(object: R, draft: StatusDraft): Promise<Verdict> {
    const { kind, finalizer = '' } = this.#options
    const { store, fence } = this.#context
    const isLast = object.metadata.finalizers?.length === 1
    const latest = isLast ? object : await this.#writeStatus(object, draft)
    if (latest === undefined) return { result: 'gone' }
    fence()
    const released = await store.update<R>(kind, asDraft(withoutFinalizer(latest, finalizer))).catch(undefinedIf('NotFound'))
    if (released !== undefined) this.memory.handled(keyOf(object), revisionOf(released))
    return { result: 'done' }
  }

  /** Writes into the status why the pass failed, and what the steps reported before it did. */
  async #tellFailure(object: R, draft: StatusDraft, error: unknown, job: Job): Promise<void> {
    const { clock, log } = this.#context
    if (StoreError.is(error, 'Conflict')) {
      this.memory.collided(job.key, revisionOf(object))
      return
    }
    const isStopping = job.signal.aborted && !DeadlineExceeded.is(job.signal.reason)
    if (isStopping || NotLeader.is(error)) return
    if (this.#failureType !== undefined) draft.state(failureCondition(this.#failureType, error, () => clock.now() + job.retryIn()))
    await this.#writeStatus(object, draft).catch((second: unknown) => {
      log.warn('a failure could not be written into the status', { controller: this.#options.name, key: job.key, error: second })
    })
  }

  /** A failure that an earlier pass told of is over, and no step said anything else about that condition. */
  #takeBackFailure(object: R, draft: StatusDraft): void {
    const type = this.#failureType
    if (type === undefined || draft.hasStated(type)) return
    const told = findCondition(object, type)
    if (told !== undefined && isFailureCondition(told)) draft.dropCondition(type)
  }

  #draft(object: R): StatusDraft {
    return new StatusDraft(this.#options.name, this.#options.conditions ?? {}, object, this.#context.clock.now())
  }

  #storeFor({ key, signal }: Job): Store {
    const { store, fence } = this.#context
    return new TrackedStore({ store, signal, fence, onWrite: write => this.memory.wrote(key, write) })
  }
}

/** Whether an object that stays has yet to get its finalizer. */
function lacks(object: Resource, finalizer: string): boolean {
  return !isBeingDeleted(object) && !hasFinalizer(object, finalizer)
}
