import type { Chance, Log } from '../../ports/index.ts'
import type { Resource } from '../../kinds/index.ts'
import type { Store } from '../../store/index.ts'
import type { Job } from '../queue/workers.ts'
import type { ControllerContext, Pass } from './controller.ts'
import type { Read } from './watches.ts'

/** What a pass is made of. */
export interface PassParts<R extends Resource> {
  readonly controller: string
  readonly context: ControllerContext
  readonly object: R
  readonly job: Job
  readonly read: Read
  readonly store: Store
}

/** The pass under way on an object. A class, because one is made at every look at an object and an accessor in a literal is slow. */
export class CurrentPass<R extends Resource> implements Pass<R> {
  readonly object: R
  readonly key: string
  readonly now: number
  readonly read: Read
  readonly store: Store
  readonly signal: AbortSignal
  readonly chance: Chance
  readonly failures: number
  readonly term: number
  readonly event: Pass<R>['event']
  readonly #log: Log
  readonly #controller: string

  constructor({ controller, context, object, job, read, store }: PassParts<R>) {
    this.object = object
    this.key = job.key
    this.now = context.clock.now()
    this.read = read
    this.store = store
    this.signal = job.signal
    this.chance = context.chance
    this.failures = job.failures
    this.term = context.fence()
    this.event = (type, reason, message) => context.recordEvent(object, { type, reason, message, controller })
    this.#log = context.log
    this.#controller = controller
  }

  /** Made when asked for: most passes have nothing to log. */
  get log(): Log {
    return this.#log.with({ controller: this.#controller, key: this.key })
  }
}
